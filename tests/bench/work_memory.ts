/**
 * `bun tests/bench/work_memory.ts`: planner's own memory while it runs agents at once, and how long `planner_work_start`
 * takes to answer while its agent hangs. Linux. Build first: `npm run build`.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { PLANNER } from "../support/planner_command.ts";
import { type WorkProject, workProject } from "../support/work_project.ts";
import { McpSession, median } from "./measure.ts";

interface Case {
  readonly agents: number;
  readonly lines: number;
  /** With an output schema, by which all outputs are judged when the agents end together. */
  readonly schema?: true;
}

const CASES = [
  { agents: 1, lines: 2_000 },
  { agents: 20, lines: 2_000 },
  { agents: 20, lines: 50_000 },
  // Logs longer than what is judged of them.
  { agents: 20, lines: 130_000, schema: true },
] as const satisfies readonly Case[];
const LOOK_EVERY_MS = 50;
const STARTS = 15;

const print = (...cells: readonly (string | number)[]): void => {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
};

/** A process's memory in MiB: VmRSS is what it has now, VmHWM the most that it had. */
function memoryMib(pid: number, field: "VmRSS" | "VmHWM"): number {
  if (!existsSync(`/proc/${pid}/status`)) return 0;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
}

async function addSpecs(project: WorkProject, count: number, fields = ""): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `2026-11-01-${String(index + 1).padStart(3, "0")}-abc`);
  for (const id of ids) await project.add(id, fields);
  return ids;
}

async function notedBy(project: WorkProject, ids: readonly string[], step: string): Promise<void> {
  for (const id of ids) await project.noted("steps", `${id} ${step}\n`);
}

/** Agents that print as fast as they can and then wait, all at once, under one `planner work`. */
async function measureAgents({ agents: count, lines, schema }: Case): Promise<void> {
  using project = await workProject({
    plan: { "*": [`flood:${lines}`, "tick", 'event:{"done": true}', "wait:go", "commit"] },
    config: `parallel: {max: ${count}}\nvalidation: {strict_output_validation: true}\n`,
  });
  project.write(".planner/schemas/done.json", '{"type": "object", "required": ["done"]}\n');
  const ids = await addSpecs(project, count, schema ? "output_schema: .planner/schemas/done.json\n" : "");
  const [program = "", ...args] = PLANNER;
  const work = spawn(program, [...args, "work", "--parallel", String(count)], { cwd: project.root, stdio: "ignore" });
  const ended = new Promise((resolve) => work.on("exit", resolve));
  let most = 0;
  // The last value before the process is gone is the most that it ever had.
  const timer = setInterval(() => {
    most = Math.max(most, memoryMib(work.pid ?? 0, "VmHWM"));
  }, LOOK_EVERY_MS);
  const all = notedBy(project, ids, "tick");
  if ((await Promise.race([all, ended])) === 1) throw new Error("a run failed: see its log");
  await sleep(1_000);
  const now = memoryMib(work.pid ?? 0, "VmRSS");
  project.release("go");
  await ended;
  clearInterval(timer);
  const completed = ids.filter((id) => project.field(id, "status") === "completed").length;
  print(
    count,
    schema ? `${lines}, with a schema` : lines,
    `${now.toFixed(0)} MiB`,
    `${most.toFixed(0)} MiB`,
    `${completed} of ${count}`,
  );
}

/** `planner_work_start` for one spec after the other, each with an agent that hangs. */
async function measureStarts(): Promise<void> {
  using project = await workProject({ plan: { "*": ["say:at work", "hang"] } });
  const ids = await addSpecs(project, STARTS);
  const session = new McpSession([...PLANNER, "mcp"], project.root);
  await session.request("initialize", { protocolVersion: "2024-11-05", capabilities: {} });
  const times: number[] = [];
  for (const id of ids) {
    times.push(await session.timeTool("planner_work_start", { id }));
    await notedBy(project, [id], "say");
    await session.timeTool("planner_pause", { id });
  }
  await session.end();
  const most = Math.max(...times);
  print("planner_work_start", `median ${median(times).toFixed(0)} ms`, `longest ${most.toFixed(0)} ms`, STARTS);
}

print("agents at once", "lines of each", "planner work, agents waiting", "the most it had", "completed");
print("---", "---", "---", "---", "---");
for (const one of CASES) await measureAgents(one);
process.stdout.write("\n");
await measureStarts();
