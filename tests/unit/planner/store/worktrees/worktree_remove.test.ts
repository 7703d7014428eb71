import { expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { agentIn, ID, OPTIONS, OTHER, SPEC, worktreeProject } from "../../../../support/worktree_project.ts";

const FILE = `.planner/specs/${ID}.md`;

test("remove takes worktree, branch and notes away once everything is merged", async () => {
  using project = await worktreeProject();
  await project.set(OTHER, { status: "in_progress" });
  const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);
  const agent = agentIn(project, worktree);
  await worktree.writePlannerFile(".mcp.json", "{}\n");
  agent.write("done.txt", "done\n");
  await agent.commitAll();
  await project.worktrees.writeStatus({ spec_id: ID, status: "done", error: null });
  await project.worktrees.mergeBranch(ID);

  await project.worktrees.removeWorktree(ID);

  expect(project.list(".planner/worktrees")).toEqual([".gitignore"]);
  expect(await project.mustGit("branch", "--list", "planner/*")).toBe("");
  expect(await project.mustGit("worktree", "list")).not.toContain(ID);
});

test("remove refuses commits that are not merged, with and without the folder", async () => {
  using project = await worktreeProject();
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write("done.txt", "done\n");
  await agent.commitAll();

  await expect(project.worktrees.removeWorktree(ID)).rejects.toThrow(
    `Branch "planner/${ID}" has 1 commit that "main" lacks`,
  );
  rmSync(join(project.root, project.tree(ID)), { recursive: true });
  await expect(project.worktrees.removeWorktree(ID)).rejects.toThrow("has 1 commit");
  expect(await project.mustGit("branch", "--list", "planner/*")).toContain(ID);
});

test("ids and merge know a branch whose worktree and notes git clean has taken away", async () => {
  using project = await worktreeProject();
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write("done.txt", "done\n");
  await agent.commitAll();
  const record = (head: object) => ({ ...head, main_branch: "main" });
  await project.worktrees.storeRecord(ID, `planner/${ID}`, record);
  await project.set(ID, { status: "completed", branch: `planner/${ID}` });
  await project.mustGit("switch", "--quiet", "-c", "feature");
  rmSync(join(project.root, ".planner/worktrees"), { recursive: true });

  expect(await project.worktrees.listIds()).toEqual([ID]);
  expect(await project.worktrees.isMerged(ID)).toBe(false);
  expect(await project.worktrees.mergeBranch(ID)).toMatchObject({ kind: "merged" });
  // The branch that the record names, not the one that is checked out.
  expect(await project.mustGit("show", "main:done.txt")).toBe("done\n");
  expect(await project.mustGit("log", "--format=%s", "feature")).toBe("begin\n");
});

test.each(["half.txt", "src/code.txt", FILE, `.planner/specs/${OTHER}.md`])(
  "remove refuses a change of %s",
  async (path) => {
    using project = await worktreeProject();
    await project.set(OTHER, { status: "in_progress" });
    const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
    agent.write(path, `${SPEC}\nchanged\n`);

    await expect(project.worktrees.removeWorktree(ID)).rejects.toThrow(`has uncommitted changes: "${path}"`);
    expect(readFileSync(join(project.root, project.tree(ID), path), "utf8")).toBe(`${SPEC}\nchanged\n`);
  },
);

test("remove takes a branch whose changes the main branch has as other commits", async () => {
  using project = await worktreeProject();
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write("done.txt", "done\n");
  const commit = await agent.commitAll();
  project.write("first.txt", "first\n");
  await project.mustGit("add", "-A");
  await project.mustGit("commit", "--quiet", "-m", "first");
  await project.mustGit("cherry-pick", commit);

  expect(await project.worktrees.isMerged(ID)).toBe(true);
  await project.worktrees.removeWorktree(ID);
  expect(await project.mustGit("branch", "--list", "planner/*")).toBe("");
});
