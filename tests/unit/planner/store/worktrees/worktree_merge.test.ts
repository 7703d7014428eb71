import { expect, test } from "bun:test";
import { existsSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { eachTest } from "../../../../support/each_test.ts";
import {
  agentIn,
  ID,
  OPTIONS,
  OTHER,
  SPEC,
  uncommittedIn,
  worktreeProject,
} from "../../../../support/worktree_project.ts";

const FILE = `.planner/specs/${ID}.md`;
const DONE = SPEC.replace("pending", "completed").replaceAll("[ ]", "[x]");

async function headOf(project: { mustGit(...args: string[]): Promise<string> }, ref = "main"): Promise<string> {
  return (await project.mustGit("rev-parse", ref)).trim();
}

const project = eachTest(worktreeProject);

test("the next run begins with a conflict although unchanged files have other times", async () => {
  const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);
  const agent = agentIn(project, worktree);
  agent.write("src/code.txt", "agent\n");
  const commit = await agent.commitAll();
  project.write("src/code.txt", "person\n");
  await project.mustGit("commit", "--quiet", "-am", "person");
  await project.worktrees.mergeBranch(ID);
  utimesSync(join(worktree.path, "src/code.txt"), 1, 1);

  const { begunAnew } = await project.worktrees.prepareWorktree(ID, OPTIONS);

  expect(begunAnew).toEqual({ commit, files: ["src/code.txt"] });
});

test("merge leaves a spec alone that it has brought back and that went on since", async () => {
  await project.set(ID, { status: "in_progress" });
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write(FILE, DONE.replace("completed", "in_progress"));
  await agent.commitAll();
  await project.worktrees.mergeBranch(ID);
  await project.set(ID, { status: "completed" });

  const answer = await project.worktrees.mergeBranch(ID);

  expect(answer.kind).toBe("nothing");
  expect(project.read(FILE)).toBe(DONE);
});

test("merge brings a spec home that is in no commit, or in the branch's only", async () => {
  const [mine, theirs] = ["2026-01-05-003-aaa", "2026-01-05-004-bbb"] as (typeof ID)[];
  for (const id of [mine, theirs]) {
    if (id === undefined) continue;
    project.spec(id, SPEC);
    const agent = agentIn(project, await project.worktrees.prepareWorktree(id, OPTIONS));
    agent.write(`.planner/specs/${id}.md`, DONE);
    agent.write(`${id}.txt`, "done\n");
    await agent.commitAll(`planner(${id}): work`);
  }

  for (const id of [mine, theirs]) {
    if (id === undefined) continue;
    expect((await project.worktrees.mergeBranch(id)).kind).toBe("merged");
    expect(project.read(`.planner/specs/${id}.md`)).toBe(DONE);
  }
  expect(await project.mustGit("status", "--porcelain")).toBe("");
});

test("merge brings back a spec that git ignores", async () => {
  await project.mustGit("rm", "--quiet", "-r", "--cached", ".planner");
  project.write(".gitignore", ".planner/\n");
  await project.mustGit("add", ".gitignore");
  await project.mustGit("commit", "--quiet", "-m", "local only");
  await project.set(ID, { status: "in_progress" });
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write(FILE, DONE);
  agent.write("done.txt", "done\n");
  await agent.commitAll();

  await expect(project.worktrees.removeWorktree(ID)).rejects.toThrow(`has uncommitted changes: "${FILE}"`);
  expect((await project.worktrees.mergeBranch(ID)).kind).toBe("merged");
  expect(project.read(FILE)).toBe(DONE);
  await project.worktrees.removeWorktree(ID);
});

