import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GitProject, gitProject } from "../support/git_project.ts";
import type { RunResult } from "../support/planner_command.ts";

const ID = "2026-11-21-001-abc";
const GOOD = `---\nid: ${ID}\nstatus: pending\nlabels: [a]\ntype: code\n---\n\n# T\n`;
const BAD = GOOD.replace("pending", "nearly");

let project: GitProject;
let hook: string;
let kept: string;

beforeEach(async () => {
  project = await gitProject();
  hook = join(project.root, ".git/hooks/pre-commit");
  kept = join(project.root, ".git/hooks/pre-commit.before-planner");
  rmSync(hook, { force: true });
});

afterEach(() => project.remove());

async function commit(text: string, args: readonly string[] = []): Promise<RunResult> {
  project.spec(ID, text);
  await project.mustGit("add", ".");
  return project.git(["commit", "-m", "work", ...args]);
}

const commits = async (): Promise<number> => Number((await project.git(["rev-list", "--count", "HEAD"])).stdout || 0);

function existing(script: string): void {
  mkdirSync(join(hook, ".."), { recursive: true });
  writeFileSync(hook, script);
  chmodSync(hook, 0o755);
}

test("hook install makes git refuse a commit with errors and take one without", async () => {
  expect((await project.planner(["hook", "install"])).code).toBe(0);

  const refused = await commit(BAD);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("  error: status 'nearly' not in enum [pending, in_progress, completed, failed]\n");
  expect(refused.stderr).toContain("1 errors, 0 warnings\n");
  expect(await commits()).toBe(0);

  expect((await commit(GOOD)).code).toBe(0);
  expect((await commit(BAD, ["--no-verify"])).code).toBe(0);
  expect(await commits()).toBe(2);
});

test("hook judges what is committed, also where git keeps it in an index of its own", async () => {
  await project.planner(["hook", "install"]);
  await commit(GOOD);

  project.spec(ID, BAD);
  expect((await project.git(["commit", "-am", "all"])).code).not.toBe(0);
  expect((await project.git(["commit", "-m", "one", `.planner/specs/${ID}.md`])).code).not.toBe(0);
  expect((await project.git(["commit", "--allow-empty", "-m", "none"])).code).toBe(0);
});

test("hook says nothing about a commit without specs", async () => {
  await project.planner(["hook", "install"]);
  await commit(BAD, ["--no-verify"]);
  project.write("README", "x");
  await project.mustGit("add", ".");

  const { code, stdout, stderr } = await project.git(["commit", "--quiet", "-m", "readme"]);

  expect([code, stdout, stderr]).toEqual([0, "", ""]);
});

test("hook install keeps the hook that was there, which runs first and may refuse", async () => {
  existing('#!/bin/sh\necho "kept $#" >> ran.txt\n[ ! -e refuse ]\n');
  const before = statSync(hook).mode;

  const { stdout } = await project.planner(["hook", "install"]);
  expect(stdout).toContain("pre-commit.before-planner runs first");
  expect(statSync(kept).mode).toBe(before);

  expect((await commit(BAD)).code).not.toBe(0);
  expect(project.read("ran.txt")).toBe("kept 0\n");
  project.write("refuse", "");
  const refused = await commit(GOOD);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).not.toContain("errors");
  rmSync(join(project.root, "refuse"));
  expect((await commit(GOOD)).code).toBe(0);
});

test("hook install twice changes nothing the second time, and uninstall brings the old hook back", async () => {
  const old = "#!/bin/sh\nexit 0\n";
  existing(old);

  await project.planner(["hook", "install"]);
  const text = readFileSync(hook, "utf8");
  const again = await project.planner(["hook", "install", "--json"]);
  expect(JSON.parse(again.stdout)).toMatchObject({ installed: true, changed: false });
  expect(readFileSync(hook, "utf8")).toBe(text);

  expect((await project.planner(["hook", "uninstall"])).code).toBe(0);
  expect(readFileSync(hook, "utf8")).toBe(old);
  expect(existsSync(kept)).toBe(false);
  expect((await commit(BAD)).code).toBe(0);
  const twice = await project.planner(["hook", "uninstall"]);
  expect(twice.code).toBe(0);
  expect(twice.stdout).toStartWith("Not installed: ");
  expect(readFileSync(hook, "utf8")).toBe(old);
});

