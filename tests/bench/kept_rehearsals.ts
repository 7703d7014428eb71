/**
 * Compares a server that keeps a rehearsal current with another program that does not, on copies of one database. Both are
 * asked for a rehearsal first, which makes their memory alike.
 *
 *     planner dc sample --racks 1960 --db big.sqlite
 *     bun tests/bench/kept_rehearsals.ts big.sqlite EXECUTABLE
 *
 * Both get the same writes in turn, row by row: bulk writes of 100 devices, and changes of one device. Then both are asked for
 * a rack and a rehearsal.
 */
import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { median } from "./measure.ts";
import { PLANNER, ServedSite } from "./wire.ts";

const ROUNDS = 4;
const BULK_CALLS = 6;
const SINGLE_CALLS = 25;
/** Longer than a server waits until it does something in the background. */
const REST_MS = 1500;
/** Processor time of a server meanwhile that does nothing but compare the revision. */
const QUIET_MS = 40;

const DATACENTER = "datacenter.v1.DatacenterService";
const REHEARSE = ["datacenter.v1.PlanningService/RehearseFailures", { cascade: true, page_size: 8 }] as const;

async function ask({ url }: ServedSite, method: string, request: object) {
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${url}/${method}`, { method: "POST", headers, body: JSON.stringify(request) });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${method}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Waits until a server does nothing any more. */
async function settled(site: ServedSite): Promise<void> {
  for (let before = -QUIET_MS; site.cpuMs() - before >= QUIET_MS; await pause(REST_MS)) before = site.cpuMs();
}

const [database, other] = process.argv.slice(2);
if (database === undefined || other === undefined) throw new Error("Name a database file and an executable");
const folder = mkdtempSync(join(tmpdir(), "planner-kept-"));
const print = (line: string) => process.stdout.write(`${line}\n`);
const start = async (name: string, program: string) => {
  const copy = join(folder, `${name}.sqlite`);
  copyFileSync(resolve(database), copy);
  const args = ["dc", "serve", "--port", "0", "--db", copy];
  const site = await ServedSite.listening(spawn(program, args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] }));
  const [atStart, readyMs] = [site.cpuMs(), site.startMs];
  await settled(site);
  const warm = site.cpuMs() - atStart;
  print(
    `${name}: ready after ${readyMs.toFixed(0)} ms, then ${warm} ms of processor time, ${site.memoryMib().toFixed(0)} MiB`,
  );
  return site;
};
const keeping = await start("keeping", PLANNER);
const sites = [keeping, await start("plain", resolve(other))];
try {
  const { devices } = await ask(keeping, `${DATACENTER}/SearchDevices`, {
    page_size: 1000,
    filter: { kinds: ["DEVICE_KIND_SERVER"] },
  });
  const codes: readonly string[] = devices.map(({ code }: { code: string }) => code);
  const rack = { code: devices[0].rack_code };
  for (const site of sites) {
    const first = await timed(() => ask(site, `${DATACENTER}/GetRack`, rack));
    const rehearsed = await timed(() => ask(site, ...REHEARSE));
    print(`first GetRack ${first.toFixed(0)} ms, first rehearsal ${rehearsed.toFixed(0)} ms`);
  }
  let draw = 300;
  const changed = (code: string) => ({ code, kind: "DEVICE_KIND_SERVER", allocated_draw_w: draw });
  const bulk = (at: number) => ({
    items: Array.from({ length: 100 }, (_, place) => changed(codes[(at * 100 + place) % codes.length] ?? "")),
    update_mask: "allocatedDrawW",
  });
  const single = (at: number) => ({ device: changed(codes[at % codes.length] ?? ""), update_mask: "allocatedDrawW" });
  const kinds = [
    ["BulkUpsertDevices", BULK_CALLS, bulk],
    ["UpsertDevice", SINGLE_CALLS, single],
  ] as const;
  const times = kinds.map(() => sites.map((): number[] => []));
  const used = kinds.map(() => sites.map(() => 0));
  const found: number[][] = sites.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [kind, [rpc, calls, request]] of kinds.entries()) {
      for (const side of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const site = sites[side] ?? keeping;
        await settled(keeping);
        const before = site.cpuMs();
        for (let call = 0; call < calls; call += 1) {
          draw = draw === 900 ? 300 : draw + 1;
          const message = request(call);
          times[kind]?.[side]?.push(await timed(() => ask(site, `${DATACENTER}/${rpc}`, message)));
        }
        const sum = used[kind];
        if (sum !== undefined) sum[side] = (sum[side] ?? 0) + site.cpuMs() - before;
      }
      await settled(keeping);
      for (const [side, site] of sites.entries()) found[side]?.push(await timed(() => ask(site, ...REHEARSE)));
    }
  }
  for (const [kind, [rpc]] of kinds.entries()) {
    const [kept = 0, plain = 0] = times[kind]?.map(median) ?? [];
    const [keptMs = 0, plainMs = 0] = used[kind] ?? [];
    print(
      `${rpc}: ${kept.toFixed(1)} and ${plain.toFixed(1)} ms, ratio ${(kept / plain).toFixed(3)}; ` +
        `processor ${keptMs} and ${plainMs} ms, ratio ${(keptMs / plainMs).toFixed(3)}`,
    );
  }
  print(`rehearsal after changes: ${found.map((each) => `${median(each).toFixed(0)} ms`).join(" and ")}`);
} finally {
  for (const site of sites) await site.end();
  rmSync(folder, { recursive: true });
}
