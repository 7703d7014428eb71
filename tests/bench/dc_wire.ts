/**
 * `bun tests/bench/dc_wire.ts [database]`: what questions and writes of a large site take over the wire, one after another
 * from another process, as Connect JSON and as gRPC. The database is a file that `planner dc sample --racks 2000 --db file`
 * has made, of which a copy is served; without one it is made. Questions differ from call to call, so that kept answers do
 * not count. `PLANNER` names the program; build first: `npm run build`.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./measure.ts";
import { power, QUESTIONS, rack } from "./questions.ts";
import { percentile, ServedSite, Wire } from "./wire.ts";

const CALLS = 60;
/** Calls of each question before those that count, unless they take too long: the engine compiles what is often called. */
const WARM_UP = 200;
const WARM_UP_MS = 3000;
/** Behind the calls that count, so that they find no kept answers. */
const WARM_UP_FROM = 600;
const folder = mkdtempSync(join(process.env["BENCH_TMP"] ?? tmpdir(), "planner-bench-"));
const print = (...cells: readonly (string | number)[]) => process.stdout.write(`| ${cells.join(" | ")} |\n`);
const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

async function times(calls: number, once: (call: number) => Promise<unknown>, first = 0): Promise<number[]> {
  const taken: number[] = [];
  for (let call = first; call < first + calls; call++) {
    const started = performance.now();
    await once(call);
    taken.push(performance.now() - started);
  }
  return taken;
}

async function warmUp(once: (call: number) => Promise<unknown>): Promise<void> {
  const until = performance.now() + WARM_UP_MS;
  for (let call = WARM_UP_FROM; call < WARM_UP_FROM + WARM_UP && performance.now() < until; call++) await once(call);
}

async function questions(wire: Wire, site: ServedSite): Promise<void> {
  print(
    "question",
    "wanted p95",
    "JSON median",
    "JSON p95",
    "gRPC median",
    "gRPC p95",
    "own time a call",
    "memory",
    "answer",
  );
  print("---", "---", "---", "---", "---", "---", "---", "---", "---");
  for (const { name, rpc, wantedMs, calls = CALLS, ask, size } of QUESTIONS) {
    const answer = await wire.json(rpc, ask(7000));
    await warmUp((call) => wire.json(rpc, ask(call)));
    const before = site.cpuMs();
    const json = await times(calls, (call) => wire.json(rpc, ask(call)));
    const grpc = await times(calls, (call) => wire.grpc(rpc, ask(call)), calls);
    const own = (site.cpuMs() - before) / (2 * calls);
    print(
      name,
      ms(wantedMs),
      ...[json, grpc].flatMap((one) => [ms(median(one)), ms(percentile(one, 95))]),
      ms(own),
      `${site.memoryMib().toFixed(0)} MiB`,
      size?.(answer) ?? "",
    );
  }
}

/** A read that needs the topology, right after a write that changes it. */
async function followed(wire: Wire): Promise<void> {
  const reads: number[] = [];
  const writes: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const { device } = await wire.json("GetDevice", { code: `LEAF-${rack(call)}-1` });
    const change = {
      device: { code: device.code, kind: device.kind, allocated_draw_w: 250 + (call % 50) },
      update_mask: "allocatedDrawW",
    };
    writes.push(...(await times(1, () => wire.json("UpsertDevice", change))));
    reads.push(...(await times(1, () => wire.json("PowerBlastRadius", power([`feed:AMS1-${rack(call)}-A`], call)))));
  }
  print("UpsertDevice of a switch", "", ms(median(writes)), ms(percentile(writes, 95)), "", "", "", "");
  print(
    "PowerBlastRadius of a rack's feed right after it",
    "20 ms",
    ms(median(reads)),
    ms(percentile(reads, 95)),
    "",
    "",
    "",
  );
}

async function bulk(wire: Wire): Promise<void> {
  const ports = [...Array(20).keys()].map((at) => ({
    name: `eth${at}`,
    kind: "PORT_KIND_NETWORK",
    type: "1000base-t",
    speed_mbps: 1000,
  }));
  const items = (call: number) =>
    [...Array(1000).keys()].map((at) => ({
      code: `BULK-${call}-${at}`,
      kind: "DEVICE_KIND_SERVER",
      mount: "MOUNT_FLOOR",
      location: { site_id: "AMS1", floor_number: 1, room: "STORE" },
      ports,
    }));
  const taken = await times(5, async (call) => {
    const reply = await wire.json("BulkUpsertDevices", { items: items(call) });
    if (reply.succeeded !== 1000) throw new Error(JSON.stringify(reply.results[0]));
  });
  print(
    "BulkUpsertDevices, 1,000 devices of 20 ports",
    "1500 ms",
    ms(median(taken)),
    ms(percentile(taken, 95)),
    "",
    "",
    "",
  );
}

const database = join(folder, "site.sqlite");
const given = process.argv[2];
if (given === undefined) ServedSite.make(database);
else cpSync(given, database);
const site = await ServedSite.start(database, folder);
const wire = new Wire(site.url);
try {
  process.stdout.write(`start-up ${ms(site.startMs)}\n`);
  const [first = 0] = await times(1, () => wire.json("PowerBlastRadius", power(["feed:AMS1-A01-A"], 0)));
  process.stdout.write(`first question about power ${ms(first)}, memory ${site.memoryMib().toFixed(0)} MiB\n`);
  await questions(wire, site);
  await followed(wire);
  await bulk(wire);
  process.stdout.write(`memory ${site.memoryMib().toFixed(0)} MiB now, ${site.peakMib().toFixed(0)} MiB at most\n`);
  const load = loadavg().map((one) => one.toFixed(1));
  process.stdout.write(`load average ${load.join(" ")}\n`);
} finally {
  wire.close();
  await site.end();
  rmSync(folder, { recursive: true, force: true });
}