test("hook uninstall leaves no file where there was none, and no foreign hook is touched", async () => {
  await project.planner(["hook", "install"]);
  await project.planner(["hook", "uninstall"]);
  expect(existsSync(hook)).toBe(false);

  existing("#!/bin/sh\n# mine\n");
  await project.planner(["hook", "uninstall"]);
  expect(readFileSync(hook, "utf8")).toBe("#!/bin/sh\n# mine\n");
});

test("hook status tells by its exit status whether commits are checked", async () => {
  const before = await project.planner(["hook", "status"]);
  await project.planner(["hook", "install"]);
  const after = await project.planner(["hook", "status", "--json"]);

  expect(before.code).toBe(1);
  expect(after.code).toBe(0);
  expect(JSON.parse(after.stdout)).toMatchObject({ installed: true, roots: ["."], kept: null, shared: false });
});

test("hook install refuses to lose a hook", async () => {
  existing("#!/bin/sh\n# second\n");
  writeFileSync(kept, "#!/bin/sh\n# first\n");
  const both = await project.planner(["hook", "install"]);
  expect(both.code).toBe(1);
  expect(both.stderr).toContain("holds an older hook already");
  expect(readFileSync(hook, "utf8")).toBe("#!/bin/sh\n# second\n");
  expect(readFileSync(kept, "utf8")).toBe("#!/bin/sh\n# first\n");

  rmSync(kept);
  rmSync(hook);
  await project.planner(["hook", "install"]);
  writeFileSync(hook, `${readFileSync(hook, "utf8")}echo mine\n`);
  for (const action of ["install", "uninstall"]) {
    const { code, stderr } = await project.planner(["hook", action]);
    expect([code, stderr.includes("was changed by hand")]).toEqual([1, true]);
  }
  expect(readFileSync(hook, "utf8")).toEndWith("echo mine\n");
});

test("hook install follows core.hooksPath, and warns where other repositories use that folder too", async () => {
  await project.mustGit("config", "core.hooksPath", ".githooks");
  const own = await project.planner(["hook", "install"], { cwd: join(project.root, ".planner") });
  expect([own.code, own.stderr]).toEqual([0, ""]);
  expect(existsSync(join(project.root, ".githooks/pre-commit"))).toBe(true);
  expect((await commit(BAD)).code).not.toBe(0);

  const other = await gitProject();
  try {
    await project.mustGit("config", "core.hooksPath", join(other.root, "shared"));
    const shared = await project.planner(["hook", "install"]);
    expect(shared.stderr).toContain("Other repositories use");
    expect((await commit(BAD)).code).not.toBe(0);

    await other.mustGit("config", "core.hooksPath", join(other.root, "shared"));
    rmSync(join(other.root, ".planner"), { recursive: true });
    expect((await other.git(["commit", "--allow-empty", "-m", "free"])).code).toBe(0);
  } finally {
    other.remove();
  }
});

test("hook checks linked worktrees", async () => {
  await commit(GOOD);
  await project.planner(["hook", "install"]);
  const tree = join(project.root, "tree");
  await project.mustGit("worktree", "add", "--quiet", tree);
  project.write(`tree/.planner/specs/${ID}.md`, BAD);

  expect((await project.git(["commit", "-am", "bad"], { cwd: tree })).code).not.toBe(0);
  expect((await project.planner(["hook", "status"], { cwd: tree })).code).toBe(0);
});

test("hook checks every project of a repository that asked for it", async () => {
  const shop = join(project.root, "it's a shop");
  project.write(`it's a shop/.planner/specs/${ID}.md`, GOOD);
  await project.planner(["hook", "install"], { cwd: shop });
  expect((await commit(BAD)).code).toBe(0);
  await project.planner(["hook", "install"]);
  expect(JSON.parse((await project.planner(["hook", "status", "--json"])).stdout).roots).toEqual(["it's a shop", "."]);

  project.write(`it's a shop/.planner/specs/${ID}.md`, BAD);
  await project.mustGit("add", ".");
  const refused = await project.git(["commit", "-m", "shop"]);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("1 errors");

  await project.planner(["hook", "uninstall"], { cwd: shop });
  expect((await project.git(["commit", "-m", "shop"])).code).toBe(0);
  expect((await commit(BAD.replace("nearly", "almost"))).code).not.toBe(0);
});

