/**
 * Compares repeated tool calls of two executables, asked in turn over one project:
 * `bun tests/bench/mcp_versions.ts OLD NEW [specs]`. The table gives medians and their ratio.
 */
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { McpSession, median } from "./measure.ts";
import { benchProject } from "./project.ts";

const WARM_UP = 5;
const COUNTED = 51;

const CALLS = [
  ["planner_spec_list", { limit: 50 }],
  ["planner_ready", {}],
  ["planner_search", { query: "schema" }],
  ["planner_status", {}],
] as const;

const [older = "", newer = "", count = "10000"] = process.argv.slice(2);
const root = benchProject(Number(count));
const sessions = [older, newer].map((program) => new McpSession([resolve(program), "mcp"], root));
for (const session of sessions) await session.request("initialize", {});
process.stdout.write("| repeated call | old | new | ratio |\n| --- | --- | --- | --- |\n");
for (const [tool, args] of CALLS) {
  const times = sessions.map((): number[] => []);
  for (let call = 0; call < WARM_UP + COUNTED; call += 1) {
    for (const [index, session] of sessions.entries()) {
      const time = await session.timeTool(tool, args);
      if (call >= WARM_UP) times[index]?.push(time);
    }
  }
  const [old = Number.NaN, now = Number.NaN] = times.map(median);
  const least = times.map((all) => Math.min(...all).toFixed(2)).join(" and ");
  process.stdout.write(
    `| \`${tool}\` | ${old.toFixed(1)} ms | ${now.toFixed(1)} ms | ${(now / old).toFixed(2)} | least: ${least} |\n`,
  );
}
for (const session of sessions) await session.end();
rmSync(root, { recursive: true });
