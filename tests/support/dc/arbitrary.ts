import fc from "fast-check";
import type { Cable, Crac, Device, FabricLink, Port, Rack } from "#dc/model/resources.ts";
import type { DeviceFilter } from "#dc/ports.ts";

// Small worlds: few codes, so that random operations meet the same things again and again.

export const deviceCode = fc.constantFrom("D1", "D2", "D3", "srv", "Z9");
export const rackCode = fc.constantFrom("R1", "R2");
const portName = fc.constantFrom("psu1", "psu2", "eth0", "CB/1");
const feedId = fc.constantFrom("F1", "F2");
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const location = fc.record({
  siteId: fc.constantFrom("S1", "S2"),
  floorNumber: fc.constantFrom(0, 1, -1),
  room: fc.constantFrom("DH1", "DH2"),
  row: fc.constantFrom("A", "B"),
});

/** Drops what is undefined, as stored resources do. */
export function compact<Value extends object>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

const port: fc.Arbitrary<Port> = fc
  .record({
    name: portName,
    kind: fc.constantFrom("POWER_IN" as const, "NETWORK" as const),
    type: maybe(fc.constantFrom("lc", "iec-60320-c14")),
    markConnected: maybe(fc.constant(true)),
    powerIn: maybe(fc.record({ sourceRef: fc.constantFrom("feed:F1", "feed:F2", "device:D1", "port:D2/CB/1") })),
  })
  .map((value) => compact(value) as Port);

/** A device of the small world. Feeds are declared by one device only, as the rules demand of every stored state. */
export const device: fc.Arbitrary<Device> = fc
  .record({
    code: deviceCode,
    name: maybe(fc.constantFrom("alpha", "Beta_%", "gämma", "𝒹elta", "ﬀ")),
    kind: fc.constantFrom("SERVER" as const, "SWITCH" as const, "RPP" as const),
    role: fc.constantFrom("compute", "leaf"),
    status: fc.constantFrom("ACTIVE" as const, "OFFLINE" as const),
    model: maybe(fc.constantFrom("M1", "m1", "M2")),
    assetTag: maybe(fc.constantFrom("T1", "T2")),
    location,
    rackCode: maybe(rackCode),
    positionU: maybe(fc.constantFrom(1, 2.5, 10)),
    parentDeviceCode: maybe(deviceCode),
    allocatedDrawW: maybe(fc.constantFrom(100, 200)),
    tags: maybe(fc.uniqueArray(fc.constantFrom("x", "y"), { minLength: 1 })),
    labels: maybe(fc.dictionary(fc.constantFrom("k", "l"), fc.constantFrom("1", "2"), { minKeys: 1 })),
    ports: maybe(fc.uniqueArray(port, { minLength: 1, maxLength: 3, selector: ({ name }) => name })),
    declares: maybe(feedId),
  })
  .map(({ declares, ...rest }) => compact(withFeed(rest as Device, declares)));

function withFeed(value: Device, feed: string | undefined): Device {
  if (feed === undefined || value.code !== "D1") return value;
  const outlet: Port = { name: "out", kind: "POWER_OUT", powerOut: { feedId: feed } };
  return { ...value, ports: [...(value.ports ?? []), outlet] };
}

export const rack: fc.Arbitrary<Rack> = fc
  .record({ code: rackCode, location, assetTag: maybe(fc.constantFrom("T1", "T2")), uHeight: fc.constantFrom(42, 48) })
  .map((value) => compact(value) as Rack);

export const crac: fc.Arbitrary<Crac> = fc
  .record({
    code: fc.constantFrom("C1", "C2"),
    kind: fc.constant("CRAH" as const),
    location,
    sensibleCapacityKw: fc.constantFrom(10, 60),
    powerInputs: maybe(
      fc.array(fc.record({ sourceRef: fc.constantFrom("feed:F1", "feed:F2") }), { minLength: 1, maxLength: 2 }),
    ),
  })
  .map((value) => compact(value) as Crac);

/** Cables of the small world join a port to one fixed other port, so that no port ever holds two. */
export const cable: fc.Arbitrary<Cable> = fc
  .constantFrom(
    { a: { deviceCode: "D1", portName: "eth0" }, b: { deviceCode: "D2", portName: "eth0" } },
    { a: { deviceCode: "D1", portName: "psu1" }, b: { deviceCode: "D2", portName: "CB/1" } },
    { a: { deviceCode: "D3", portName: "eth0" }, b: { deviceCode: "Z9", portName: "eth0" } },
  )
  .chain((ends) => fc.record({ label: fc.constantFrom("one", "two") }).map((rest) => ({ ...ends, ...rest })));

export const fabricLink: fc.Arbitrary<FabricLink> = fc
  .tuple(deviceCode, deviceCode)
  .filter(([a, b]) => a !== b)
  .map(([a, b]) => ({ a: { deviceCode: a, portName: "" }, b: { deviceCode: b, portName: "" }, fabricId: "FAB" }));

export const filter: fc.Arbitrary<DeviceFilter> = fc
  .record({
    query: maybe(fc.constantFrom("d", "_%", "TA", "gÄmma", "nothing", "\n")),
    kinds: maybe(fc.constantFrom(["SERVER" as const], ["SWITCH" as const, "RPP" as const])),
    roles: maybe(fc.constantFrom(["leaf"], ["leaf", "compute"], [])),
    siteIds: maybe(fc.constantFrom(["s1"], ["S1", "S2"])),
    floors: maybe(fc.constantFrom([{ siteId: "S1", floorNumber: 0 }], [{ siteId: "s2", floorNumber: 1 }])),
    rooms: maybe(fc.constantFrom([{ siteId: "S1", floorNumber: 0, name: "dh1" }])),
    rackCodes: maybe(fc.constantFrom(["r1"], ["R1", "R2"])),
    models: maybe(fc.constantFrom(["M1"])),
    codes: maybe(fc.constantFrom(["D1", "d2"])),
    exceptCodes: maybe(fc.constantFrom(["D2", "d1"])),
    tags: maybe(fc.constantFrom(["x"], ["x", "y"])),
    labels: maybe(fc.constantFrom({ k: "1" })),
    racked: maybe(fc.boolean()),
    singleCorded: maybe(fc.boolean()),
    minDrawW: maybe(fc.constant(150)),
    maxDrawW: maybe(fc.constant(150)),
    portType: maybe(fc.constant("lc")),
    hasFreePort: maybe(fc.boolean()),
  })
  .map((value) => compact(value) as DeviceFilter);
