import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runPlanner } from "../support/planner_command.ts";

const MISSING = `"claude" is not on PATH: install it, or name another agent under "defaults.provider" in .planner/config.md`;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "planner-missing-"));
});

afterEach(() => rmSync(root, { recursive: true }));

test("init and doctor say that the agent's program is missing, and nothing of one that is there", async () => {
  const env = { PATH: "/usr/bin:/bin" };
  const first = await runPlanner(["init", "--agent", "claude"], { cwd: root, env });
  const doctor = await runPlanner(["doctor"], { cwd: root, env });
  mkdirSync(join(root, "bin"));
  writeFileSync(join(root, "bin", "claude"), "#!/bin/sh\n", { mode: 0o755 });
  const there = await runPlanner(["doctor"], { cwd: root, env: { PATH: `${join(root, "bin")}:${env.PATH}` } });

  expect(first.stderr).toContain(`No agent can run yet: ${MISSING}\n`);
  expect(doctor).toMatchObject({ code: 0, stdout: "Nothing found\n", stderr: `No agent can run: ${MISSING}\n` });
  expect(there).toMatchObject({ code: 0, stderr: "" });
});
