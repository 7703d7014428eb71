import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { PLANNER, type RunResult, runCommand, runPlanner } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";
import { projectOfAllTests } from "../support/test_project.ts";

const SPECS = 1500;
const LONG_TITLE = "x".repeat(800);

const project = projectOfAllTests();
for (let number = 0; number < SPECS; number++) {
  const counter = number.toString(36).padStart(3, "0");
  project.spec(`2026-11-01-${counter}-abc`, `---\nstatus: pending\n---\n\n# ${LONG_TITLE} ${number}\n`);
}

function shell(script: string, env: Record<string, string> = {}): Promise<RunResult> {
  const planner = PLANNER.map((word) => `'${word}'`).join(" ");
  return runCommand(["bash", "-c", script.replaceAll("PLANNER", planner)], { cwd: project.root, env });
}

test("a list above 1 MiB reaches a reader that takes it bit by bit, whole", async () => {
  const [program = "", ...args] = [...PLANNER, "list", "--json"];
  const child = spawn(program, args, { cwd: project.root, stdio: ["ignore", "pipe", "inherit"] });
  const chunks: Buffer[] = [];

  for await (const chunk of child.stdout) {
    chunks.push(chunk as Buffer);
    if (chunks.length < 20) await setTimeout(10);
  }

  expect((JSON.parse(Buffer.concat(chunks).toString()) as { specs: unknown[] }).specs).toHaveLength(SPECS);
});

test("a reader that goes away ends the command quietly with its own status", async () => {
  const json = await shell('PLANNER list --json | head -c 10 >/dev/null; echo "$PIPESTATUS"');
  const table = await shell('PLANNER list | head -1 >/dev/null; echo "$PIPESTATUS"');
  const raw = await shell('PLANNER export | head -c 1 >/dev/null; echo "$PIPESTATUS"');

  for (const result of [json, table, raw]) expect(result).toMatchObject({ code: 0, stdout: "0\n", stderr: "" });
});

test.skipIf(!existsSync("/dev/full"))("a full disk behind standard output is said, not swallowed", async () => {
  const { stdout, stderr } = await shell('PLANNER list >/dev/full; echo "$?"');

  expect(stdout).toBe("1\n");
  expect(stderr).toMatch(/^error: Cannot write to standard output: .*(ENOSPC|No space left)/);
});

test("tables are not cut and carry no colour into a pipe", async () => {
  const { stdout } = await runPlanner(["list", "-n", "1"], { cwd: project.root, env: { NO_COLOR: "" } });

  expect(stdout).toContain(`${LONG_TITLE} 0\n`);
  expect(stdout).not.toContain("\u001b");
});

test("COLUMNS cuts a table, FORCE_COLOR colours it and NO_COLOR wins", async () => {
  const columns = await runPlanner(["list", "-n", "1"], { cwd: project.root, env: { COLUMNS: "60" } });
  const forced = await runPlanner(["list", "-n", "1"], { cwd: project.root, env: { NO_COLOR: "", FORCE_COLOR: "1" } });
  const both = await runPlanner(["list", "-n", "1"], { cwd: project.root, env: { NO_COLOR: "1", FORCE_COLOR: "1" } });

  const lines = columns.stdout.split("\n");
  expect(lines[1]).toHaveLength(60);
  expect(lines[1]).toEndWith("x…");
  expect(forced.stdout).toContain("\u001b[1mID");
  expect(both.stdout).not.toContain("\u001b");
});

test("SIGTERM and SIGINT end a followed log as a shell expects", async () => {
  using followed = tempProject();
  followed.spec("2026-11-01-001-abc", "---\nstatus: in_progress\n---\n\n# Long work\n");
  followed.write(".planner/logs/2026-11-01-001-abc.log", "first\n");

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const [program = "", ...args] = [...PLANNER, "log", "abc", "--follow"];
    const child = spawn(program, args, { cwd: followed.root, stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
      child.on("close", (code, by) => resolve([code, by]));
    });
    let shown = "";
    for await (const chunk of child.stdout) {
      shown += String(chunk);
      if (!shown.includes("second")) followed.write(".planner/logs/2026-11-01-001-abc.log", "first\nsecond\n");
      else child.kill(signal);
    }

    expect(shown).toBe("first\nsecond\n");
    expect(await ended).toEqual([null, signal]);
    followed.write(".planner/logs/2026-11-01-001-abc.log", "first\n");
  }
});
