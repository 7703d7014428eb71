import { expect, test } from "bun:test";
import { agentIn, ID, OPTIONS, SPEC, worktreeProject } from "../../../../support/worktree_project.ts";

const FILE = `.planner/specs/${ID}.md`;
const DONE = SPEC.replace("pending", "completed").replaceAll("[ ]", "[x]");

test("merge takes states of the spec that were committed on the main branch meanwhile for what they are", async () => {
  using project = await worktreeProject();
  await project.set(ID, { status: "in_progress" });
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write(FILE, SPEC.replace("pending", "failed"));
  await agent.commitAll();
  agent.write(FILE, DONE);
  agent.write("done.txt", "done\n");
  await agent.commitAll();
  const worded = (text: string): string => text.replace("# Title", "# A person's title");
  project.write(FILE, worded(SPEC.replace("pending", "failed\ncompleted_at: 2026-01-06T00:00:00.000Z")));
  await project.mustGit("commit", "--quiet", "-am", "everything so far");
  project.write(FILE, worded(DONE));
  await project.mustGit("commit", "--quiet", "-am", "everything once more");

  const answer = await project.worktrees.mergeBranch(ID);

  expect(answer.kind).toBe("merged");
  expect(project.read(FILE)).toBe(worded(DONE));
  expect(project.read("done.txt")).toBe("done\n");
  expect(await project.mustGit("status", "--porcelain")).toBe("");
});

test("merge keeps a person's words where the agent changed the same lines and they are committed on the main branch only", async () => {
  using project = await worktreeProject();
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write(FILE, SPEC.replace("Text.", "Agent's text."));
  await agent.commitAll();
  project.write(FILE, SPEC.replace("Text.", "Person's text."));
  await project.mustGit("commit", "--quiet", "-am", "a person's");
  project.write(FILE, SPEC);

  expect((await project.worktrees.mergeBranch(ID)).kind).toBe("nothing");

  expect(await project.mustGit("show", `HEAD:${FILE}`)).toBe(SPEC.replace("Text.", "Person's text."));
});

test("merge takes planner's own files of runs out of a branch that added them by force", async () => {
  using project = await worktreeProject();
  project.write(".planner/locks/edit.db", "");
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write(".planner/locks/edit.db", "locked\n");
  await agent.git("add", "--force", ".planner/locks/edit.db");
  agent.write("done.txt", "done\n");
  await agent.commitAll();

  const notes = [expect.stringContaining('".planner/locks/edit.db" is planner\'s own')];
  expect(await project.worktrees.mergeBranch(ID)).toMatchObject({ kind: "merged", notes });
  expect(await project.mustGit("ls-files", "done.txt", ".planner/locks")).toBe("done.txt\n");
  expect(project.read(".planner/locks/edit.db")).not.toBe("locked\n");
});
