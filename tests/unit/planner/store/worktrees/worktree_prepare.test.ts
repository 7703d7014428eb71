import { expect, spyOn, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Git } from "#planner/store/git/git.ts";
import { eachTest } from "../../../../support/each_test.ts";
import { gitProject } from "../../../../support/git_project.ts";
import {
  agentIn,
  ID,
  OPTIONS,
  OTHER,
  SPEC,
  uncommittedIn,
  worktreeProject,
} from "../../../../support/worktree_project.ts";

const project = eachTest(worktreeProject);

test("prepare brings the spec as it is now, and other uncommitted planner files unseen by git", async () => {
  const fresh = "2026-01-05-003-new";
  await project.set(ID, { status: "in_progress" });
  await project.set(OTHER, { status: "completed" });
  project.spec(fresh, SPEC);
  project.write(".planner/config.md", "---\nproject: {name: x}\n---\n");
  project.write(".planner/prompts/odd [name] #1.md", "# Prompt\n");
  project.write("src/code.txt", "changed and not the worktree's business\n");

  const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);
  const agent = agentIn(project, worktree);

  const copied = [
    ".planner/config.md",
    ".planner/prompts/odd [name] #1.md",
    `.planner/specs/${OTHER}.md`,
    `.planner/specs/${fresh}.md`,
  ];
  expect([...worktree.copied].sort()).toEqual(copied.sort());
  for (const file of copied) expect(readFileSync(join(worktree.root, file), "utf8")).toBe(project.read(file));
  const store = worktree.openSpecs();
  expect((await store.load(ID)).status).toBe("in_progress");
  expect((await store.load(OTHER)).status).toBe("completed");
  expect(await agent.git("status", "--porcelain")).toBe(` M .planner/specs/${ID}.md\n`);
  expect(await uncommittedIn(project)).toEqual([]);

  await agent.commitAll();
  expect(await agent.git("show", "--name-only", "--format=")).toBe(`.planner/specs/${ID}.md\n`);
});

test("prepare brings an archived spec's absence as well", async () => {
  renameSync(join(project.root, `.planner/specs/${OTHER}.md`), join(project.root, `.planner/${OTHER}.md`));
  project.write(`.planner/archive/2026-01-05/${OTHER}.md`, project.read(`.planner/${OTHER}.md`));

  const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);

  const store = worktree.openSpecs();
  expect(await store.listIds()).toEqual([ID]);
  expect([...(await store.listArchivedIds())]).toEqual([OTHER]);
  expect(await agentIn(project, worktree).git("status", "--porcelain")).toBe("");
});

test("prepare keeps commits, changes and ticks of an earlier run", async () => {
  await project.set(ID, { status: "in_progress" });
  const first = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  first.write("done.txt", "done\n");
  const commit = await first.commitAll();
  first.write("half.txt", "half\n");
  first.write(`.planner/specs/${ID}.md`, SPEC.replace("pending", "in_progress").replace("[ ] one", "[x] one"));
  await project.set(ID, { status: "in_progress", model: "larger" });

  const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);

  expect(worktree.reused).toBe(true);
  expect(await project.worktrees.listCommits(ID)).toEqual([commit]);
  expect(readFileSync(join(worktree.path, "half.txt"), "utf8")).toBe("half\n");
  const { text } = await worktree.openSpecs().readText(ID);
  expect(text).toBe(project.read(`.planner/specs/${ID}.md`).replace("[ ] one", "[x] one"));
  expect(text).toContain("model: larger");
});

test("prepare moves a worktree without work up to the main branch", async () => {
  await project.worktrees.prepareWorktree(ID, OPTIONS);
  project.write("src/code.txt", "newer\n");
  await project.mustGit("commit", "--quiet", "-am", "newer");

  const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);

  expect(worktree.reused).toBe(false);
  expect(readFileSync(join(worktree.path, "src/code.txt"), "utf8")).toBe("newer\n");
});

test("prepare takes up the branch of a worktree whose folder was deleted", async () => {
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write("done.txt", "done\n");
  const commit = await agent.commitAll();
  rmSync(join(project.root, project.tree(ID)), { recursive: true });

  const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);

  expect(worktree.reused).toBe(true);
  expect(await project.worktrees.listCommits(ID)).toEqual([commit]);
});

