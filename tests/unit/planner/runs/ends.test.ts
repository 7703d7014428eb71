import { expect, test } from "bun:test";
import { endInterruptedRun } from "#planner/runs/doctor/trouble.ts";
import { mergeSpec } from "#planner/runs/merge/merge_specs.ts";
import { listWaitingWork } from "#planner/runs/merge/waiting_work.ts";
import { describeMissingWork } from "#planner/runs/run/run_commands.ts";
import { editFields } from "#planner/spec/edit/edit_fields.ts";
import { fakeRuns, ID, wishes } from "../../../support/run_fakes.ts";

/** A run that was cut off: its spec and its worktree's status as a killed process leaves them. */
async function cutOff(status: string) {
  const runs = await fakeRuns();
  runs.project.spec(ID, editFields(runs.project.read(`.planner/specs/${ID}.md`), { status }));
  runs.project.write(`${runs.project.tree(ID)}/x`, "");
  runs.project.write(`.planner/worktrees/${ID}.status.json`, JSON.stringify({ spec_id: ID, status: "working" }));
  return runs;
}

test.each([
  ["in_progress", "failed", { status: "failed", error: "the process that ran it is gone" }],
  ["completed", "completed", { status: "done", error: null }],
  ["cancelled", "cancelled", { status: "failed", error: "the process that ran it is gone" }],
])("endStranded says what is true of a spec that is %s", async (before, after, status) => {
  using runs = await cutOff(before);

  const said = await endInterruptedRun(runs.deps, ID);

  expect(said).toBe(before === after ? null : `set spec ${ID} to failed`);
  expect(runs.status()).toBe(after);
  expect(runs.statuses).toMatchObject([status]);
});

test("mergeSpecText in a conflict makes the spec need attention and leaves advice in the status file", async () => {
  using runs = await fakeRuns();
  runs.project.spec(ID, editFields(runs.project.read(`.planner/specs/${ID}.md`), { status: "completed" }));
  runs.script.merge = { kind: "conflict", files: ["a.txt"] };

  const result = await mergeSpec(runs.deps, ID, wishes());

  expect(result).toMatchObject({ outcome: "conflict", files: ["a.txt"] });
  expect(runs.status()).toBe("needs_attention");
  expect(runs.statuses).toMatchObject([{ status: "failed", error: expect.stringContaining('"git rebase main"') }]);
  expect(runs.others).toEqual(["claim released"]);
});

test.each([
  ["in_progress", true],
  ["failed", true],
  ["completed", true],
  ["pending", false],
  ["needs_attention", false],
])("waitingWork takes the work of a spec that is %s: %p", async (status, taken) => {
  using runs = await cutOff(status);
  runs.project.write(`.planner/worktrees/${ID}.status.json`, JSON.stringify({ spec_id: ID, status: "done" }));

  const { finished, left } = await listWaitingWork(runs.deps);

  expect([finished.length, left.length]).toEqual(taken ? [1, 0] : [0, 1]);
});

const LACKS = "the worktree lacks what is not committed in the project: ";
const GOES_ON = "the work goes on from where it ended: it lacks ";

/** Uncommitted paths of the checkout, commits that the work lacks, and what is said before the agent starts. */
const ROWS: readonly [readonly string[], number, readonly string[]][] = [
  [[], 0, []],
  [[".planner/config.md"], 0, []],
  [[".planner/specs/2026-11-01-001-one.md", ".planner/prompts/"], 0, []],
  [["shop/.planner/specs/2026-11-01-001-one.md"], 0, []],
  [["a.txt"], 0, [`${LACKS}a.txt`]],
  [["src/"], 0, [`${LACKS}src/`]],
  [["new file.txt"], 0, [`${LACKS}new file.txt`]],
  [["planner/a.txt"], 0, [`${LACKS}planner/a.txt`]],
  [["docs/.planner.md"], 0, [`${LACKS}docs/.planner.md`]],
  [["a", "b", ".planner/x", "c", "d", "e"], 0, [`${LACKS}a, b, c, d, e`]],
  [["a", "b", "c", "d", "e", "f", "g"], 0, [expect.stringContaining(`${LACKS}a, b, c, d, e`)]],
  [[], 1, [`${GOES_ON}1 newer commit of "main" until it is merged`]],
  [[], 12, [`${GOES_ON}12 newer commits of "main" until it is merged`]],
  [["a"], 2, [`${LACKS}a`, `${GOES_ON}2 newer commits of "main" until it is merged`]],
];

for (const [uncommitted, newerCommits, said] of ROWS) {
  test(`before an agent starts with ${JSON.stringify(uncommitted)} and ${newerCommits} newer commits`, () => {
    expect(describeMissingWork({ uncommitted, newerCommits }, { mainBranch: "main" })).toEqual(said);
  });
}