test("merge takes a branch whose commits hold another spec's earlier state, and the project's state stays", async () => {
  await project.set(OTHER, { status: "in_progress" });
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  await agent.git("update-index", "--no-skip-worktree", `.planner/specs/${OTHER}.md`);
  agent.write("done.txt", "done\n");
  await agent.commitAll();
  await project.set(OTHER, { status: "completed" });
  await project.mustGit("commit", "--quiet", "-am", "the other is completed");
  await project.set(OTHER, { status: "needs_attention" });

  const answer = await project.worktrees.mergeBranch(ID);

  expect(answer.kind).toBe("merged");
  expect(project.read(`.planner/specs/${OTHER}.md`)).toContain("status: needs_attention");
  expect(await project.mustGit("show", `HEAD:.planner/specs/${OTHER}.md`)).toContain("status: completed");
});

test("merge refuses uncommitted changes in the worktree", async () => {
  const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);
  const agent = agentIn(project, worktree);
  agent.write("done.txt", "done\n");
  const commit = await agent.commitAll();
  agent.write("more.txt", "not yet\n");

  await expect(project.worktrees.mergeBranch(ID)).rejects.toThrow('has uncommitted changes: "more.txt"');
  expect(await headOf(project, `planner/${ID}`)).toBe(commit);
  expect(existsSync(join(project.root, "done.txt"))).toBe(false);
});

test("merge moves a main branch that is checked out nowhere", async () => {
  await project.mustGit("checkout", "--quiet", "-b", "desk");
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, { ...OPTIONS, mainBranch: "main" }));
  agent.write("done.txt", "done\n");
  const commit = await agent.commitAll();

  const answer = await project.worktrees.mergeBranch(ID);

  expect(answer.kind).toBe("merged");
  expect(await headOf(project)).toBe(commit);
  expect(existsSync(join(project.root, "done.txt"))).toBe(false);
});

test("merges that come at once all arrive", async () => {
  const ids = Array.from({ length: 4 }, (_, at) => `2026-01-06-00${at + 1}-abc` as typeof ID);
  for (const id of ids) {
    project.spec(id, SPEC);
    const agent = agentIn(project, await project.worktrees.prepareWorktree(id, OPTIONS));
    agent.write(`${id}.txt`, "done\n");
    agent.write(`.planner/specs/${id}.md`, DONE);
    await agent.commitAll();
  }

  const answers = await Promise.all(ids.map((id) => project.worktrees.mergeBranch(id)));

  expect(answers.map(({ kind }) => kind)).toEqual(ids.map(() => "merged"));
  expect(ids.every((id) => project.read(`.planner/specs/${id}.md`) === DONE)).toBe(true);
  expect(await project.mustGit("status", "--porcelain")).toBe("");
}, 240_000);

test("merge recreates a deleted worktree from its branch", async () => {
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write("done.txt", "done\n");
  const commit = await agent.commitAll();
  rmSync(join(project.root, project.tree(ID)), { recursive: true });

  expect(await project.worktrees.mergeBranch(ID)).toMatchObject({ kind: "merged", commit });
});

test("merge leaves a rebase alone that the agent had begun", async () => {
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write("src/code.txt", "agent\n");
  await agent.commitAll();
  project.write("src/code.txt", "person\n");
  await project.mustGit("commit", "--quiet", "-am", "person");
  await project.git(["rebase", "main"], { cwd: join(project.root, project.tree(ID)) });

  await expect(project.worktrees.mergeBranch(ID)).rejects.toThrow("a rebase was begun");
  await expect(project.worktrees.removeWorktree(ID)).rejects.toThrow("a rebase was begun");
  expect(await agent.git("status")).toContain("both modified:   src/code.txt");
});

test("commitSpec commits the spec's file and no other", async () => {
  const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);
  const agent = agentIn(project, worktree);
  agent.write(FILE, DONE);
  agent.write("half.txt", "half\n");
  await agent.git("add", "half.txt");

  const committed = await worktree.commitSpec(`planner(${ID}): finish`);
  const again = await worktree.commitSpec("again");

  expect([committed, again]).toEqual([true, false]);
  expect(await agent.git("show", "--name-only", "--format=%s")).toBe(`planner(${ID}): finish\n\n${FILE}\n`);
  expect(await uncommittedIn(project)).toEqual(["half.txt"]);
});
