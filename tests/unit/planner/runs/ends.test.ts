import { expect, test } from "bun:test";
import { endInterruptedRun } from "#planner/runs/doctor/trouble.ts";
import { mergeSpec } from "#planner/runs/merge/merge_specs.ts";
import { listWaitingWork } from "#planner/runs/merge/waiting_work.ts";
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
  [{ kind: "lost", reason: "finished by Ben" } as const, "finished by Ben"],
  [
    { kind: "unknown", reason: "Cannot reach it" } as const,
    `Cannot reach it: "planner merge ${ID} --offline" merges without it`,
  ],
])("mergeSpec merges nothing without the shared claim: %p", async (finish, reason) => {
  using runs = await fakeRuns();
  runs.project.spec(ID, editFields(runs.project.read(`.planner/specs/${ID}.md`), { status: "completed" }));
  runs.script.merge = { kind: "merged", commit: "c", commits: ["c"], notes: [] };
  runs.script.finish = finish;

  const result = await mergeSpec(runs.deps, ID, wishes());

  expect(result).toEqual({ spec_id: ID, outcome: "refused", reason });
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
