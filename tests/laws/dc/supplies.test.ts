import { expect, test } from "bun:test";
import { traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import type { CablePath } from "#dc/analysis/cabling/supply_trace.ts";
import { formatPort } from "#dc/model/ref.ts";
import type { Cable, Device, Port, PortRef } from "#dc/model/resources.ts";
import { openMemory } from "../../support/dc/memory/store.ts";
import { putAll } from "../../support/dc/stored.ts";
import { LAW_INVENTORIES } from "../../support/law_inventories.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

interface SupplyWorld {
  readonly devices: readonly Device[];
  readonly cables: readonly Cable[];
}

/** Layers of power equipment; each inlet names a source of the layer above, or has a cable to it, or neither. */
function supplyWorld(random: SeededRandom): SupplyWorld {
  const devices: Device[] = [];
  const cables: Cable[] = [];
  let above: Device[] = [];
  for (const [depth, kind] of (["UTILITY", "UPS", "RPP", "RACK_PDU", "SERVER"] as const).entries()) {
    const layer = Array.from({ length: 1 + random.below(3) }, (_, index): Device => {
      const code = `L${depth}-${index}`;
      const inlets = depth === 0 ? 0 : 1 + random.below(2);
      const ports = Array.from({ length: inlets }, (_unused, at) => inlet(code, `in${at}`, above));
      return { code, kind, ports: [...ports, ...(kind === "SERVER" ? [] : outlets(code, inlets))] };
    });
    devices.push(...layer);
    above = layer;
  }
  return { devices, cables };

  function inlet(deviceCode: string, name: string, sources: readonly Device[]): Port {
    const source = random.pick(sources);
    const outlet = random.pick((source.ports ?? []).filter(({ kind }) => kind === "POWER_OUT"));
    const free = !cables.some(({ b }) => b.deviceCode === source.code && b.portName === outlet.name);
    const way = random.below(6);
    const end = { deviceCode: source.code, portName: outlet.name };
    if (way === 0 && free) cables.push({ a: { deviceCode, portName: name }, b: end });
    if (way === 0 || way === 1) return { name, kind: "POWER_IN" };
    const refs = [
      `device:${source.code}`,
      `port:${formatPort(end)}`,
      `feed:${outlet.powerOut?.feedId}`,
      "feed:EXTERNAL",
    ];
    return { name, kind: "POWER_IN", powerIn: { sourceRef: refs[way - 2] ?? "" } };
  }

  function outlets(code: string, inlets: number): Port[] {
    return [0, 1, 2].map((at) => ({
      name: `out${at}`,
      kind: "POWER_OUT",
      powerOut: { feedId: `F-${code}-${at}`, ...(inlets > 0 && at === 0 && { inletName: "in0" }) },
    }));
  }
}

/** Every way from an inlet to a root, as the ports on it; written from the law alone. */
function ways({ devices, cables }: SupplyWorld, at: string): readonly string[] {
  const [code, name] = at.split("/");
  const device = devices.find((one) => one.code === code);
  const port = device?.ports?.find((one) => one.name === name);
  const cable = cables.find(({ a }) => formatPort(a) === at);
  const source = port?.powerIn?.sourceRef;
  if (cable !== undefined) return behind(formatPort(cable.b));
  if (source === undefined) return [at];
  if (source === "feed:EXTERNAL") return [at];
  const [kind, rest = ""] = source.split(/:(.*)/s);
  if (kind !== "feed") return behind(rest);
  const holder = devices.find(({ ports = [] }) => ports.some(({ powerOut }) => powerOut?.feedId === rest));
  return behind(`${holder?.code}/${holder?.ports?.find(({ powerOut }) => powerOut?.feedId === rest)?.name}`);

  function behind(end: string): readonly string[] {
    const [owner = "", outlet] = end.split("/");
    const ports = devices.find((one) => one.code === owner)?.ports ?? [];
    const recorded = ports.filter(
      ({ kind: portKind, name: own, powerIn }) =>
        portKind === "POWER_IN" &&
        (powerIn !== undefined || cables.some(({ a }) => formatPort(a) === `${owner}/${own}`)),
    );
    const named = recorded.filter(
      ({ name: own }) => own === ports.find((one) => one.name === outlet)?.powerOut?.inletName,
    );
    const inlets = named.length > 0 ? named : recorded;
    if (inlets.length === 0) return [`${at} ${end}`];
    return inlets
      .flatMap(({ name: own }) => ways({ devices, cables }, `${owner}/${own}`))
      .map((way) => `${at} ${end} ${way}`);
  }
}

type Ask = (at: PortRef, stopAtPower: boolean) => Promise<readonly CablePath[]>;

/** Compares every inlet's ways to its roots with the model, and with what the outlet that feeds it answers. */
async function bothWays(world: SupplyWorld, seed: string, ask: Ask): Promise<void> {
  for (const inlet of world.devices.flatMap(inletsOf)) {
    const say = `${seed}, ${formatPort(inlet)}`;
    const paths = await ask(inlet, false);
    expect([say, ...paths.map(line).toSorted()]).toEqual([say, ...ways(world, formatPort(inlet)).toSorted()]);
    const outlet = paths[0]?.segments[0]?.to;
    if (outlet === undefined || outlet.portName === "") continue;
    for (const stopAtPower of [false, true]) {
      const back = (await ask(outlet, stopAtPower)).map(straight);
      for (const path of await ask(inlet, stopAtPower)) expect(back).toContainEqual(turned(path));
    }
  }
}

const line = ({ origin, segments }: CablePath) => [origin, ...segments.map(({ to }) => to)].map(formatPort).join(" ");
const turned = ({ hops }: CablePath) =>
  hops.toReversed().map(({ device, inPort, outPort }) => ({ code: device.code, inPort: outPort, outPort: inPort }));
const straight = ({ hops }: CablePath) =>
  hops.map(({ device, inPort, outPort }) => ({ code: device.code, inPort, outPort }));

test("a supply leads from its inlet to all of its roots, and the same from the outlet that feeds the inlet", async () => {
  for (let seed = 1; seed <= LAW_INVENTORIES; seed += 1) {
    const world = supplyWorld(new SeededRandom(seed));
    const store = openMemory();
    await store.write(async (writer) => {
      await putAll(writer, "device", world.devices);
      await putAll(writer, "cable", world.cables);
    });
    await store.read((reader) =>
      bothWays(world, `seed ${seed}`, (at, stopAtPower) =>
        traceCable(at, reader, { stopAtPower, followSplits: true, maxHops: 128 }),
      ),
    );
  }
}, 600_000);

test("a supply takes the inlet in use and lists the others", async () => {
  const ups = (inlets: readonly string[]): Device => ({
    code: "UPS",
    kind: "UPS",
    ports: [
      ...inlets.map(
        (code, at): Port => ({ name: `in${at}`, kind: "POWER_IN", powerIn: { sourceRef: `device:${code}` } }),
      ),
      { name: "out", kind: "POWER_OUT" },
    ],
  });
  const server: Device = {
    code: "SRV",
    kind: "SERVER",
    ports: [{ name: "psu", kind: "POWER_IN", powerIn: { sourceRef: "port:UPS/out" } }],
  };
  const store = openMemory();
  const roots = ["U1", "U2"].map((code): Device => ({ code, kind: "UTILITY" }));
  await store.write((writer) => putAll(writer, "device", [...roots, ups(["U1", "U2"]), server]));

  const [path, ...others] = await store.read((reader) =>
    traceCable({ deviceCode: "SRV", portName: "psu" }, reader, {
      stopAtPower: false,
      followSplits: false,
      maxHops: 128,
      inletInUse: async () => "in1",
    }),
  );

  expect(others).toEqual([]);
  expect(path && line(path)).toBe("SRV/psu UPS/out UPS/in1 U2");
  expect(path?.status).toBe("COMPLETE");
  expect(path?.branches.map(({ to }) => formatPort(to))).toEqual(["UPS/in0", "UPS/in1"]);
});

function inletsOf({ code, ports = [] }: Device): readonly PortRef[] {
  return ports.filter(({ kind }) => kind === "POWER_IN").map(({ name }) => ({ deviceCode: code, portName: name }));
}
