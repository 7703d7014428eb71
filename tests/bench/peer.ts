/**
 * `bun tests/bench/peer.ts [count]`: the same tasks in Backlog.md and, imported by `planner import`, in planner; both programs
 * asked in turn. Installs `backlog.md` from npm into a temporary folder and starts its executable without npm's launcher.
 * Build first: `npm run build`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timeInTurn } from "./measure.ts";

const VERSION = "1.52.0";
const RUNS = 11;
const PLANNER = join(import.meta.dirname, "..", "..", "dist", "planner");

const count = Number(process.argv[2] ?? 1000);
const folder = mkdtempSync(join(tmpdir(), "planner-peer-"));
const source = join(folder, "backlog");
const imported = join(folder, "planner");
const peer = join(folder, "node_modules", `backlog.md-${process.platform}-${process.arch}`, "backlog");

run(folder, "npm", "install", "--no-save", "--prefix", folder, `backlog.md@${VERSION}`);
for (const project of [source, imported]) {
  mkdirSync(project);
  run(project, "git", "init", "--quiet");
  run(project, "git", "config", "user.email", "bench@example.com");
  run(project, "git", "config", "user.name", "Bench");
}
run(source, peer, "init", "bench", "--defaults", "--integration-mode", "none");
run(source, peer, "config", "set", "remoteOperations", "false");
for (let task = 1; task <= count; task++) {
  writeFileSync(join(source, "backlog", "tasks", `task-${task} - Task-${task}.md`), taskText(task));
}
commit(source);
run(imported, PLANNER, "init", "--yes");
run(imported, PLANNER, "import", source);
commit(imported);

const QUESTIONS = [
  { name: "list", theirs: ["task", "list", "--plain"], ours: ["list"] },
  { name: "one task", theirs: ["task", "TASK-17", "--plain"], ours: ["show", "TASK-17"] },
  { name: "search", theirs: ["search", "branch", "--plain"], ours: ["search", "branch"] },
];
process.stdout.write(
  `| ${count} tasks, median of ${RUNS} | Backlog.md ${VERSION} | planner | |\n| --- | --- | --- | --- |\n`,
);
for (const { name, theirs, ours } of QUESTIONS) {
  run(source, peer, ...theirs);
  run(imported, PLANNER, ...ours);
  const [slow = 0, fast = 0] = timeInTurn(
    [
      ["env", "-C", source, peer, ...theirs],
      ["env", "-C", imported, PLANNER, ...ours],
    ],
    folder,
    RUNS,
  );
  process.stdout.write(`| ${name} | ${slow.toFixed(0)} ms | ${fast.toFixed(0)} ms | ${(slow / fast).toFixed(1)}x |\n`);
}
rmSync(folder, { recursive: true });

function run(cwd: string, program: string, ...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stdout}${stderr}`);
}

function commit(project: string): void {
  run(project, "git", "add", "--all");
  run(project, "git", "commit", "--quiet", "--message", "Add tasks");
}

function taskText(task: number): string {
  const status = ["To Do", "In Progress", "Done"][task % 3];
  return `---
id: TASK-${task}
title: Keep the cache of branch ${task} current
status: ${status}
assignee: []
created_date: '2026-11-01 10:00'
labels: [cache]
dependencies: [${task > 3 && task % 4 === 0 ? `TASK-${task - 3}` : ""}]
ordinal: ${task * 1000}
---

## Description

${"The index of the branch keeps its answers while a writer runs. ".repeat(12)}

## Acceptance Criteria
<!-- AC:BEGIN -->
- [${task % 3 === 2 ? "x" : " "}] #1 A reader sees the newest answer
- [ ] #2 A writer waits for no reader
<!-- AC:END -->
`;
}
