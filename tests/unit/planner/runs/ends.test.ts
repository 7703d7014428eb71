import { expect, test } from "bun:test";
import { endInterruptedRun } from "#planner/runs/doctor/trouble.ts";
import { listWaitingWork } from "#planner/runs/merge/waiting_work.ts";
import { editFields } from "#planner/spec/edit/edit_fields.ts";
import { fakeRuns, ID } from "../../../support/run_fakes.ts";

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
