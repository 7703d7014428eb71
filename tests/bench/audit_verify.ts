/**
 * `bun tests/bench/audit_verify.ts [racks] [PLANNER…]`: processor time of `planner dc audit verify` for an entry of the
 * change log, start of the program left out, of several executables in turn. Each run is a process of its own, so each
 * is a first pass. Build first: `npm run build`.
 */

import { emptyFolder } from "../support/dc_server.ts";
import { runPlanner } from "../support/planner_command.ts";
import { median } from "./measure.ts";

const ROUNDS = 9;
const [racks = "200", ...given] = process.argv.slice(2);
const planners = given.length > 0 ? given : ["dist/planner"];
const cwd = emptyFolder();
await runPlanner(["dc", "migrate", "apply", "--db", `${cwd}/empty.sqlite`], { cwd });
await runPlanner(["dc", "sample", "--racks", racks, "--db", `${cwd}/site.sqlite`], { cwd });

function verify(planner: string, database: string): { readonly cpuUs: number; readonly entries: number } {
  const { stdout, resourceUsage } = Bun.spawnSync([planner, "dc", "audit", "verify", "--db", `${cwd}/${database}`]);
  const entries = Number(/^(\d+) entries, unbroken/.exec(stdout.toString())?.[1]);
  return { cpuUs: Number(resourceUsage.cpuTime.total), entries };
}

const found = new Map<string, number[]>(planners.map((planner) => [planner, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [planner, costs] of found) {
    const { cpuUs, entries } = verify(planner, "site.sqlite");
    costs.push((cpuUs - verify(planner, "empty.sqlite").cpuUs) / entries);
  }
}
for (const [planner, costs] of found) {
  process.stdout.write(`${planner}: ${median(costs).toFixed(1)} µs an entry, least ${Math.min(...costs).toFixed(1)}\n`);
}
