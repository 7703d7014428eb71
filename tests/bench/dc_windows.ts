/**
 * Times the judgement of maintenance windows on a copy of a database: CheckWindow of elements of several kinds, and a list of
 * stored windows after changes.
 *
 *     planner dc sample --racks 1960 --db big.sqlite
 *     bun tests/bench/dc_windows.ts big.sqlite [windows]
 *
 * Prints processor time of this process, which says more on a busy machine than wall-clock time does.
 */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { allRpcs } from "#dc/operations/index.ts";
import { usedMs } from "./measure.ts";
import { givenDatabase, openSite } from "./opened_site.ts";

const ROUNDS = 5;
const CHECKS = 40;
const HOUR = 3_600_000;
const print = (line: string) => process.stdout.write(`${line}\n`);

const [, , , count = "200"] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "planner-windows-"));
copyFileSync(givenDatabase("dc_windows.ts <database file> [windows]"), join(folder, "copy.sqlite"));
const { store, service } = await openSite(join(folder, "copy.sqlite"));
const { devices } = await store.read((reader) => reader.powerInventory());
print(`${devices.length} devices`);
const begin = Date.now() + HOUR;
const at = (hours: number) => new Date(begin + hours * HOUR).toISOString();

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
async function call(name: string, request: JsonObject): Promise<any> {
  const rpc = allRpcs.find(({ method }) => method.name === name);
  if (rpc === undefined) throw new Error(`There is no RPC "${name}"`);
  const principal = { name: "bench", roles: ["writer"], authMethod: "token" } as const;
  return service.call(rpc, fromJson(rpc.method.input, request), { interface: "REST", principal });
}

/** Median, 95 % and the most, in milliseconds of processor time. */
function told(name: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const part = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1);
  print(`${name}: median ${part(0.5)} ms, p95 ${part(0.95)} ms, most ${part(1)} ms of ${times.length}`);
}

const ofKind = (kind: string) => devices.filter((device) => device.kind === kind).map(({ code }) => `device:${code}`);
const spread = (refs: readonly string[]) =>
  Array.from({ length: CHECKS }, (_, one) => refs[Math.floor((one * refs.length) / CHECKS)] ?? "");
const check = (ref: string) =>
  call("CheckWindow", { element_refs: [ref], starts_at: at(1), ends_at: at(3), ignore_stored: true });

async function checkAll(kind: string, refs: readonly string[]): Promise<void> {
  const times: number[] = [];
  for (const ref of [...new Set(spread(refs))]) times.push(await usedMs(() => check(ref)));
  told(`CheckWindow of a ${kind}`, times);
}

await service.warmUp(new AbortController().signal);
print(`the first CheckWindow, of a utility: ${Math.round(await usedMs(() => check(ofKind("UTILITY")[0] ?? "")))} ms`);
await call("RehearseFailures", { cascade: true });
for (const kind of ["SERVER", "RACK_PDU", "BRANCH_PANEL", "UPS", "UTILITY", "SWITCH"])
  if (ofKind(kind).length > 0) await checkAll(kind, ofKind(kind));
print(`memory after these: ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`);

// Each of another element, as far as there are PDUs and servers.
const taken = [...ofKind("RACK_PDU"), ...ofKind("SERVER")];
for (let one = 0; one < Number(count); one += 1) {
  const code = `W${one}`;
  const refs = [taken[one % taken.length] ?? ""];
  const from = 4 * one;
  await call("UpsertWindow", {
    window: { code, starts_at: at(from), ends_at: at(from + 2), element_refs: refs },
    update_mask: "*",
  });
}
const server = devices.find(({ kind }) => kind === "SERVER")?.code ?? "";
const list = () => call("ListWindows", { page_size: 1000 });
print(`the first list of ${count} windows: ${Math.round(await usedMs(list))} ms`);
const changes: Readonly<Record<string, (round: number) => Promise<unknown>>> = {
  "the draw of a server": (round) =>
    call("UpsertDevice", { device: { code: server, allocated_draw_w: 300 + round }, update_mask: "allocatedDrawW" }),
  "a window": (round) =>
    call("UpsertWindow", { window: { code: "W1", title: `round ${round}` }, update_mask: "title" }),
};
for (const [name, change] of Object.entries(changes)) {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await change(round);
    times.push(await usedMs(list));
  }
  told(`a list of ${count} windows after a change of ${name}`, times);
}
await store.close();
rmSync(folder, { recursive: true });
