import {
  countNodes,
  generateEquipment,
  getManagementSwitchCode,
  getNodeCode,
  getPatchPanelCode,
  getPduCode,
  getUplinkPort,
  listPluggedDevices,
} from "./equipment.ts";
import {
  computeTrunkLengthM,
  createBreaker,
  createFixedInlet,
  formatTwoDigits,
  generateHalls,
  generateRacks,
  getCracCode,
  getFeedId,
  type Hall,
  listNetworkRacks,
  listSpineCodes,
  type PlannedRack,
  type PlannedRow,
  type SampleJson,
  SIDES,
  SITE,
  type Side,
} from "./plan.ts";

/** Range of a link's traffic to the spine in Mbit/s, in halls after the first, and the share of it that returns. */
const MIN_UPLINK_MBPS = 15_000;
const MAX_UPLINK_MBPS = 60_000;
const RETURN_SHARE = 0.8;

/** Returns a link's traffic per direction in Mbit/s: fixed for AMS1, else a pseudo-random number from the name. */
function computeTrafficMbps(hall: number, place: number, name: string): { upMbps: number; downMbps: number } {
  const known = hall === 1 ? AMS1_TRAFFIC_TENTHS[place] : undefined;
  const mbps =
    known === undefined ? MIN_UPLINK_MBPS + computeNameShare(name) * (MAX_UPLINK_MBPS - MIN_UPLINK_MBPS) : known / 10;
  return { upMbps: Math.round(mbps), downMbps: Math.round(mbps * RETURN_SHARE) };
}

/** Returns a number from 0 to 1 for a name: FNV-1a with more mixing of bits, because short names differ in few bits. */
function computeNameShare(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 0xffffffff;
}

const FIBRE_COLOR = "00bcd4";

type CableEnd = readonly [device: string, port: string];

function* generateCableItems(hall: Hall): Generator<SampleJson> {
  for (const rack of listNetworkRacks(hall)) yield* generatePowerCords(rack);
  for (const rack of hall.racks) yield* generateNodeCables(hall, rack);
  yield* generateFibres(hall);
}

function* generatePowerCords(rack: PlannedRack): Generator<SampleJson> {
  for (const [index, device] of listPluggedDevices(rack, "A").entries()) {
    for (const [plug, side] of SIDES.entries()) {
      if (!listPluggedDevices(rack, side).includes(device)) continue;
      const outlet: CableEnd = [getPduCode(rack, side), `OUT${formatTwoDigits(index + 1)}`];
      yield createCableItem(outlet, [device, `psu${plug + 1}`], { type: "POWER", length_m: 1.5, color: "212121" });
    }
  }
}

/** Cables a rack's nodes to its leaves: a server is connected to both, an accelerator with all its ports to one. */
function* generateNodeCables(hall: Hall, rack: PlannedRack): Generator<SampleJson> {
  const [first = "", second = ""] = rack.leaves;
  if (rack.leaves.length === 0) return;
  for (let number = 1; number <= countNodes(hall, rack); number += 1) {
    const node = getNodeCode(rack, number);
    if (rack.role === "gpu") {
      for (const nic of [0, 1, 2, 3]) {
        const port = `Ethernet${(number - 1) * 4 + nic + 1}`;
        yield createCableItem([first, port], [node, `eth${nic}`], { type: "DAC_PASSIVE", length_m: 2.5 });
      }
      continue;
    }
    for (const [nic, leaf] of [first, second].entries()) {
      yield createCableItem([leaf, `Ethernet${number}`], [node, `eth${nic}`], { type: "DAC_PASSIVE", length_m: 2 });
    }
    if (hall.isDense && rack.role === "compute") {
      yield createCableItem([getManagementSwitchCode(rack), `Ethernet${number}`], [node, "bmc"], {
        type: "CAT6",
        length_m: 2,
      });
    }
  }
}

/** One path from a leaf to a spine: leaf, panel in the rack, trunk, panel next to the spine, spine. */
interface Uplink {
  readonly leaf: CableEnd;
  readonly rackPanel: CableEnd;
  readonly spinePanel: CableEnd;
  readonly spine: CableEnd;
  /** Index among the links of the hall, from 0. */
  readonly place: number;
}

/** Cabling from a rack to a network rack: a trunk and its uplinks. */
interface TrunkBundle {
  readonly rack: PlannedRack;
  readonly to: PlannedRack;
  readonly trunk: readonly [CableEnd, CableEnd];
  readonly uplinks: readonly Uplink[];
}

function* generateBundles(hall: Hall): Generator<TrunkBundle> {
  let leavesBefore = 0;
  for (const rack of hall.racks) {
    if (rack.leaves.length === 0) continue;
    for (const [network, to] of listNetworkRacks(hall).entries()) {
      const uplinks = rack.leaves.flatMap((leaf, leafIndex) =>
        listSpineCodes(to).map((spine, spineIndex): Uplink => {
          const fibre = leafIndex * 2 + spineIndex + 1;
          return {
            leaf: [leaf, getUplinkPort(hall, rack, network * 2 + spineIndex)],
            rackPanel: [getPatchPanelCode(rack), `F${network * 4 + fibre}`],
            spinePanel: [getPatchPanelCode(to), `F-${rack.code}-${fibre}`],
            spine: [spine, `Ethernet${leavesBefore + leafIndex + 1}`],
            place: leavesBefore * 4 + network * rack.leaves.length * 2 + fibre - 1,
          };
        }),
      );
      const trunk: [CableEnd, CableEnd] = [
        [getPatchPanelCode(rack), `R${network + 1}`],
        [getPatchPanelCode(to), `R-${rack.code}`],
      ];
      yield { rack, to, trunk, uplinks };
    }
    leavesBefore += rack.leaves.length;
  }
}

