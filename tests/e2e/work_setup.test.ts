import { expect, test } from "bun:test";
import { existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  const count = (): number =>
    made
      .read(`${made.tree(A)}/.env.count`)
      .trim()
      .split("\n").length;

  for (const times of [1, 1]) {
    await made.planner(["work", A]);
    expect(count()).toBe(times);
  }
  made.write(`${made.tree(A)}/package-lock.json`, '{"new": 1}');
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

  const there = (path: string): boolean => existsSync(join(made.root, made.tree(A), path));
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
  const inside = join(made.root, made.tree(A), "lib");
  await made.git(["commit", "--quiet", "--allow-empty", "-m", "own work"], { cwd: inside });
  const hash = (await made.git(["rev-parse", "HEAD"], { cwd: inside })).stdout.trim();
  await made.git(["checkout", "--quiet", "HEAD~1"], { cwd: inside });
  await made.git(["branch", "--quiet", "own", hash], { cwd: inside });

  const merged = await made.planner(["merge", A]);
  expect([merged.code, existsSync(inside)]).toEqual([0, false]);
  const kept = join(made.root, ".git/modules/lib");
  expect((await made.git(["--git-dir", kept, "cat-file", "-t", hash])).stdout).toBe("commit\n");
});

test("worktree.link copies, worktree.symlink links, and neither brings what is made anew or what git would see", async () => {
  using made = await project("worktree: {link: [cache, env, plain.txt, .env.a], symlink: [data, big.bin, shown]}\n");
  made.write(".gitignore", "cache/\nenv/\n.env*\ndata\n*.bin\nshown/\n");
  for (const file of "cache/a/b.txt cache/node_modules/x.js env/pyvenv.cfg plain.txt .env.a data/d.txt".split(" ")) {
    made.write(file, `${file}\n`);
  }
  for (const file of ["big.bin", "shown/s.txt"]) made.write(file, `${file}\n`);
  await made.add(A);

  expect((await made.planner(["work", A])).stdout).toBe(`${A}: completed\n`);

  const there = join(made.root, made.tree(A));
  const kinds = ["cache/a/b.txt", "cache/node_modules", "env", ".env.a", "data", "big.bin", "shown"].map((path) => {
    const facts = lstatSync(join(there, path), { throwIfNoEntry: false });
    return facts === undefined ? "none" : facts.isSymbolicLink() ? "link" : "file";
  });
  expect(kinds).toEqual(["file", "none", "none", "file", "link", "link", "none"]);
  // A copy is a separate file, a link is the person's own.
  writeFileSync(join(there, "cache/a/b.txt"), "changed");
  expect([made.read("cache/a/b.txt"), readFileSync(join(there, "data/d.txt"), "utf8")]).toEqual([
    ...["cache/a/b.txt\n", "data/d.txt\n"],
  ]);
  const log = made.read(`.planner/logs/${A}.log`);
  expect(log).toContain('"env" was not brought: a virtual environment points back to where it was made');
  expect(log).toContain('"shown" was not brought: git does not ignore "shown" there');
  // The person's files outlive the worktree.
  expect((await made.planner(["merge", A])).code).toBe(0);
  expect([existsSync(there), made.read("data/d.txt"), made.read("big.bin")]).toEqual([
    false,
    "data/d.txt\n",
    "big.bin\n",
  ]);
});

test("worktree.link and worktree.symlink refuse installed packages, build output and paths outside", async () => {
  for (const path of ["node_modules", "web/node_modules", ".venv", "venv/lib", "target", "../other", "/etc", ".git"]) {
    for (const key of ["link", "symlink"]) {
      using made = await project(`worktree: {${key}: [${JSON.stringify(path)}]}\n`);
      const { code, stdout, stderr } = await made.planner(["config", "--validate"]);
      expect([path, code, `${stdout}${stderr}`]).toEqual([path, 1, expect.stringContaining(`worktree.${key}`)]);
    }
  }
});

test("worktree.base is what new branches begin at, and refused where the main branch lacks it", async () => {
  using made = await project("worktree: {base: v1}\n", ["tick", "commit"]);
  await made.mustGit("tag", "v1");
  made.write("later.txt", "later\n");
  await made.add(A);
  await made.mustGit("checkout", "--quiet", "-b", "ahead");
  await made.mustGit("commit", "--quiet", "--allow-empty", "-m", "ahead");
  await made.mustGit("checkout", "--quiet", "main");

  expect((await made.planner(["work", A])).stdout).toBe(`${A}: completed\n`);
  const base = (await made.git(["merge-base", `planner/${A}`, "main"])).stdout;
  expect(base).toBe((await made.git(["rev-parse", "v1"])).stdout);
  expect((await made.planner(["merge", A])).code).toBe(0);
  expect((await made.git(["show", "main:later.txt"])).stdout).toBe("later\n");

  await made.add(B);
  const config = made.read(".planner/config.md");
  for (const [name, why] of [
    ["ahead", 'it has commits that "main" lacks: merge them first, "git merge ahead"'],
    ["nowhere", "expected a branch, a tag or a commit of this repository"],
  ]) {
    made.write(".planner/config.md", config.replace("base: v1", `base: ${name}`));
    const { code, stderr } = await made.planner(["work", B]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Cannot begin at "${name}" ("worktree.base"): ${why}`)]);
    expect(made.field(B, "status")).toBe("pending");
  }
});

test("a project below the top is set up by the lock file at the top, from its own folder", async () => {
  using made = await project("");
  const app = "packages/app";
  const planner = (args: readonly string[]) => made.planner([...args, "--root", app]);
  made.write("package-lock.json", "{}");
  made.write(`${app}/.planner/config.md`, made.read(".planner/config.md"));
  rmSync(join(made.root, ".planner"), { recursive: true });
  made.write(`${app}/.planner/.gitignore`, "logs/\nprocesses/\nlocks/\nworktrees/\n");
  made.write("packages/lib/lib.txt", "main\n");
  made.write(`${app}/.planner/specs/${A}.md`, `---\nid: ${A}\nstatus: pending\n---\n\n# T\n\n- [ ] Done\n`);
  await made.mustGit("add", "--all");
  await made.mustGit("commit", "--quiet", "-m", "app");
  await planner(["trust"]);

  const warned = await planner(["work", A]);
  const setup = "(cd ../.. && test -e package-lock.json && touch .env.top)";
  const before = made.read(`${app}/.planner/config.md`).replace(/---\s*$/, "");
  made.write(`${app}/.planner/config.md`, `${before}worktree: {setup: ["${setup}"]}\n---\n`);
  made.write(`${app}/.planner/specs/${B}.md`, `---\nid: ${B}\nstatus: pending\n---\n\n# T\n\n- [ ] Done\n`);
  const worked = await planner(["work", B]);

  expect(warned.stderr).toContain("../../package-lock.json is there and worktree.setup is not");
  expect(warned.stderr).toContain('Set worktree.setup to ["(cd ../.. && npm ci --prefer-offline)"]');
  expect(worked.stderr).not.toContain("worktree.setup is not");
  expect(worked.stdout).toBe(`${B}: completed\n`);
});
