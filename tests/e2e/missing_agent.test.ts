import { afterEach, beforeEach, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runPlanner } from "../support/planner_command.ts";
import { workProject } from "../support/work_project.ts";

const MISSING = `"claude" is not on PATH: install it, or name another agent under "defaults.provider" in .planner/config.md`;

const ONE = "2026-11-01-001-one";

const AUTHOR = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "planner-missing-")));
});

afterEach(() => rmSync(root, { recursive: true }));

const NO_REPOSITORY = (folder: string) =>
  `No git repository around "${folder}": run "git init" and commit, or work with --no-worktree`;

test("init and doctor say that a git repository or its first commit is missing", async () => {
  const env = { PATH: `${join(root, "bin")}:/usr/bin:/bin` };
  mkdirSync(join(root, "bin"));
  writeFileSync(join(root, "bin", "claude"), "#!/bin/sh\n", { mode: 0o755 });
  const planner = (...words: string[]) => runPlanner(words, { cwd: root, env });

  expect((await planner("init", "--yes")).stderr).toContain(`No agent can run yet: ${NO_REPOSITORY(root)}\n`);
  expect((await planner("doctor")).stderr).toBe(`No agent can run: ${NO_REPOSITORY(root)}\n`);
  spawnSync("git", ["init", "--quiet"], { cwd: root });
  expect((await planner("doctor")).stderr).toContain("The repository has no commit yet: commit first");
});

test("init and doctor say that the agent's program is missing, and nothing of one that is there", async () => {
  const env = { PATH: "/usr/bin:/bin" };
  spawnSync("git", ["init", "--quiet"], { cwd: root });
  spawnSync("git", [...AUTHOR, "commit", "--quiet", "--allow-empty", "-m", "first"], { cwd: root });
  const first = await runPlanner(["init", "--agent", "claude"], { cwd: root, env });
  const doctor = await runPlanner(["doctor"], { cwd: root, env });
  mkdirSync(join(root, "bin"));
  writeFileSync(join(root, "bin", "claude"), "#!/bin/sh\n", { mode: 0o755 });
  const there = await runPlanner(["doctor"], { cwd: root, env: { PATH: `${join(root, "bin")}:${env.PATH}` } });

  expect(first.stderr).toContain(`No agent can run yet: ${MISSING}\n`);
  expect(doctor).toMatchObject({ code: 1, stderr: "" });
  const [message, ...advice] = MISSING.split(": ");
  expect(doctor.stdout).toBe(`agent claude: ${message}\n  ${advice.join(": ")}\n1 found\n`);
  expect(there).toMatchObject({ code: 0, stdout: "Nothing found\n", stderr: "" });
});

test("work says before the agent starts what the worktree lacks, and nothing of what it has", async () => {
  const project = await workProject({ plan: { "*": ["commit"] } });
  await project.add(ONE);
  const quiet = await project.planner(["work", ONE]);
  expect(quiet.stderr).not.toContain("lacks");
  project.write("notes.txt", "mine\n");
  project.write(".planner/prompts/mine.md", "x\n");
  await project.mustGit("commit", "--quiet", "--allow-empty", "-m", "newer");

  const { stderr } = await project.planner(["work", ONE]);

  const said = stderr.split("\n").filter((line) => line.includes("lacks"));
  expect(said.map((line) => line.slice(line.indexOf(ONE)))).toEqual([
    `${ONE}: the worktree lacks what is not committed in the project: notes.txt`,
    `${ONE}: the work goes on from where it ended: it lacks 1 newer commit of "main" until it is merged`,
  ]);
  expect(stderr.indexOf("lacks")).toBeLessThan(stderr.indexOf("works on branch"));
  project.remove();
});