function* generateFibres(hall: Hall): Generator<SampleJson> {
  for (const { rack, to, trunk, uplinks } of generateBundles(hall)) {
    const label = `TRK-${rack.code}-${to.code}`;
    yield createCableItem(trunk[0], trunk[1], {
      type: "MMF_OM4",
      length_m: computeTrunkLengthM(rack),
      color: FIBRE_COLOR,
      label,
    });
    for (const { leaf, rackPanel, spinePanel, spine } of uplinks) {
      yield createCableItem(leaf, rackPanel, { type: "MMF_OM4", length_m: 1, color: FIBRE_COLOR });
      yield createCableItem(spinePanel, spine, { type: "MMF_OM4", length_m: 2, color: FIBRE_COLOR });
    }
  }
}

/** Creates a cable whose ends are in the order in which they are stored. */
function createCableItem(
  one: CableEnd,
  other: CableEnd,
  { type, ...more }: SampleJson & { readonly type: string },
): SampleJson {
  const [a, b] = one.join("/") < other.join("/") ? [one, other] : [other, one];
  return {
    a: createPortEndJson(a),
    b: createPortEndJson(b),
    type: `CABLE_TYPE_${type}`,
    status: "CABLE_STATUS_CONNECTED",
    ...more,
  };
}

function* generateFabricLinks(hall: Hall): Generator<SampleJson> {
  for (const { uplinks } of generateBundles(hall)) {
    for (const { leaf, spine, place } of uplinks) {
      const { upMbps, downMbps } = computeTrafficMbps(hall.number, place, `${leaf.join("/")} ${spine[0]}`);
      yield {
        a: createPortEndJson(leaf),
        b: createPortEndJson(spine),
        fabric_id: hall.fabric,
        status: "LINK_STATUS_UP",
        capacity_mbps: 100_000,
        a_to_b_mbps: upMbps,
        b_to_a_mbps: downMbps,
        ecmp_group: leaf[0],
      };
    }
  }
}

function createPortEndJson([device_code, port_name]: CableEnd): SampleJson {
  return { device_code, port_name };
}

/** Measured traffic of AMS1's links in the order of the sample, in tenths of Mbit/s from leaf to spine. */
const AMS1_TRAFFIC_TENTHS = `
  459870 453182 521750 365270 222920 225332 224110 355418
  265650 340250 311790 406010 307930 425610 515060 350610
  371006 190660 222256 597606 469132 549210 375194 469244
  350290 540200 437710 479370 562200 339080 381410 444068
  525240 356340 151160 398320 324110 316682 245070 589310
  223410 466768 240020 471670 462180 510010 205668 405990
  156120 285640 276740 282870 360110 541490 186406 230160
  580580 174900 179070 483350 351182 340590 280960 589144
  560794 278050 533290 412750 183260 353410 481668 250040
  384340 352850 235150 201500 214650 218256 206140 573890
  353240 300910 548760 232960 549340 465360 364820 460668
  257680 507382 183200 275000 462250 346840 565490 256940
  441630 597650 212550 572956 452068 474590 210540 373050
  176420 374360 381500 588370 377950 461994 493206 547800
  423080 332890 336110 502590 444190 513100 571040 414580
  497310 458110 307768 240180 203156 417118 375806 497420
  208732 371168 327420 593740 312218 390640 559218 377860
  320618 471600 336920 584820 334080 488340 162000 514718
  502540 183882 256090 295310 150290 290410 469910 544690
  278840 283090 522618 270720 488960 231010 482760 167190
  575882 405090 563668 363540 209120 292770 538610 224318
  208260 480350 579990 340770 356094 294660 564020 170030
  329918 502780 295518 541740 540180 416300 245380 368306
  422418 156394 439000 375280 391130 289482 533070 293350
  463490 341910 305750 588640 375110 217510 185550 178700
  404610 190610 180170 315760 247750 303568 565350 514920
  346160 557618 361710 551500 506470 497400 179800 320610
  497810 366750 461240 364350 440930 365380 533060 284580
  426832 298570 229432 395750 365544 227810 391540 421650
  361344 155320 457110 253690 463390 384470 369790 584900
  376420 475600 155740 276340 438840 165468 522750 217410
  947944 302690 731600 240950 551010 597110 858532 522044
  596182 300010 169300 332500 538690 560780 586718 343356
  432550 378900 585890 201144 170600 554030 533468 293232
`
  .trim()
  .split(/\s+/)
  .map(Number);

// Power equipment of each side: utility and generator, transfer switch, switchgear, two UPSes, a panel for each row.
// Each row has two cooling units.

const CRACS_PER_ROW = 2;
const RACK_BREAKER_A = 32;
const GPU_RACK_BREAKER_A = 63;
const CRAC_BREAKER_A = 16;

function* generatePowerEquipment(hall: Hall): Generator<SampleJson> {
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

function* generateCracs(hall: Hall): Generator<SampleJson> {
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
