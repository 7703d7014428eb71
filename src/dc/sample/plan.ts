// Locations and names of the sample site, which consists of halls of forty racks.
// The first hall is AMS1. Further halls are denser, and each floor has four of them.

export const SITE = "AMS1";
const HALL_RACKS = 40;
const HALLS_PER_FLOOR = 4;
const RACKS_PER_ROW = 10;
const HALL_WIDTH_MM = 12_000;
const RACK_PITCH_MM = 700;
const ROW_PITCH_MM = 2600;
const FIRST_RACK = { xMm: 2400, yMm: 2400 };
/** Indexes of the racks that contain the spines of a hall; an incomplete hall has these racks first. */
const NETWORK_RACK_INDEXES = [38, 39];

export const SIDES = ["A", "B"] as const;
export type Side = (typeof SIDES)[number];

type RackRole = "compute" | "storage" | "gpu" | "network";

export interface PlannedRack {
  readonly code: string;
  readonly role: RackRole;
  readonly row: PlannedRow;
  /** Index in the hall, 0 to 39. */
  readonly place: number;
  /** Number in the row, from 1. */
  readonly position: number;
  readonly leaves: readonly string[];
}

export interface PlannedRow {
  readonly letter: string;
  /** Name of the row on its floor. */
  readonly name: string;
  readonly zone: string;
  /** Distance of the row's north edge from the hall's north edge, in millimetres. */
  readonly yMm: number;
  readonly facesSouth: boolean;
}

export interface Hall {
  /** Number of the hall, from 1. */
  readonly number: number;
  readonly floor: number;
  readonly room: string;
  readonly fabric: string;
  /** Distance of the hall from the west edge of the floor, in millimetres. */
  readonly xMm: number;
  /** Whether each unit has two half-width servers, instead of one server as in the first hall. */
  readonly isDense: boolean;
  readonly racks: readonly PlannedRack[];
  readonly rows: readonly PlannedRow[];
  /** Prefix of the hall's codes, empty for the first hall. */
  readonly prefix: string;
}

/** Generates the halls of a site lazily: a plan of any size needs the memory of one hall. */
export function* generateHalls(racks: number): Generator<Hall> {
  for (let number = 1; (number - 1) * HALL_RACKS < racks; number += 1) {
    yield createHall(number, Math.min(HALL_RACKS, racks - (number - 1) * HALL_RACKS));
  }
}

function createHall(number: number, racks: number): Hall {
  const prefix = number === 1 ? "" : `H${String(number).padStart(2, "0")}-`;
  const rows = ["A", "B", "C", "D"].map(
    (letter, index): PlannedRow => ({
      letter,
      name: `${prefix}${letter}`,
      zone: `Z-${prefix}${letter}`,
      yMm: FIRST_RACK.yMm + index * ROW_PITCH_MM,
      facesSouth: index % 2 === 1,
    }),
  );
  const planned = listRackIndexes(racks).map((place) => createPlannedRack(place, rows, prefix));
  return {
    number,
    floor: Math.floor((number - 1) / HALLS_PER_FLOOR) + 1,
    room: `DH${number}`,
    fabric: `FAB${number}`,
    xMm: ((number - 1) % HALLS_PER_FLOOR) * HALL_WIDTH_MM,
    isDense: number > 1,
    racks: planned,
    rows: rows.filter((row) => planned.some((rack) => rack.row === row)),
    prefix,
  };
}

function listRackIndexes(racks: number): readonly number[] {
  const others = [...Array(HALL_RACKS).keys()].filter((place) => !NETWORK_RACK_INDEXES.includes(place));
  return [...NETWORK_RACK_INDEXES, ...others].slice(0, racks).toSorted((a, b) => a - b);
}

function createPlannedRack(place: number, rows: readonly PlannedRow[], prefix: string): PlannedRack {
  const row = rows[Math.floor(place / RACKS_PER_ROW)];
  if (row === undefined) throw new RangeError(`no row holds place ${place}`);
  const position = (place % RACKS_PER_ROW) + 1;
  const code = `${prefix}${row.letter}${String(position).padStart(2, "0")}`;
  const role = getRackRole(row.letter, position);
  const leaves = [...Array(LEAVES_BY_ROLE[role]).keys()].map((index) => `LEAF-${code}-${index + 1}`);
  return { code, role, row, place, position, leaves };
}

const LEAVES_BY_ROLE: Readonly<Record<RackRole, number>> = { compute: 2, storage: 2, gpu: 1, network: 0 };

function getRackRole(letter: string, position: number): RackRole {
  const last = position > 8;
  if (letter === "D") return last ? "network" : "gpu";
  return last ? "storage" : "compute";
}

function getRackXMm({ position }: PlannedRack): number {
  return FIRST_RACK.xMm + (position - 1) * RACK_PITCH_MM;
}

/** Returns the length of a trunk from a rack to the end of the hall along the trays, in metres. */
export function computeTrunkLengthM({ place, position }: PlannedRack): number {
  const rowsBetween = 3 - Math.floor(place / RACKS_PER_ROW);
  const mm = 6000 + (RACKS_PER_ROW - position) * RACK_PITCH_MM + rowsBetween * ROW_PITCH_MM;
  return mm / 1000;
}

