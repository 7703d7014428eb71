/**
 * `bun tests/bench/dc_floor.ts`: questions about one floor of 500 racks and 24,500 devices over the wire, and about a
 * failure of a UPS behind which there are 10,000 nodes, at once after a change as well. `PLANNER` names the program; build
 * first: `npm run build`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { FLOOR, largeFloor, RACKS, rackCode } from "./large_floor.ts";
import { median } from "./measure.ts";
import { PLANNER, percentile, ServedSite, Wire } from "./wire.ts";

const CALLS = 40;
const WARM_UP = 5;
const SVG = { format: "RENDER_FORMAT_SVG" };

const folder = mkdtempSync(join(process.env["BENCH_TMP"] ?? tmpdir(), "planner-bench-"));
const print = (...cells: readonly string[]) => process.stdout.write(`| ${cells.join(" | ")} |\n`);
const ms = (value: number) => `${value.toFixed(1)} ms`;

const failure = (source_ref: string, call: number, more: object = {}) => ({
  source_ref,
  max_items: 1000 + call,
  render: SVG,
  ...more,
});

/** A question with what is done before each call, untimed. Calls differ, so that kept answers do not count. */
interface Question {
  readonly name: string;
  readonly wantedMs: number;
  readonly rpc: string;
  readonly ask: (call: number) => object;
  readonly before?: (wire: Wire, call: number) => Promise<unknown>;
}

const plan = (call: number) => ({ floor_ref: FLOOR, render: { ...SVG, width_px: 1000 + call } });
const draw = (wire: Wire, call: number) =>
  wire.json("UpsertDevice", {
    device: {
      code: `${rackCode((call * 7) % RACKS)}-S01`,
      kind: "DEVICE_KIND_SERVER",
      allocated_draw_w: 300 + (call % 90),
    },
    update_mask: "allocatedDrawW",
  });

const QUESTIONS: readonly Question[] = [
  { name: "`FloorPlan` of 500 racks, SVG", wantedMs: 150, rpc: "FloorPlan", ask: plan },
  { name: "the same right after a change of a draw", wantedMs: 150, rpc: "FloorPlan", ask: plan, before: draw },
  {
    name: "`PowerBlastRadius` of a UPS, SVG",
    wantedMs: 60,
    rpc: "PowerBlastRadius",
    ask: (call) => failure(`device:UPS-${1 + (call % 2)}${"AB"[(call >> 1) % 2]}`, call),
  },
  {
    name: "the same, cascading",
    wantedMs: 60,
    rpc: "PowerBlastRadius",
    ask: (call) => failure(`device:UPS-${1 + (call % 2)}${"AB"[(call >> 1) % 2]}`, call, { cascade: true }),
  },
  {
    name: "`PowerBlastRadius` of a side's utility, SVG",
    wantedMs: 250,
    rpc: "PowerBlastRadius",
    ask: (call) => failure(`device:UTIL-${"AB"[call % 2]}`, call),
  },
  {
    name: "`PowerBlastRadius` of a rack's feed right after a change of a draw",
    wantedMs: 20,
    rpc: "PowerBlastRadius",
    ask: (call) => failure(`feed:${rackCode((call * 11) % RACKS)}-A`, call),
    before: draw,
  },
];

async function measure(wire: Wire, { name, wantedMs, rpc, ask, before }: Question): Promise<void> {
  const taken: number[] = [];
  for (let call = 0; call < WARM_UP + CALLS; call++) {
    await before?.(wire, call);
    const started = performance.now();
    const { impact } = await wire.json(rpc, ask(call));
    if (call >= WARM_UP) taken.push(performance.now() - started);
    if (call === 0 && impact !== undefined) {
      process.stderr.write(`${name}: ${impact.devices_offline} off, ${impact.devices_degraded} degraded\n`);
    }
  }
  print(name, ms(median(taken)), ms(percentile(taken, 95)), ms(wantedMs));
}

writeFileSync(join(folder, "floor.jsonl"), [...largeFloor()].map((item) => JSON.stringify(item)).join("\n"));
const database = join(folder, "floor.sqlite");
const { status } = spawnSync(PLANNER, ["dc", "import", "floor.jsonl", "--db", database], {
  cwd: folder,
  stdio: "inherit",
});
if (status !== 0) throw new Error(`The import ended with ${status}`);
const site = await ServedSite.start(database, folder);
const wire = new Wire(site.url);
try {
  print("question", "median", "p95", "wanted");
  print("---", "---", "---", "---");
  for (const question of QUESTIONS) await measure(wire, question);
  const load = loadavg().map((one) => one.toFixed(1));
  process.stdout.write(`memory ${site.peakMib().toFixed(0)} MiB at most, load average ${load.join(" ")}\n`);
} finally {
  wire.close();
  await site.end();
  rmSync(folder, { recursive: true, force: true });
}