test("hook finds the program on PATH when it has moved, and refuses the commit when there is none", async () => {
  await project.planner(["hook", "install"]);
  const script = readFileSync(hook, "utf8");
  writeFileSync(hook, script.replace(/^program=.*$/m, "program='/nowhere/planner'"));
  chmodSync(hook, 0o755);
  project.write("bin/planner", '#!/bin/sh\necho "on PATH: $*"\n');
  chmodSync(join(project.root, "bin/planner"), 0o755);
  project.spec(ID, BAD);
  await project.mustGit("add", ".");
  const git = (await project.git(["--exec-path"])).stdout.trim();
  const system = `${git}:/usr/bin:/bin`;

  const without = await project.git(["commit", "-m", "without"], { env: { PATH: system } });
  expect(without.code).not.toBe(0);
  expect(without.stderr).toContain("planner is neither at /nowhere/planner nor on PATH");
  expect(without.stderr).toContain("run `planner hook install`, or commit with --no-verify");

  const found = await project.git(["commit", "-m", "with"], {
    env: { PATH: `${join(project.root, "bin")}:${system}` },
  });
  expect(found.code).toBe(0);
  expect(found.stderr + found.stdout).toContain("on PATH: lint --staged --root .");
});

test.each([
  [
    "a hook that a manager generated",
    ".git/hooks/pre-commit",
    "#!/bin/sh\n# generated by prek\nprek run\n",
    "would replace it",
  ],
  ["lefthook's file in JSON", "lefthook.json", "{}\n", '"pre-commit": {'],
  ["prek's file", "prek.toml", "", "[[repos.hooks]]"],
])("hook install leaves %s alone and prints what to add", async (_, file, text, said) => {
  project.write(file, text);

  const { code, stderr } = await project.planner(["hook", "install"]);

  expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
  expect(stderr).toContain("planner lint --staged");
  expect(project.read(file)).toBe(text);
});

test("hook status warns of a program that is not this one", async () => {
  await project.planner(["hook", "install"]);
  writeFileSync(hook, readFileSync(hook, "utf8").replace(/^program=.*$/m, "program='/old/planner'"));

  expect((await project.planner(["hook", "status"])).stderr).toContain('The hook runs "/old/planner"');
  await project.planner(["hook", "install"]);
  expect((await project.planner(["hook", "status"])).stderr).toBe("");
});

test("lint --staged finds the projects below the top, and passes a repository without one", async () => {
  rmSync(join(project.root, ".planner"), { recursive: true });
  project.write("a.txt", "");
  await project.mustGit("add", ".");
  expect(await project.planner(["lint", "--staged"])).toMatchObject({ code: 0, stdout: "", stderr: "" });

  for (const [folder, text] of [
    ["shop", GOOD],
    ["mill/site", BAD],
  ] as const)
    project.write(`${folder}/.planner/specs/${ID}.md`, text);
  await project.mustGit("add", ".");
  const staged = await project.planner(["lint", "--staged"]);
  const all = await project.planner(["lint", "--json"]);

  const file = `mill/site/.planner/specs/${ID}.md`;
  expect([staged.code, staged.stdout]).toEqual([1, expect.stringContaining(`${file}:\n  error: status 'nearly'`)]);
  expect([all.code, JSON.parse(all.stdout).errors]).toEqual([1, [expect.objectContaining({ file, field: "status" })]]);
  expect((await project.planner(["lint", "--root", "shop"])).code).toBe(0);
});

test("hook ends with 2 on an unknown action and refuses to install outside a repository", async () => {
  expect((await project.planner(["hook", "instal"])).code).toBe(2);
  expect((await project.planner(["hook"])).code).toBe(2);
  rmSync(join(project.root, ".git"), { recursive: true });
  const { code, stderr } = await project.planner(["hook", "install"]);
  expect([code, stderr.includes("Not in a git repository")]).toEqual([1, true]);
});
