import { expect, test } from "bun:test";
import { mkdirSync, rmSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { LAW_RUNS } from "../support/law_runs.ts";
import { McpLines } from "../support/mcp_lines.ts";
import { type WorkProject, workProject } from "../support/work_project.ts";

const A = "2026-11-01-001-aaa";
const B = "2026-11-01-002-bbb";

/** Files that planner keeps of runs, of each kind; none of them is a person's. */
const FILES = [
  `.planner/locks/${B}.lock`,
  `.planner/locks/.${B}.lock`,
  ".planner/locks/split.json",
  `.planner/processes/${A}-1.json`,
  `.planner/processes/${A}-1.report.json`,
  ".planner/processes/background.log",
  `.planner/worktrees/${A}.status.json`,
  `.planner/worktrees/${A}.origin.json`,
  `.planner/worktrees/${A}.placed.json`,
  `.planner/worktrees/${A}.git.json`,
  ".planner/watch.pid",
  `.planner/logs/${A}.log`,
] as const;

/** Ways in which each of them is spoilt. */
const WAYS: Readonly<Record<string, (project: WorkProject, file: string) => void>> = {
  empty: (project, file) => project.write(file, ""),
  binary: (project, file) => project.write(file, Uint8Array.from([0, 255, 254, 128, 10, 0])),
  "cut off": (project, file) => project.write(file, `{"spec_id": "${A}", "pid": 1`),
  "of another type": (project, file) => project.write(file, '[null, {"spec_id": 7}, "x"]'),
  "a folder": (project, file) => mkdirSync(join(project.root, file)),
  "of 100 MB": (project, file) => {
    project.write(file, "");
    truncateSync(join(project.root, file), 100 * 1024 * 1024);
  },
};

const COMMANDS = [
  ["list"],
  ["show", A],
  ["status", "--activity"],
  ["lint"],
  ["diagnose", A],
  ["doctor"],
  ["work", B],
] as const;

const TOOLS = [
  ["planner_watch_status", {}],
  ["planner_work_list", { include_completed: true }],
  ["planner_status", { include_activity: true }],
] as const;

/** Commands that need nothing of what runs leave. */
const UNCONCERNED: ReadonlySet<string> = new Set(["list", "show", "lint"]);

const DEFECT = /bug in planner|at .*\.ts:\d|SyntaxError|TypeError|Internal/;

/** Says for which commands the spoilt file is a defect, or stops them without being named. */
async function wrongCommands(project: WorkProject, file: string): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const words of COMMANDS) {
    const { code, stdout, stderr } = await project.planner(words);
    // Doctor names the worktree that the work of the round before has left.
    const isNamed = /\.planner\/|\.worktrees\//.test(`${stdout}${stderr}`);
    const isRight = code === 0 || (isNamed && !UNCONCERNED.has(words[0]));
    if (!isRight || DEFECT.test(`${stdout}${stderr}`)) wrong.push(`${file}: ${words.join(" ")}: ${code} ${stderr}`);
  }
  return wrong;
}

/** The same for tools. */
async function wrongTools(project: WorkProject, file: string): Promise<readonly string[]> {
  await using client = new McpLines(project.root);
  const wrong: string[] = [];
  for (const [tool, args] of TOOLS) {
    const { text, refused } = await client.tool(tool, args);
    const isRight = !refused || text.includes(".planner/");
    if (!isRight || DEFECT.test(text)) wrong.push(`${file}: ${tool}: ${text}`);
  }
  const { specs } = await client.json<{ specs: readonly unknown[] }>("planner_spec_list", {});
  return specs.length === 2 ? wrong : [...wrong, `${file}: planner_spec_list: ${specs.length} specs`];
}

/** Each way takes 15 to 60 s: those that found faults in every run, all of them in long ones. */
const TRIED = LAW_RUNS > 100 ? Object.keys(WAYS) : ["cut off", "a folder"];

for (const [way, spoil] of Object.entries(WAYS).filter(([name]) => TRIED.includes(name))) {
  test(`a file of planner's own that is ${way} stops no list and is no bug: it is set aside, or named`, async () => {
    using project = await workProject({ plan: { "*": ["tick", "commit"] } });
    await project.add(A);
    await project.add(B);
    const wrong: string[] = [];
    for (const file of FILES) {
      const path = join(project.root, file);
      rmSync(path, { recursive: true, force: true });
      mkdirSync(dirname(path), { recursive: true });
      spoil(project, file);
      wrong.push(...(await wrongCommands(project, file)), ...(await wrongTools(project, file)));
      rmSync(path, { recursive: true, force: true });
      await project.mustGit("checkout", "--quiet", "--", ".planner/specs");
    }

    expect(wrong).toEqual([]);
  }, 300_000);
}
