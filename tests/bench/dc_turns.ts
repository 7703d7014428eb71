/**
 * `bun tests/bench/dc_turns.ts <database> [minutes]`: what a server keeps while one caller changes and rehearses, a second one
 * asks, and a third one follows the changes, on a copy of a site (`planner dc sample --racks 40 --db file`). Prints the server's
 * memory by the minute and after a rest. `PLANNER` names the program; build first: `npm run build`.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ServedSite } from "./wire.ts";

const REST_MS = 60_000;
const DATACENTER = "datacenter.v1.DatacenterService";
const PLANNING = "datacenter.v1.PlanningService";

const [given, minutes = "10"] = process.argv.slice(2);
if (given === undefined) throw new Error("expected a database: bun tests/bench/dc_turns.ts <database> [minutes]");
const folder = mkdtempSync(join(process.env["BENCH_TMP"] ?? tmpdir(), "planner-bench-"));
const database = join(folder, "site.sqlite");
cpSync(given, database);
const site = await ServedSite.start(database, folder);
const print = (line: string) => process.stdout.write(`${line}\n`);

async function ask(method: string, message: object) {
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${site.url}/${method}`, { method: "POST", headers, body: JSON.stringify(message) });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${method}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

const kinds = ["DEVICE_KIND_SERVER"];
const { devices } = await ask(`${DATACENTER}/SearchDevices`, { page_size: 1000, filter: { kinds } });
const until = performance.now() + Number(minutes) * 60_000;
let [turns, reads, events] = [0, 0, 0];

async function change(): Promise<void> {
  for (; performance.now() < until; turns++) {
    const { code } = devices[(turns * 37) % devices.length];
    const device = { code, kind: kinds[0], allocated_draw_w: 100 + (turns % 97) };
    await ask(`${DATACENTER}/UpsertDevice`, { device, update_mask: "allocatedDrawW" });
    await ask(`${PLANNING}/RehearseFailures`, { cascade: true, page_size: 8 });
    await ask(`${PLANNING}/PreviewChanges`, { changes: [{ delete_ref: `device:${code}` }] });
  }
}

async function read(): Promise<void> {
  for (; performance.now() < until; reads++) {
    const { code, rack_code } = devices[(reads * 13) % devices.length];
    const render = { format: "RENDER_FORMAT_SVG", width_px: 1000 + (reads % 500) };
    await ask(`${DATACENTER}/GetDevice`, { code });
    await ask(`${DATACENTER}/GetRack`, { code: rack_code, render });
    await ask(`${DATACENTER}/PowerBlastRadius`, { source_ref: `device:${code}`, render });
    await ask(`${DATACENTER}/FloorPlan`, { floor_ref: "floor:AMS1/1", render });
  }
}

async function follow(ended: AbortSignal): Promise<void> {
  const { body } = await fetch(`${site.url}/changes/stream`, { signal: ended });
  if (body === null) throw new Error("The stream of changes has no body");
  for await (const _ of body) events++;
}

const minute = () =>
  print(`${turns} changes, ${reads} rounds of reads, ${events} events: ${site.memoryMib().toFixed(0)} MiB`);
const ticking = setInterval(minute, 60_000);
const ended = new AbortController();
try {
  const following = follow(ended.signal).catch((error) => {
    if (!ended.signal.aborted) throw error;
  });
  await Promise.all([change(), read()]);
  minute();
  ended.abort();
  await following;
  await pause(REST_MS);
  print(`after a rest ${site.memoryMib().toFixed(0)} MiB, at most ${site.peakMib().toFixed(0)} MiB`);
  print(
    `load average ${loadavg()
      .map((one) => one.toFixed(1))
      .join(" ")}`,
  );
} finally {
  clearInterval(ticking);
  await site.end();
  rmSync(folder, { recursive: true });
}
