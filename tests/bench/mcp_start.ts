/**
 * `bun tests/bench/mcp_start.ts`: what the MCP server's own path costs, without the specs: start against an empty
 * compiled binary in the same run, memory while idle, round trips and pipelined requests. Build first: `npm run build`.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { floorBinary, McpSession, median, timeCommand } from "./measure.ts";
import { benchProject } from "./project.ts";

const MCP = [join(import.meta.dirname, "..", "..", "dist", "planner"), "mcp"];
const STARTS = 41;
const ROUND_TRIPS = 5000;
const PIPELINED = 100_000;

const root = benchProject(100);
const id = "2026-01-01-001-000";

/** Milliseconds from spawn until the last of the requests, sent at once, is answered. */
async function timeFirst(...requests: readonly (readonly [string, unknown])[]): Promise<number> {
  const started = performance.now();
  const session = new McpSession(MCP, root);
  await Promise.all(requests.map(([method, params]) => session.request(method, params)));
  const time = performance.now() - started;
  await session.end();
  return time;
}

async function starts(): Promise<void> {
  const empty = floorBinary("empty", "export {};\n");
  const initialize = ["initialize", { protocolVersion: "2024-11-05", capabilities: {} }] as const;
  const kinds = [
    ["empty compiled binary, spawn to exit", async () => timeCommand([empty], root)],
    ["spawn to the answer of initialize", () => timeFirst(initialize)],
    ["spawn to the answer of tools/list", () => timeFirst(initialize, ["tools/list", {}])],
    [
      "spawn to the answer of planner_spec_get",
      () => timeFirst(initialize, ["tools/call", { name: "planner_spec_get", arguments: { id } }]),
    ],
  ] as const;
  const times = kinds.map((): number[] => []);
  // In turn, so that a change of the machine's speed meets all alike.
  for (let run = 0; run < STARTS; run += 1) {
    for (const [index, [, measure]] of kinds.entries()) times[index]?.push(await measure());
  }
  const floor = median(times[0] ?? []);
  for (const [index, [name]] of kinds.entries()) {
    const time = median(times[index] ?? []);
    row(name, `${time.toFixed(1)} ms`, `${(time / floor).toFixed(2)}x`);
  }
}

async function rates(): Promise<void> {
  const session = new McpSession(MCP, root);
  await session.request("initialize", {});
  await new Promise((resolve) => setTimeout(resolve, 1000));
  row("idle memory, tools loaded", `${session.memoryMib().toFixed(0)} MiB`, "");
  const call = { name: "planner_spec_get", arguments: { id } };
  for (const [name, method, params] of [
    ["ping", "ping", {}],
    ["planner_spec_get", "tools/call", call],
  ] as const) {
    const trips = await timed(async () => {
      for (let count = 0; count < ROUND_TRIPS; count += 1) await session.request(method, params);
    });
    row(`${name}, one at a time`, `${perSecond(ROUND_TRIPS, trips)} round trips/s`, "");
    const count = method === "ping" ? PIPELINED : PIPELINED / 10;
    const pipelined = await timed(async () => {
      await Promise.all(Array.from({ length: count }, () => session.request(method, params)));
    });
    row(`${name}, ${count} pipelined`, `${perSecond(count, pipelined)} requests/s`, "");
  }
  row("memory afterwards", `${session.memoryMib().toFixed(0)} MiB`, "");
  await session.end();
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function perSecond(count: number, milliseconds: number): string {
  return Math.round((count / milliseconds) * 1000).toLocaleString("en");
}

function row(...cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

row("MCP server", "median", "against the empty binary");
row("---", "---", "---");
await starts();
await rates();
rmSync(root, { recursive: true });
