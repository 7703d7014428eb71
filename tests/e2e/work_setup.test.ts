import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type WorkProject, workProject } from "../support/work_project.ts";

const A = "2026-11-01-001-aaa";
const B = "2026-11-01-002-bbb";

async function project(config: string, plan: readonly string[] = ["tick", "commit_all"]): Promise<WorkProject> {
  const made = await workProject({ plan: { "*": plan }, config });
  made.write(".gitignore", "node_modules/\n.venv/\ntarget/\n.env*\n__pycache__/\n");
  return made;
}

test("setup runs once for a lock file, again when that changes, and its failure is the run's", async () => {
  using made = await project('worktree: {setup: ["echo set up >> .env.count", "test ! -e fail"]}\n', ["exit:1"]);
  made.write("package-lock.json", "{}");
  await made.add(A);
  const count = (): number => made.read(`.planner/worktrees/${A}/.env.count`).trim().split("\n").length;

  for (const times of [1, 1]) {
    await made.planner(["work", A]);
    expect(count()).toBe(times);
  }
  made.write(`.planner/worktrees/${A}/package-lock.json`, '{"new": 1}');
  await made.planner(["work", A]);
  expect(count()).toBe(2);

  made.write("fail", "");
  await made.add(B);
  const { code, stdout } = await made.planner(["work", B]);
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining('failed: worktree.setup: "test ! -e fail" ended with status 1'),
  ]);
});

test("ignored files are copied by patterns, installed packages never are, and a port is free", async () => {
  using made = await project(
    'worktree: {copy: [".env*", "node_modules/**"], port: true}\nverify: {commands: ["test $PORT -gt 1023", "cat .env.local config/a.secret"]}\n',
  );
  made.write(".gitignore", ".env*\n*.secret\nnode_modules/\n");
  made.write(".worktreeinclude", "# settings\nconfig/*.secret\n");
  for (const file of [".env.local", "config/a.secret", "config/deep/b.secret", "node_modules/x/index.js"]) {
    made.write(file, `${file}\n`);
  }
  await made.add(A);

  expect((await made.planner(["work", A])).stdout).toBe(`${A}: completed\n`);

  const there = (path: string): boolean => existsSync(join(made.root, ".planner/worktrees", A, path));
  expect([".env.local", "config/a.secret", "config/deep/b.secret", "node_modules"].map(there)).toEqual([
    ...[true, true, false, false],
  ]);
});

test("a project with a lock file and no setup is warned about, and `setup: []` says that none is needed", async () => {
  for (const [config, warns] of [
    ["", true],
    ["worktree: {setup: []}\n", false],
  ] as const) {
    using made = await project(config);
    made.write("package-lock.json", "{}");
    await made.add(A);

    const { stderr } = await made.planner(["work", A]);
    expect(stderr.includes('Set worktree.setup to ["npm ci --prefer-offline"]')).toBe(warns);
  }
});

test("submodules are there for the agent, and the commits of a run's own stay when its worktree goes", async () => {
  using library = await workProject({ plan: {} });
  library.write("lib.txt", "one\n");
  await library.mustGit("add", "lib.txt");
  await library.mustGit("commit", "--quiet", "-m", "lib");
  using made = await project('verify: {commands: ["grep one lib/lib.txt"]}\n');
  await made.mustGit("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.root, "lib");
  await made.mustGit("commit", "--quiet", "-m", "add lib");
  await made.add(A);

  const { stdout } = await made.planner(["work", A]);
  expect(stdout).toBe(`${A}: completed\n`);
  const inside = join(made.root, ".planner/worktrees", A, "lib");
  await made.git(["commit", "--quiet", "--allow-empty", "-m", "own work"], { cwd: inside });
  const hash = (await made.git(["rev-parse", "HEAD"], { cwd: inside })).stdout.trim();
  await made.git(["checkout", "--quiet", "HEAD~1"], { cwd: inside });
  await made.git(["branch", "--quiet", "own", hash], { cwd: inside });

  const merged = await made.planner(["merge", A]);
  expect([merged.code, existsSync(inside)]).toEqual([0, false]);
  const kept = join(made.root, ".git/modules/lib");
  expect((await made.git(["--git-dir", kept, "cat-file", "-t", hash])).stdout).toBe("commit\n");
});
