/**
 * `bun tests/bench/dc_soak.ts <database> [minutes]`: ten minutes of mixed load on a copy of a large site
 * (`planner dc sample --racks 2000 --db file`): eight callers over HTTP/1.1 and HTTP/2 ask every question, change draws,
 * put devices in and take them out again. Prints the server's memory by the minute and what each call took; ends with 1
 * when a call fails. `PLANNER` names the program; build first: `npm run build`.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./measure.ts";
import { QUESTIONS, rack } from "./questions.ts";
import { percentile, ServedSite, Wire } from "./wire.ts";

const CALLERS = 8;
const BATCH = 100;

const [given, minutes = "10"] = process.argv.slice(2);
if (given === undefined) throw new Error("expected a database: bun tests/bench/dc_soak.ts <database> [minutes]");
const until = performance.now() + Number(minutes) * 60_000;
const taken = new Map<string, number[]>();
const failures: string[] = [];

async function timed(name: string, call: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  try {
    await call();
  } catch (error) {
    failures.push(`${name}: ${(error as Error).message}`);
  }
  const times = taken.get(name);
  if (times === undefined) taken.set(name, [performance.now() - started]);
  else times.push(performance.now() - started);
}

/** One caller: ten questions, then one change, until the time is up. */
async function caller(url: string, number: number): Promise<void> {
  const wire = new Wire(url);
  for (let round = 0; performance.now() < until; round++) {
    // Questions know some thousands of different calls.
    const call = (number * 877 + round) % 7000;
    const { name, rpc, ask } = QUESTIONS[call % QUESTIONS.length] as (typeof QUESTIONS)[number];
    if (round % 2 === 0) await timed(name, () => wire.json(rpc, ask(call)));
    else await timed(name, () => wire.grpc(rpc, ask(call)));
    if (round % 10 === 9) await change(wire, number, round, call);
  }
  wire.close();
}

async function change(wire: Wire, number: number, round: number, call: number): Promise<void> {
  const leaf = { code: `LEAF-${rack(call)}-1`, kind: "DEVICE_KIND_SWITCH", allocated_draw_w: 250 + (round % 50) };
  await timed("UpsertDevice", () => wire.json("UpsertDevice", { device: leaf, update_mask: "allocatedDrawW" }));
  if (round % 100 !== 99) return;
  const codes = [...Array(BATCH).keys()].map((at) => `SOAK-${number}-${at}`);
  const location = { site_id: "AMS1", floor_number: 1, room: "STORE" };
  const items = codes.map((code) => ({ code, kind: "DEVICE_KIND_SERVER", mount: "MOUNT_FLOOR", location }));
  await timed("BulkUpsertDevices, 100", () => wire.json("BulkUpsertDevices", { items }));
  await timed("BulkDeleteDevices, 100", () => wire.json("BulkDeleteDevices", { codes }));
}

const print = (...cells: readonly (string | number)[]) => process.stdout.write(`| ${cells.join(" | ")} |\n`);
const folder = mkdtempSync(join(process.env["BENCH_TMP"] ?? tmpdir(), "planner-bench-"));
const database = join(folder, "site.sqlite");
cpSync(given, database);
const site = await ServedSite.start(database, folder);
print("minute", "memory, MiB", "calls");
print("---", "---", "---");
let minute = 0;
const report = () => {
  const calls = taken.values().reduce((sum, times) => sum + times.length, 0);
  print(minute++, site.memoryMib().toFixed(0), calls);
};
report();
const ticking = setInterval(report, 60_000);
try {
  await Promise.all([...Array(CALLERS).keys()].map((number) => caller(site.url, number)));
  clearInterval(ticking);
  process.stdout.write(`at most ${site.peakMib().toFixed(0)} MiB\n`);
  print("call", "times", "median, ms", "p95, ms", "longest, ms");
  print("---", "---", "---", "---", "---");
  for (const [name, times] of taken)
    print(name, times.length, ...[median(times), percentile(times, 95), Math.max(...times)].map((ms) => ms.toFixed(1)));
  const load = loadavg().map((one) => one.toFixed(1));
  process.stdout.write(`load average ${load.join(" ")}\n${failures.length} calls failed\n`);
  for (const failure of failures.slice(0, 5)) process.stdout.write(`${failure}\n`);
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  clearInterval(ticking);
  await site.end();
  rmSync(folder, { recursive: true, force: true });
}
