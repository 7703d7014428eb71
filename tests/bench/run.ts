/**
 * `npm run bench` (or `bun tests/bench/run.ts 100 1000 10000`): times the built command against floors measured in the
 * same run, and prints the tables of docs/performance.md. Build first: `npm run build`. The datacenter's benches are run
 * one by one: dc_import.ts, dc_wire.ts, dc_throughput.ts and dc_reach.ts.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { floorBinary, McpSession, median, READ_FILES, timeInitialize, timeInTurn } from "./measure.ts";
import { benchProject } from "./project.ts";

const PLANNER = join(import.meta.dirname, "..", "..", "dist", "planner");
const RUNS = 11;
const CALLS = 51;

const sizes = process.argv.slice(2).map(Number);
const print = (...cells: readonly (string | number)[]): void => {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
};
const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
const ratio = (value: number, floor: number): string => `${(value / floor).toFixed(2)}x`;

async function startUp(empty: string): Promise<void> {
  const root = benchProject(100);
  const [floor = 0, version = 0] = timeInTurn([[empty], [PLANNER, "--version"]], root, 31);
  const starts: number[] = [];
  for (let run = 0; run < 31; run++) starts.push(await timeInitialize([PLANNER, "mcp"], root));
  const session = new McpSession([PLANNER, "mcp"], root);
  await session.request("initialize", {});
  await new Promise((resolve) => setTimeout(resolve, 1000));
  print("start", "median", "against the empty binary");
  print("---", "---", "---");
  print("empty compiled binary", ms(floor), "1.00x");
  print("planner --version", ms(version), ratio(version, floor));
  print("planner mcp: spawn to the answer of initialize", ms(median(starts)), ratio(median(starts), floor));
  print("planner mcp: idle memory", `${session.memoryMib().toFixed(0)} MiB`, "");
  await session.end();
  rmSync(root, { recursive: true });
}

function coldCommands(root: string, reader: string): void {
  const commands = [
    [reader],
    [PLANNER, "list", "--json"],
    [PLANNER, "ready", "--json"],
    [PLANNER, "search", "faster (17", "--json"],
    [PLANNER, "lint", "--json"],
  ];
  const [floor = 0, ...times] = timeInTurn(commands, root, RUNS);
  print("one readFile pass over the files", ms(floor), "1.00x");
  for (const [index, time] of times.entries()) {
    print(`planner ${commands[index + 1]?.slice(1).join(" ")}`, ms(time), ratio(time, floor));
  }
}

async function mcpCalls(root: string): Promise<void> {
  const session = new McpSession([PLANNER, "mcp"], root);
  await session.request("initialize", {});
  const calls = [
    ["planner_spec_list", { limit: 50 }],
    ["planner_ready", { limit: 50 }],
    ["planner_search", { query: "faster (17" }],
    ["planner_search", { query: "no such words" }],
    ["planner_status", {}],
    ["planner_lint", {}],
  ] as const;
  for (const [name, args] of calls) {
    const first = await session.timeTool(name, args);
    const repeated: number[] = [];
    for (let call = 0; call < (name === "planner_lint" ? 5 : CALLS); call++)
      repeated.push(await session.timeTool(name, args));
    print(`mcp ${name} ${JSON.stringify(args)}`, `first ${ms(first)}`, `repeated ${ms(median(repeated))}`);
  }
  print("mcp memory afterwards", `${session.memoryMib().toFixed(0)} MiB`, "");
  await session.end();
}

await startUp(floorBinary("empty", "export {};\n"));
const reader = floorBinary("reader", READ_FILES);
for (const size of sizes.length === 0 ? [100, 1000, 10_000] : sizes) {
  const root = benchProject(size);
  process.stdout.write("\n");
  print(`${size} specs`, "median", "");
  print("---", "---", "---");
  coldCommands(root, reader);
  await mcpCalls(root);
  rmSync(root, { recursive: true });
}
