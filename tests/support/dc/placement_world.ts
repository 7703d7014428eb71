import type { PhaseLeg } from "#dc/model/enum_values.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import type { Cable, Crac, Device, Port, Rack } from "#dc/model/resources.ts";
import type { SeededRandom } from "../seeded_random.ts";

const LEGS: readonly PhaseLeg[] = ["A", "B", "C"];
const STATUSES = ["ACTIVE", "ACTIVE", "ACTIVE", "PLANNED", "OFFLINE", "INVENTORY"] as const;
const LOCATION = { siteId: "S", floorNumber: 1, room: "R" };

/** A small site with two supply sides, tight limits everywhere, and whatever makes a place unfit. */
export function placementWorld(random: SeededRandom): Inventory {
  const racks = Array.from({ length: 2 + random.below(3) }, (_, at) => rack(at, random));
  const devices: Device[] = [];
  const cables: Cable[] = [];
  const sides = random.below(8) === 0 ? ["A"] : ["A", "B"];
  for (const side of sides) devices.push(...plant(side, racks.length, random));
  for (const [at, { code }] of racks.entries()) {
    for (const side of ["A", "B"]) if (random.below(12) > 0) devices.push(pdu(at, side, code, { random, sides }));
    for (let left = random.below(4); left > 0; left -= 1) devices.push(server(devices, { at, code }, random));
    for (let left = random.below(3); left > 0; left -= 1)
      devices.push(...leaf(devices.length, code, { random, cables }));
  }
  return { racks, devices: sorted(devices), cracs: units(random), cables, fabricLinks: [] };
}

function rack(at: number, random: SeededRandom): Rack {
  const odd = random.below(10);
  return {
    code: `R${at}`,
    location: { ...LOCATION, row: random.pick(["a", "b"]) },
    uHeight: 4 + random.below(8),
    status: odd === 0 ? "DEPRECATED" : "ACTIVE",
    ...(random.below(3) === 0 && { powerCapacityW: 1000 + 250 * random.below(12) }),
    ...(random.below(3) === 0 && { coolingCapacityW: 1000 + 250 * random.below(12) }),
    ...(random.below(3) === 0 && { maxLoadKg: 60 + random.below(60) }),
    ...(random.below(6) === 0 && { requiredRedundancy: "TWO_N" as const }),
    ...(random.below(6) === 0 && { coolingCapability: "AIR_ONLY" as const }),
    ...(random.below(6) === 0 && { airflow: "REAR_TO_FRONT" as const }),
    ...(random.below(6) === 0 && { tenant: "other" }),
    ...(random.below(4) === 0 && { reservations: [{ units: [1, 2], owner: random.pick(["us", "other"]) }] }),
  };
}

/** What is above the PDUs of one side: a UPS, and a panel with a breaker for every rack. */
function plant(side: string, racks: number, random: SeededRandom): readonly Device[] {
  const breakers = Array.from({ length: racks }, (_, at): Port => {
    const rating = { voltageV: 230, amperageA: 6 + random.below(20), phase: random.pick(["SINGLE", "THREE"] as const) };
    const isRated = random.below(4) > 0;
    return { name: `CB${at}`, kind: "POWER_OUT", powerOut: { feedId: `F${at}${side}`, ...(isRated && rating) } };
  });
  return [
    {
      code: `UPS-${side}`,
      kind: "UPS",
      status: random.below(20) === 0 ? "FAILED" : "ACTIVE",
      location: LOCATION,
      power: { powerPath: side, ...(random.below(3) > 0 && { capacityW: 2000 + 500 * random.below(14) }) },
    },
    {
      code: `RPP-${side}`,
      kind: "RPP",
      status: "ACTIVE",
      location: LOCATION,
      ...(random.below(3) === 0 && { power: { capacityW: 2000 + 500 * random.below(14) } }),
      ports: [{ name: "in", kind: "POWER_IN", powerIn: { sourceRef: `device:UPS-${side}` } }, ...breakers],
    },
  ];
}

function pdu(
  at: number,
  side: string,
  rackCode: string,
  { random, sides }: { readonly random: SeededRandom; readonly sides: readonly string[] },
): Device {
  // A cord in the wrong panel now and then.
  const from = random.below(10) === 0 ? random.pick(sides) : sides.includes(side) ? side : (sides[0] ?? "A");
  const phased = random.below(4) === 0;
  const outlets = Array.from({ length: random.below(2) * (2 + random.below(6)) }, (_, number): Port => {
    const leg = LEGS[number % 3];
    return {
      name: `O${number}`,
      kind: "POWER_OUT",
      type: random.pick(["iec-60320-c13", "iec-60320-c13", "iec-60320-c19"]),
      ...(random.below(8) === 0 && { markConnected: true }),
      powerOut: {
        ...(random.below(2) === 0 && { voltageV: 230, amperageA: 10 }),
        ...(phased && leg !== undefined && { leg }),
        ...(random.below(8) === 0 && { state: "DISABLED" as const }),
      },
    };
  });
  return {
    code: `P${at}${side}`,
    kind: "RACK_PDU",
    status: "ACTIVE",
    rackCode,
    location: LOCATION,
    uHeight: 0,
    ...(random.below(2) === 0 && { power: { capacityW: 1000 + 500 * random.below(8), powerPath: side } }),
    ports: [{ name: "in", kind: "POWER_IN", powerIn: { sourceRef: `feed:F${at}${from}` } }, ...outlets],
  };
}

