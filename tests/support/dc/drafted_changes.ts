import { type JsonObject, toJson } from "@bufbuild/protobuf";
import type { Inventory } from "#dc/model/inventory.ts";
import { formatCableRef } from "#dc/model/ref.ts";
import type { Cable, Crac, Device, Port, Rack } from "#dc/model/resources.ts";
import { convertToMessage } from "#dc/operations/messages/convert.ts";
import { CracSchema, DeviceSchema, RackSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { SeededRandom } from "../seeded_random.ts";

export type Change = JsonObject;

/** Some changes of an inventory, none of a resource twice: what an operator does to racks, power, cables and cooling. */
export function draftedChanges(inventory: Inventory, random: SeededRandom): readonly Change[] {
  const found = new Map<string, Change>();
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    const [key, change] = drawn(inventory, random);
    if (change !== undefined) found.set(key.toLowerCase(), change);
  }
  return [...found.values()];
}

type Drawn = readonly [key: string, change: Change | undefined];

function drawn({ racks, devices, cracs, cables }: Inventory, random: SeededRandom): Drawn {
  const [rack, device, crac, cable] = [racks, devices, cracs, cables].map(
    (list) => list[random.below(list.length)],
  ) as [Rack | undefined, Device | undefined, Crac | undefined, Cable | undefined];
  switch (random.below(7)) {
    case 0:
      return cable === undefined
        ? ["", undefined]
        : [`cable:${formatCableRef(cable.a, cable.b)}`, { delete_ref: formatCableRef(cable.a, cable.b) }];
    case 1:
      return device === undefined
        ? ["", undefined]
        : [`device:${device.code}`, { delete_ref: `device:${device.code}`, cascade: random.below(4) > 0 }];
    case 2:
      return crac === undefined ? ["", undefined] : [`crac:${crac.code}`, cracChange(crac, random)];
    case 3:
      return rack === undefined ? ["", undefined] : [`rack:${rack.code}`, rackChange(rack, random)];
    case 4:
      return rack === undefined ? ["", undefined] : ["device:DRAFTED", newServer(rack, devices, random)];
    default:
      return device === undefined
        ? ["", undefined]
        : [`device:${device.code}`, deviceChange(device, { racks, random })];
  }
}

const changed = (device: Device): Change => ({
  device: toJson(DeviceSchema, convertToMessage(DeviceSchema, device), { useProtoFieldName: true }) as JsonObject,
  update_mask: "*",
});

function deviceChange(
  device: Device,
  { racks, random }: { readonly racks: readonly Rack[]; readonly random: SeededRandom },
): Change {
  const { positionU: _, location: __, mount: ___, ...movable } = device;
  const rackCode = racks[random.below(racks.length)]?.code;
  switch (random.below(5)) {
    case 0:
      return changed({ ...device, allocatedDrawW: random.below(4000), maxDrawW: 5000 });
    case 1:
      return changed({ ...device, status: random.pick(["ACTIVE", "FAILED", "OFFLINE", "PLANNED"]) });
    case 2:
      return rackCode === undefined ? changed(device) : changed({ ...movable, rackCode });
    case 3:
      return changed({ ...device, power: { ...device.power, capacityW: 500 + random.below(5000) } });
    default:
      return changed({ ...device, ports: (device.ports ?? []).map((port) => otherPort(port, random)) });
  }
}

function otherPort(port: Port, random: SeededRandom): Port {
  if (random.below(2) === 0) return port;
  if (port.kind === "POWER_OUT") {
    const state = random.pick(["DISABLED", "ENABLED", "FAULTY"] as const);
    return { ...port, powerOut: { ...port.powerOut, state } };
  }
  if (port.kind !== "POWER_IN") return port;
  const { sourceRef: _, ...rest } = port.powerIn ?? {};
  return { ...port, powerIn: rest };
}

function cracChange(crac: Crac, random: SeededRandom): Change {
  const made = (one: Crac): Change => ({
    crac: toJson(CracSchema, convertToMessage(CracSchema, one), { useProtoFieldName: true }) as JsonObject,
    update_mask: "*",
  });
  switch (random.below(3)) {
    case 0:
      return { delete_ref: `crac:${crac.code}` };
    case 1:
      return made({ ...crac, status: random.pick(["ACTIVE", "STANDBY", "FAILED"]) });
    default:
      return made({ ...crac, sensibleCapacityKw: 1 + random.below(100) });
  }
}

function rackChange(rack: Rack, random: SeededRandom): Change {
  if (random.below(4) === 0) return { delete_ref: `rack:${rack.code}`, cascade: random.below(2) === 0 };
  const limits = { powerCapacityW: 500 + random.below(9000), coolingCapacityW: 500 + random.below(9000) };
  const one = { ...rack, ...limits, maxLoadKg: 20 + random.below(2000) };
  return {
    rack: toJson(RackSchema, convertToMessage(RackSchema, one), { useProtoFieldName: true }) as JsonObject,
    update_mask: "*",
  };
}

function newServer(rack: Rack, devices: readonly Device[], random: SeededRandom): Change {
  const sources = devices.filter(({ ports = [] }) => ports.some(({ kind }) => kind === "POWER_OUT"));
  const inlets = Array.from({ length: random.below(3) }, (_, at) => ({
    name: `psu${at}`,
    kind: "POWER_IN" as const,
    powerIn: { sourceRef: `device:${sources[random.below(sources.length)]?.code ?? "NONE"}` },
  }));
  return changed({
    code: "DRAFTED",
    kind: "SERVER",
    rackCode: rack.code,
    allocatedDrawW: 100 + random.below(3000),
    weightKg: 10 + random.below(300),
    ports: inlets,
  });
}