test("prepare brings a project that git ignores altogether", async () => {
  await project.mustGit("rm", "--quiet", "-r", "--cached", ".planner");
  project.write(".gitignore", ".planner/\n");
  await project.mustGit("add", ".gitignore");
  await project.mustGit("commit", "--quiet", "-m", "local only");

  const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);

  expect(await worktree.openSpecs().listIds()).toEqual([ID, OTHER]);
  expect(await worktree.commitSpec("spec")).toBe(false);
});

test("prepare runs in the project's repository although a hook of another one calls", async () => {
  using other = await gitProject();
  process.env["GIT_DIR"] = join(other.root, ".git");
  process.env["GIT_INDEX_FILE"] = join(other.root, ".git/index");

  try {
    await project.worktrees.prepareWorktree(ID, OPTIONS);
  } finally {
    delete process.env["GIT_DIR"];
    delete process.env["GIT_INDEX_FILE"];
  }

  expect(await project.mustGit("branch", "--list", "planner/*")).toContain(ID);
  expect(other.list(".git")).not.toContain("worktrees");
});

test.each([
  [{ branchPrefix: "-x", mainBranch: null }, "git does not allow that name"],
  [{ branchPrefix: "a..b", mainBranch: null }, "git does not allow that name"],
  [{ branchPrefix: "planner/", mainBranch: "none" }, 'Cannot find the main branch "none"'],
])("prepare refuses %j", (options, message) => {
  expect(project.worktrees.prepareWorktree(ID, options)).rejects.toThrow(message);
});

test("prepare refuses a folder that is no worktree, and a branch that is checked out elsewhere", async () => {
  project.write(`${project.tree(ID)}/file.txt`, "somebody's\n");
  await project.mustGit("worktree", "add", "--quiet", join(project.root, "elsewhere"), "-b", `planner/${OTHER}`);

  await expect(project.worktrees.prepareWorktree(ID, OPTIONS)).rejects.toThrow("is not a git worktree");
  await expect(project.worktrees.prepareWorktree(OTHER, OPTIONS)).rejects.toThrow("is checked out in");
});

test("prepare waits for a worktree that another git has only half made", async () => {
  const half = join(project.root, ".git/worktrees/half");
  mkdirSync(half, { recursive: true });
  writeFileSync(join(half, "gitdir"), `${join(project.root, "elsewhere", ".git")}\n`);
  writeFileSync(join(half, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(half, "commondir"), "");
  expect((await project.git(["worktree", "list"])).stderr).toContain("commondir");

  const prepared = project.worktrees.prepareWorktree(ID, OPTIONS);
  setTimeout(() => writeFileSync(join(half, "commondir"), "../..\n"), 50);

  expect(await prepared).toMatchObject({ branch: `planner/${ID}`, reused: false });
});

test("prepare and merge ask git as often for fifty changed specs as for one", async () => {
  const gitsFor = async (count: number): Promise<number> => {
    using project = await worktreeProject();
    const ids = Array.from({ length: count }, (_, index) => `2026-01-05-${String(index + 100)}-new`);
    for (const id of ids) project.spec(id, SPEC);
    await project.mustGit("add", "--all");
    await project.mustGit("commit", "--quiet", "-m", "specs");
    for (const id of ids) project.spec(id, `${SPEC}changed\n`);
    const asked = spyOn(Git.prototype, "try");
    try {
      const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);
      expect(worktree.copied).toHaveLength(count);
      const agent = agentIn(project, worktree);
      agent.write("src/code.txt", "one\n");
      await agent.commitAll();
      expect(await project.worktrees.mergeBranch(ID)).toMatchObject({ kind: "merged" });
      for (const id of ids) expect(project.read(`.planner/specs/${id}.md`)).toBe(`${SPEC}changed\n`);
      return asked.mock.calls.length;
    } finally {
      asked.mockRestore();
    }
  };

  expect(await gitsFor(50)).toBe(await gitsFor(1));
});
