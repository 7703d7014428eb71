import type { Inventory } from "#dc/model/inventory.ts";
import type { Crac, Device, Location, Rack } from "#dc/model/resources.ts";
import type { SeededRandom } from "../seeded_random.ts";

const STATUSES = ["ACTIVE", "ACTIVE", "ACTIVE", "DECOMMISSIONING", "PLANNED", "OFFLINE", "FAILED"] as const;
const KINDS = ["CRAC", "CRAH", "REAR_DOOR", "CDU", "CDU"] as const;
const UNIT_STATUSES = ["ACTIVE", "ACTIVE", "ACTIVE", "STANDBY", "FAILED", "MAINTENANCE"] as const;

/** A small site of rooms, rows and zones with air and liquid units, empty places, chassis and devices of every status. */
export function cooledWorld(random: SeededRandom): Inventory {
  const racks = Array.from(
    { length: 1 + random.below(5) },
    (_, index): Rack => ({ code: `R${index}`, location: location(random) }),
  );
  const devices: Device[] = [];
  for (let left = random.below(9); left > 0; left -= 1) devices.push(device(devices.length, racks, random));
  const chassis = devices.filter(({ kind }) => kind === "CHASSIS");
  for (const { code, rackCode, location: place } of chassis) {
    for (let left = random.below(3); left > 0; left -= 1) {
      devices.push({
        ...load(devices.length, random),
        kind: "BLADE",
        parentDeviceCode: code,
        bay: `${left}`,
        ...(rackCode && { rackCode }),
        ...(place && { location: place }),
        ...(random.below(3) === 0 && { ports: [{ name: "psu", kind: "POWER_IN", powerIn: {} }] }),
      });
    }
  }
  const cracs = Array.from({ length: random.below(6) }, (_, index) => unit(index, racks, random));
  return { racks, devices, cracs, cables: [], fabricLinks: [] };
}

function location(random: SeededRandom): Location {
  return {
    siteId: "S",
    floorNumber: random.below(4) === 0 ? 1 : 0,
    ...(random.below(4) > 0 && { room: random.pick(["X", "Y"]) }),
    ...(random.below(3) > 0 && { row: random.pick(["a", "b"]) }),
    ...(random.below(3) === 0 && { zoneId: random.pick(["z1", "z2"]) }),
  };
}

function load(index: number, random: SeededRandom) {
  const method = random.pick(["AIR", "AIR", "LIQUID", "IMMERSION", "HYBRID"] as const);
  return {
    code: `D${index}`,
    status: random.pick(STATUSES),
    allocatedDrawW: 100 * (1 + random.below(200)),
    ...(random.below(2) === 0 && { measuredDrawW: 100 * (1 + random.below(200)) }),
    ...(random.below(5) === 0 && { heatW: 50 * random.below(200) }),
    coolingMethod: method,
    ...((method === "HYBRID" || (method === "LIQUID" && random.below(2) === 0)) && {
      liquidFractionPct: 10 * random.below(11),
    }),
  };
}

function device(index: number, racks: readonly Rack[], random: SeededRandom): Device {
  const rack = random.below(4) === 0 ? undefined : random.pick(racks);
  const place = rack === undefined ? location(random) : rack.location;
  return {
    ...load(index, random),
    kind: random.pick(["SERVER", "SERVER", "STORAGE", "CHASSIS"] as const),
    ...(rack !== undefined && { rackCode: rack.code }),
    ...(place !== undefined && { location: place }),
  };
}

function unit(index: number, racks: readonly Rack[], random: SeededRandom): Crac {
  const place = location(random);
  const floor = `S/${place.floorNumber}`;
  const areas = [
    `floor:${floor}`,
    `room:${floor}/X`,
    `room:${floor}/Y`,
    `row:${floor}/a`,
    `zone:${floor}/z1`,
    `zone:${floor}/z9`,
  ];
  const own = random.below(4) === 0 ? [`rack:${random.pick(racks).code}`] : [random.pick(areas)];
  const kind = random.pick(KINDS);
  return {
    code: `U${index}`,
    kind,
    status: random.pick(UNIT_STATUSES),
    location: place,
    serves: random.below(3) === 0 ? [...new Set([...own, random.pick(areas)])] : own,
    sensibleCapacityKw: 5 + random.below(40),
    ...(random.below(3) === 0 && { deratePct: 50 + 10 * random.below(6) }),
    ...(random.below(6) === 0 && { medium: random.pick(["AIR", "LIQUID"] as const) }),
    ...(kind === "CDU" && random.below(2) === 0 && { heatRejection: random.pick(["AIR", "AIR", "FACILITY"] as const) }),
  };
}
