/**
 * `bun turns_of_change.ts <first> <all>`: changes the sample site in turn and asks it what an open console asks. Prints what
 * is kept after the first turns and after all of them, at rest, as JSON. In a process of its own, whose heap is the service's.
 */

import { gcAndSweep, heapStats } from "bun:jsc";
import type { JsonObject } from "@bufbuild/protobuf";
import { ams1 } from "./ams1.ts";
import { storeOf } from "./ams1_inventory.ts";
import { testService } from "./service.ts";

const floor = "floor:AMS1/1";
/** One of them in each turn. */
const READS: readonly (readonly [string, JsonObject])[] = [
  ["FloorPlan", { floor_ref: floor }],
  ["GetRack", { code: "A01" }],
  ["ThermalHeadroom", { scope_ref: floor }],
  ["FabricTopology", { fabric_id: "FAB1" }],
  ["GetCapacity", { scope_ref: floor }],
  ["SearchInventory", { query: "pdu" }],
  ["FindPlacement", { count: 1, u_height: 1, draw_w: 300 }],
  ["RehearseFailures", { min_severity: "FAILURE_SEVERITY_HIGH" }],
];

/** The item of a turn. */
const of = <Item>(list: readonly Item[], turn: number): Item => list[turn % list.length] as Item;

const servers = ams1.devices.filter(({ kind }) => kind === "DEVICE_KIND_SERVER");
const drawn = (turn: number) => ({ ...of(servers, turn), allocated_draw_w: 200 + (turn % 97) });
const [cable = {}, link = {}] = [ams1.cables[0], ams1.fabric_links[0]];
const ends = ({ a = {}, b = {} }: JsonObject) => ({ a, b });

/** Changes of every part of the inventory, one in each turn. */
const CHANGES: readonly ((turn: number) => readonly [string, JsonObject])[] = [
  (turn) => ["UpsertDevice", { device: drawn(turn) }],
  () => ["DeleteCable", ends(cable)],
  (turn) => ["UpsertRack", { rack: { ...of(ams1.racks, turn), max_load_kg: 2000 + turn } }],
  () => ["UpsertCable", { cable }],
  (turn) => ["UpsertCrac", { crac: { ...of(ams1.cracs, turn), sensible_capacity_kw: 40 + (turn % 9) } }],
  () => ["DeleteFabricLink", ends(link)],
  (turn) => ["UpsertDevice", { device: { ...of(servers, turn), status: of(STATES, turn) } }],
  (turn) => ["UpsertFabricLink", { fabric_link: { ...link, a_to_b_mbps: turn } }],
];
const STATES = ["DEVICE_STATUS_FAILED", "DEVICE_STATUS_OFFLINE", "DEVICE_STATUS_PLANNED"];

const site = await testService({ store: await storeOf(ams1) });
const ending = new AbortController();
const stream = await site.service.openChangeStream(undefined, { interface: "REST" });

async function take(turn: number): Promise<void> {
  await site.call(...of(CHANGES, turn)(turn));
  await stream.readNext(1, ending.signal);
  await site.call("RehearseFailures", { cascade: true, page_size: 5 });
  await site.call(...of(READS, turn));
  await site.call("PreviewChanges", { changes: [{ device: drawn(turn + 1) }] });
}

/** What is kept once nothing runs. The resident size says less: the engine returns pages as it likes. */
function atRest() {
  gcAndSweep();
  const { objectCount, heapSize, extraMemorySize } = heapStats();
  return { objects: objectCount, bytes: heapSize + extraMemorySize };
}

const [first = 0, all = 0] = process.argv.slice(2).map(Number);
let turn = 0;
while (turn < first) await take(turn++);
const before = atRest();
while (turn < all) await take(turn++);
const after = atRest();
process.stdout.write(JSON.stringify({ before, after }));
process.exit();
