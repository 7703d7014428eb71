import { expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runPortsKilledAtStep } from "../../../../support/killed_at_step.ts";
import { LAW_RUNS } from "../../../../support/law_runs.ts";
import {
  agentIn,
  ID,
  OPTIONS,
  OTHER,
  SPEC,
  uncommittedIn,
  type WorktreeProject,
  worktreeProject,
} from "../../../../support/worktree_project.ts";

const NEW = "2026-01-05-003-new";
const FILE = `.planner/specs/${ID}.md`;
/** Every step when laws are tried often, else a third of them: each costs a process and a repository. */
const STRIDE = LAW_RUNS >= 1000 ? 1 : 3;

/** A project whose planner files are not committed as they are: one changed, one new, one away, and the spec's own. */
async function changedProject(): Promise<WorktreeProject> {
  const project = await worktreeProject();
  project.write(".planner/templates/gone.md", "gone\n");
  await project.mustGit("add", "-A");
  await project.mustGit("commit", "--quiet", "-m", "a template");
  rmSync(join(project.root, ".planner/templates/gone.md"));
  await project.set(OTHER, { status: "completed" });
  project.write(`.planner/specs/${NEW}.md`, SPEC);
  project.write(FILE, project.read(FILE).replace("Text.", "Text, made clearer."));
  await project.set(ID, { status: "in_progress" });
  return project;
}

/** Kills a preparation at one step after the other, each time in a project of its own. */
async function killPreparing(
  begin: () => Promise<WorktreeProject>,
  look: (project: WorktreeProject, step: number) => Promise<void>,
): Promise<number> {
  for (let step = 1; ; step += STRIDE) {
    using project = await begin();
    const killed = await runPortsKilledAtStep(step, ["prepare", ID], project.root);
    await look(project, step);
    if (!killed) return step;
  }
}

test("a kill while files are brought leaves nothing that reads as work, and nothing is brought into a commit", async () => {
  const steps = await killPreparing(changedProject, async (project, step) => {
    const before = project.read(FILE);
    if (existsSync(join(project.root, project.tree(ID)))) {
      expect({ step, uncommitted: await uncommittedIn(project) }).toEqual({ step, uncommitted: [] });
    }

    const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);

    const agent = agentIn(project, worktree);
    expect({ step, text: await Bun.file(join(worktree.root, FILE)).text() }).toEqual({ step, text: before });
    expect(await Bun.file(join(worktree.root, `.planner/specs/${NEW}.md`)).text()).toBe(SPEC);
    expect(existsSync(join(worktree.root, ".planner/templates/gone.md"))).toBe(false);
    agent.write("done.txt", "done\n");
    await agent.commitAll();
    expect(await agent.git("show", "--format=", "--name-only", "HEAD")).toBe(`${FILE}\ndone.txt\n`);
  });
  expect(steps).toBeGreaterThan(10);
}, 300_000);

test("a kill while files are brought does not keep a merge from ending, and a person's text stays", async () => {
  await killPreparing(changedProject, async (project, step) => {
    const before = project.read(FILE);
    if (!existsSync(join(project.root, project.tree(ID)))) return;

    const answer = await project.worktrees.mergeBranch(ID);

    expect({ step, answer }).toEqual({ step, answer: { kind: "nothing" } });
    expect(project.read(FILE)).toBe(before);
    await project.worktrees.removeWorktree(ID);
    expect(await project.mustGit("branch", "--list", "planner/*")).toBe("");
  });
}, 300_000);

test("a kill while files are brought keeps what an earlier run left in the worktree", async () => {
  const begin = async (): Promise<WorktreeProject> => {
    const project = await changedProject();
    const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);
    const agent = agentIn(project, worktree);
    agent.write("done.txt", "done\n");
    await agent.git("add", "done.txt");
    await agent.git("commit", "--quiet", "-m", "done");
    agent.write("half.txt", "half\n");
    agent.write(FILE, project.read(FILE).replace("- [ ] one", "- [x] one"));
    project.write(FILE, project.read(FILE).replace("# Title", "# Better title"));
    return project;
  };
  await killPreparing(begin, async (project, step) => {
    expect({ step, files: await uncommittedIn(project) }).toEqual({ step, files: [FILE, "half.txt"] });

    const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);

    const text = await Bun.file(join(worktree.root, FILE)).text();
    expect({ step, text }).toEqual({ step, text: project.read(FILE).replace("- [ ] one", "- [x] one") });
    expect(await Bun.file(join(worktree.root, "half.txt")).text()).toBe("half\n");
  });
}, 300_000);
