import { expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { SpecStore } from "#planner/store/specs/spec_store.ts";
import { runPortsKilledAtStep, storeKilledAtStep } from "../../../../support/killed_at_step.ts";
import { LAW_RUNS } from "../../../../support/law_runs.ts";
import { type TempProject, tempProject } from "../../../../support/temp_project.ts";
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

const MEMBERS = [1, 2, 3].map((number) => `${ID}.${number}` as SpecId);
const PARENT = "---\nstatus: pending # kept\n---\n\n# Title\n";
const FILE = `.planner/specs/${ID}.md`;

/** A project whose split was killed before each of its steps, one after the other; ends with one that came through. */
async function killSplitting(look: (project: TempProject, store: SpecStore, step: number) => Promise<void>) {
  for (let step = 1; ; step++) {
    using project = tempProject();
    project.write(FILE, PARENT);
    const killed = await storeKilledAtStep(step, ["split", ID, "3"], project.root);
    await look(project, new SpecStore(project.root), step);
    if (!killed) return step;
  }
}

/** All or none of a split, as it lies on the disk. */
function isWhole(project: TempProject): boolean {
  const there = MEMBERS.filter((id) => existsSync(join(project.root, `.planner/specs/${id}.md`))).length;
  const driver = project.read(FILE).includes("type: driver\n");
  return driver ? there === MEMBERS.length : there === 0;
}

test("a reader sees all of a split that a kill cut off, or nothing", async () => {
  let cutOff = 0;
  let split = 0;
  const steps = await killSplitting(async (project, store, step) => {
    if (!isWhole(project)) cutOff++;

    const { specs } = await store.readActive();

    const parent = specs.find(({ id }) => id === ID);
    const done = parent?.type === "driver";
    expect({ step, ids: specs.map(({ id }) => id) }).toEqual({ step, ids: done ? [ID, ...MEMBERS] : [ID] });
    expect({ step, members: parent?.members }).toEqual({ step, members: done ? MEMBERS : [] });
    expect(project.read(FILE)).toContain("status: pending # kept\n");
    expect(isWhole(project)).toBe(true);
    expect(existsSync(join(project.root, ".planner/locks/split.json"))).toBe(false);
    if (done) split++;
  });
  expect({ cutOff: cutOff >= 3, split: split >= 4, nothing: steps - split >= 1 }).toEqual({
    cutOff: true,
    split: true,
    nothing: true,
  });
});

test("a writer finishes a split that a kill cut off before it writes", async () => {
  await killSplitting(async (project, store) => {
    await store.create("2026-01-06", (id) => `# ${id}\n`);

    expect(isWhole(project)).toBe(true);
  });
});

test("a cut off split is taken back when its spec was removed since; what somebody changed stays", async () => {
  await killSplitting(async (project, store, step) => {
    const changed = existsSync(join(project.root, `.planner/specs/${MEMBERS[1]}.md`));
    if (isWhole(project)) return;
    if (changed) project.write(`.planner/specs/${MEMBERS[1]}.md`, "# Mine\n");
    rmSync(join(project.root, FILE));

    expect({ step, ids: await store.listIds() }).toEqual({ step, ids: changed ? MEMBERS.slice(1, 2) : [] });
  });
});

test("a note of a split that names files outside of the specs is not followed", async () => {
  using project = tempProject();
  project.write(FILE, PARENT);
  const outside = { id: `${ID}/../../../evil`, text: "evil\n" };
  const stranger = { id: "2026-01-05-002-zzz", text: "evil\n" };
  for (const member of [outside, stranger]) {
    const note = { parent: ID, members: [member], fields: { type: "driver" } };
    project.write(".planner/locks/split.json", JSON.stringify(note));

    await new SpecStore(project.root).edit(ID, (text) => `${text}\nMore.\n`);

    expect(project.list(".planner/specs")).toEqual([`${ID}.md`]);
    expect(existsSync(join(project.root, "evil.md"))).toBe(false);
    expect(project.read(FILE)).toBe(`${PARENT}\nMore.\n`);
    project.write(FILE, PARENT);
  }
});

const NEW = "2026-01-05-003-new";
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
    expect({ step, text: await Bun.file(join(worktree.root, FILE)).text() }).toEqual({
      step,
      text: before,
    });
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
    expect({ step, text }).toEqual({
      step,
      text: project.read(FILE).replace("- [ ] one", "- [x] one"),
    });
    expect(await Bun.file(join(worktree.root, "half.txt")).text()).toBe("half\n");
  });
}, 300_000);
