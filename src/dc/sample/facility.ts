import { generateCableItems, generateFabricLinks } from "./cabling.ts";
import { generateEquipment } from "./equipment.ts";
import {
  formatTwoDigits,
  generateHalls,
  generateRacks,
  getCracCode,
  getFeedId,
  type Hall,
  type PlannedRow,
  SIDES,
  SITE,
  type Side,
} from "./plan.ts";
import { createBreaker, createFixedInlet, type SampleJson } from "./ports.ts";

// Power equipment of each side: utility and generator, transfer switch, switchgear, two UPSes, a panel for each row.
// Each row has two cooling units.

const CRACS_PER_ROW = 2;
const RACK_BREAKER_A = 32;
const GPU_RACK_BREAKER_A = 63;
const CRAC_BREAKER_A = 16;

export function* generatePowerEquipment(hall: Hall): Generator<SampleJson> {
  for (const side of SIDES) {
    yield* generateSidePlant(hall, side);
    for (const row of hall.rows) yield createRowPanel(hall, side, row);
  }
}

function* generateSidePlant(hall: Hall, side: Side): Generator<SampleJson> {
  const name = (kind: string) => `${kind}-${hall.prefix}${side}`;
  const createFloorDevice = (code: string, kind: string, place: number) => ({
    code,
    kind: `DEVICE_KIND_${kind}`,
    mount: "MOUNT_FLOOR",
    location: { site_id: SITE, floor_number: hall.floor, room: `ELEC-${hall.prefix}${side}` },
    placement: {
      x_mm: hall.xMm + 600 + place * 1400,
      y_mm: side === "A" ? 600 : 14_000,
      width_mm: 1200,
      depth_mm: 1000,
      rotation_deg: 0,
    },
  });
  yield { ...createFloorDevice(name("UTIL"), "UTILITY", 0), ports: [] };
  yield { ...createFloorDevice(name("GEN"), "GENERATOR", 1), power: { capacity_w: 1_500_000 }, ports: [] };
  yield {
    ...createFloorDevice(name("ATS"), "TRANSFER_SWITCH", 2),
    ports: [
      createFixedInlet("source1", `device:${name("UTIL")}`),
      createFixedInlet("source2", `device:${name("GEN")}`),
    ],
  };
  yield {
    ...createFloorDevice(name("SWGR"), "SWITCHGEAR", 3),
    power: { capacity_w: 1_000_000, power_path: side },
    ports: [createFixedInlet("main", `device:${name("ATS")}`)],
  };
  for (const number of [1, 2]) {
    yield {
      ...createFloorDevice(`${name("UPS")}${number}`, "UPS", 3 + number),
      power: { capacity_w: 400_000, power_path: side, runtime_s: 600 },
      ports: [createFixedInlet("input", `device:${name("SWGR")}`)],
    };
  }
}

/** Creates the panel of a row. The first UPS supplies rows A and B, the second C and D. */
function createRowPanel(hall: Hall, side: Side, row: PlannedRow): SampleJson {
  const ups = `UPS-${hall.prefix}${side}${"AB".includes(row.letter) ? 1 : 2}`;
  const racks = hall.racks.filter((rack) => rack.row === row);
  const fed = [
    ...racks.map(({ code, role }) => ({ code, amperageA: role === "gpu" ? GPU_RACK_BREAKER_A : RACK_BREAKER_A })),
    ...listCracCodes(hall, row).map((code) => ({ code, amperageA: CRAC_BREAKER_A })),
  ];
  return {
    code: `RPP-${hall.prefix}${side}-${row.letter}`,
    kind: "DEVICE_KIND_RPP",
    mount: "MOUNT_FLOOR",
    location: { site_id: SITE, floor_number: hall.floor, room: hall.room, row: row.name },
    placement: {
      x_mm: hall.xMm + (side === "A" ? 600 : 10_200),
      y_mm: row.yMm + 200,
      width_mm: 600,
      depth_mm: 600,
      rotation_deg: 0,
    },
    power: { capacity_w: 218_200, power_path: side },
    ports: [
      createFixedInlet("main", `device:${ups}`),
      ...fed.map(({ code, amperageA }, index) =>
        createBreaker(`CB${formatTwoDigits(index + 1)}`, getFeedId(code, side), amperageA),
      ),
    ],
  };
}

function listCracCodes(hall: Hall, row: PlannedRow): readonly string[] {
  return [...Array(CRACS_PER_ROW).keys()].map((index) => getCracCode(hall, row, index + 1));
}

export function* generateCracs(hall: Hall): Generator<SampleJson> {
  for (const row of hall.rows) {
    for (const [index, code] of listCracCodes(hall, row).entries()) {
      yield {
        code,
        name: code.replace("CRAH-", "CRAH "),
        kind: "CRAC_KIND_CRAH",
        status: "CRAC_STATUS_ACTIVE",
        location: { site_id: SITE, floor_number: hall.floor, room: hall.room, row: row.name, zone_id: row.zone },
        placement: {
          x_mm: hall.xMm + (index === 0 ? 1300 : 9400),
          y_mm: row.yMm,
          width_mm: 750,
          depth_mm: 1200,
          rotation_deg: index === 0 ? 90 : 270,
        },
        serves: [`row:${SITE}/${hall.floor}/${row.name}`],
        sensible_capacity_kw: 60,
        derate_pct: 90,
        supply_temp_c: 20,
        return_temp_c: 32,
        medium: "COOLING_MEDIUM_AIR",
        allocated_draw_w: 6000,
        power_inputs: SIDES.map((side) => ({ source_ref: `feed:${getFeedId(code, side)}` })),
      };
    }
  }
}

/** Number of racks of the default sample. Source: docs/decisions.md#d-12. */
export const SAMPLE_RACKS = 40;
/** Maximum number of racks of a sample. Our choice: half a million devices, more than one server is designed for. */
export const MAX_SAMPLE_RACKS = 10_000;

/** One resource of the sample: its kind, and the resource as its upsert request takes it. */
export interface SampleItem {
  readonly kind: "rack" | "device" | "crac" | "cable" | "fabric_link";
  readonly item: SampleJson;
}

const ITEM_GENERATORS: readonly (readonly [SampleItem["kind"], (hall: Hall) => Iterable<SampleJson>])[] = [
  ["rack", generateRacks],
  ["device", generateDevices],
  ["crac", generateCracs],
  ["cable", generateCableItems],
  ["fabric_link", generateFabricLinks],
];

function* generateDevices(hall: Hall): Generator<SampleJson> {
  yield* generatePowerEquipment(hall);
  yield* generateEquipment(hall);
}

/**
 * Generates the sample site. With 40 racks it is AMS1 (808 devices, 8 cooling units, 1,822 cables, 272 fabric links).
 * More racks add denser halls of the same kind: 2,000 racks hold 101,552 devices. The result depends only on the number
 * of racks, and each item refers only to earlier ones. Cost: the memory of one hall, for any size.
 */
export function* generateSample(racks = SAMPLE_RACKS): Generator<SampleItem> {
  for (const [kind, generateItems] of ITEM_GENERATORS) {
    for (const hall of generateHalls(racks)) {
      for (const item of generateItems(hall)) yield { kind, item };
    }
  }
}