export function listNetworkRacks({ racks }: Hall): readonly PlannedRack[] {
  return racks.filter(({ role }) => role === "network");
}

/** Returns the id of the feed from a breaker to a rack or a cooling unit. */
export function getFeedId(consumer: string, side: Side): string {
  return `${SITE}-${consumer}-${side}`;
}

export function getCracCode({ prefix }: Hall, row: PlannedRow, number: number): string {
  return `CRAH-${prefix}${row.letter}${number}`;
}

export function listSpineCodes({ code }: PlannedRack): readonly string[] {
  return [`SPINE-${code}-1`, `SPINE-${code}-2`];
}

export function formatTwoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

/** Returns a rack's supply capacity on one side in watts: 32 A or, for accelerators, 63 A at 400 V in three phases. */
export function getSupplyCapacityW({ role }: PlannedRack): number {
  return role === "gpu" ? 43_600 : 22_170;
}

export function* generateRacks(hall: Hall): Generator<SampleJson> {
  for (const rack of hall.racks) yield createRackItem(hall, rack);
}

function createRackItem(hall: Hall, rack: PlannedRack): SampleJson {
  const { code, role, row, position } = rack;
  const gpu = role === "gpu";
  return {
    code,
    name: `Rack ${code}`,
    location: { site_id: SITE, floor_number: hall.floor, room: hall.room, row: row.name, zone_id: row.zone },
    position_in_row: position,
    status: "RACK_STATUS_ACTIVE",
    role,
    form_factor: "FORM_FACTOR_FOUR_POST_CABINET",
    rail_width_in: 19,
    u_height: 42,
    mounting_depth_mm: 1000,
    outer_height_mm: 2000,
    placement: {
      x_mm: hall.xMm + getRackXMm(rack),
      y_mm: row.yMm,
      width_mm: 600,
      depth_mm: 1200,
      rotation_deg: row.facesSouth ? 180 : 0,
    },
    max_load_kg: 1360,
    power_capacity_w: getSupplyCapacityW(rack),
    cooling_capacity_w: gpu ? 30_000 : 15_000,
    cooling_capability: gpu ? "COOLING_CAPABILITY_HYBRID" : "COOLING_CAPABILITY_AIR_ONLY",
    airflow: "AIRFLOW_FRONT_TO_REAR",
    required_redundancy: "REDUNDANCY_TWO_N",
  };
}

/** A resource in proto JSON with the field names of the proto, as upsert requests contain it. */
export type SampleJson = Readonly<Record<string, unknown>>;

const SPEED_MBPS_BY_TYPE: Readonly<Record<string, number>> = {
  "1000base-t": 1000,
  "25gbase-x-sfp28": 25_000,
  "100gbase-x-qsfp28": 100_000,
};

/** Creates an inlet with the type of a server's plug. Without a source, a cable connects it to its outlet. */
export function createInlet(name: string, sourceRef?: string): SampleJson {
  return {
    ...createInletFields(name, "iec-60320-c14"),
    power_in: sourceRef === undefined ? {} : { source_ref: sourceRef },
  };
}

/** Creates an inlet with a fixed supply. */
export function createFixedInlet(name: string, sourceRef: string, type = "hardwired"): SampleJson {
  return { ...createInletFields(name, type), power_in: { source_ref: sourceRef } };
}

function createInletFields(name: string, type: string): SampleJson {
  return { name, kind: "PORT_KIND_POWER_IN", type };
}

export function createOutlet(name: string): SampleJson {
  return { name, kind: "PORT_KIND_POWER_OUT", type: "iec-60320-c13", power_out: {} };
}

/** Creates a breaker of a distribution panel: three phases at 400 V. */
export function createBreaker(name: string, feedId: string, amperageA: number): SampleJson {
  return {
    name,
    kind: "PORT_KIND_POWER_OUT",
    type: "hardwired",
    power_out: { feed_id: feedId, supply: "SUPPLY_AC", phase: "PHASE_THREE", voltage_v: 400, amperage_a: amperageA },
  };
}

export function createNetworkPort(
  name: string,
  type: keyof typeof SPEED_MBPS_BY_TYPE & string,
  more: SampleJson = {},
): SampleJson {
  return { name, kind: "PORT_KIND_NETWORK", type, speed_mbps: SPEED_MBPS_BY_TYPE[type], ...more };
}

/** Creates the ports of a fibre cassette: one rear connector, and the front ports that it splits into. */
export function createCassette(rear: string, fronts: readonly string[]): readonly SampleJson[] {
  return [
    { name: rear, kind: "PORT_KIND_REAR", type: "mpo", positions: 4 },
    ...fronts.map((name, index) => ({
      name,
      kind: "PORT_KIND_FRONT",
      type: "lc",
      mappings: [{ front_position: 1, rear_port: rear, rear_position: index + 1 }],
    })),
  ];
}