function server(
  before: readonly Device[],
  { at, code }: { readonly at: number; readonly code: string },
  random: SeededRandom,
): Device {
  const own = before.filter(({ kind, rackCode }) => kind === "RACK_PDU" && rackCode === code);
  const inlets = own.slice(0, 1 + random.below(2)).map(
    ({ code: source, ports = [] }, number): Port => ({
      name: `psu${number}`,
      kind: "POWER_IN",
      ...(random.below(10) === 0 && { enabled: false }),
      powerIn: ports.length > 1 ? {} : { sourceRef: `device:${source}` },
    }),
  );
  const height = 1 + random.below(2);
  const free = 1 + 2 * before.filter(({ kind, rackCode }) => kind === "SERVER" && rackCode === code).length;
  return {
    code: `S${at}-${before.length}`,
    kind: "SERVER",
    status: random.pick(STATUSES),
    rackCode: code,
    location: LOCATION,
    ...(free < 4 && { positionU: free, uHeight: height, face: "FRONT" as const, depth: "FULL" as const }),
    allocatedDrawW: 100 * random.below(8),
    ...(random.below(3) === 0 && { weightKg: random.below(40) }),
    ...(random.below(6) === 0 && { powerFactor: 0.9 }),
    ports: inlets,
  };
}

/** A switch, some of whose ports are taken. */
function leaf(
  number: number,
  rackCode: string,
  { random, cables }: { readonly random: SeededRandom; readonly cables: Cable[] },
): readonly Device[] {
  const code = `L${number}`;
  const ports = Array.from(
    { length: 2 + random.below(5) },
    (_, at): Port => ({
      name: `e${at}`,
      kind: "NETWORK",
      type: "25gbase-x-sfp28",
      speedMbps: random.pick([25_000, 25_000, 10_000]),
      ...(random.below(6) === 0 && { netRole: "UPLINK" as const }),
      ...(random.below(8) === 0 && { markConnected: true }),
    }),
  );
  const [first, last] = [ports[0], ports.at(-1)];
  if (random.below(2) === 0 && first !== undefined && last !== undefined && first !== last) {
    if (first.markConnected !== true && last.markConnected !== true) {
      const end = (portName: string) => ({ deviceCode: code, portName });
      cables.push({ a: end(first.name), b: end(last.name), status: "CONNECTED" });
    }
  }
  return [
    { code, kind: "SWITCH", role: "leaf", status: "ACTIVE", rackCode, location: LOCATION, allocatedDrawW: 50, ports },
  ];
}

/**
 * A site of three or four racks with two clean sides of two UPSes each.
 *
 * @param isCrossed whether the sides of a rack are paired at random, so that each UPS has several others as its pair
 */
export function roomySite(random: SeededRandom, isCrossed: boolean): Inventory {
  const racks = Array.from(
    { length: 3 + random.below(2) },
    (_, at): Rack => ({
      code: `R${at}`,
      location: { ...LOCATION, row: "a" },
      uHeight: 1 + random.below(4),
      ...(random.below(3) === 0 && { powerCapacityW: 400 + 400 * random.below(4) }),
    }),
  );
  const groups = ["A", "B"].flatMap((side) => [`U0${side}`, `U1${side}`]);
  const sources = groups.map(
    (code): Device => ({
      code,
      kind: "UPS",
      status: "ACTIVE",
      location: LOCATION,
      power: { capacityW: 800 + 200 * random.below(12) },
    }),
  );
  const pdus = racks.flatMap(({ code }, at) => {
    const pair = random.below(2);
    return ["A", "B"].map(
      (side): Device => ({
        code: `P${at}${side}`,
        kind: "RACK_PDU",
        status: "ACTIVE",
        rackCode: code,
        location: { ...LOCATION, row: "a" },
        uHeight: 0,
        power: { powerPath: side, ...(random.below(2) === 0 && { capacityW: 800 + 200 * random.below(8) }) },
        ports: [
          {
            name: "in",
            kind: "POWER_IN",
            powerIn: { sourceRef: `device:U${isCrossed ? random.below(2) : pair}${side}` },
          },
        ],
      }),
    );
  });
  return { racks, devices: sorted([...sources, ...pdus]), cracs: [], cables: [], fabricLinks: [] };
}

function units(random: SeededRandom): readonly Crac[] {
  return Array.from(
    { length: random.below(4) },
    (_, at): Crac => ({
      code: `C${at}`,
      kind: "CRAH",
      status: random.pick(["ACTIVE", "ACTIVE", "STANDBY", "FAILED"]),
      location: LOCATION,
      medium: random.below(5) === 0 ? "LIQUID" : "AIR",
      serves: [random.pick(["room:S/1/R", "row:S/1/a", "row:S/1/b"])],
      sensibleCapacityKw: 1 + random.below(6),
    }),
  );
}

function sorted(devices: readonly Device[]): readonly Device[] {
  return devices.toSorted((a, b) => (a.code.toLowerCase() < b.code.toLowerCase() ? -1 : 1));
}
