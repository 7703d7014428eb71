import { expect, test } from "bun:test";
import { findPersonNeed, type PersonNeedFacts } from "#planner/work/person_need.ts";

const need = (signs: Partial<PersonNeedFacts>) =>
  findPersonNeed({ id: "a", status: "pending", worktree: undefined, last: undefined, ...signs });
const failed = (error: string) => ({ error }) as unknown as PersonNeedFacts["last"];

test.each(["pending", "blocked", "in_progress", "cancelled", "completed"])(
  "personNeed asks for nobody, a spec that is %s without a worktree",
  (status) => expect(need({ status })).toBeNull(),
);

test("findHumanInputReason tells finished work from work that a merge refused", () => {
  const done = { status: "done", error: null } as const;
  const finished = {
    kind: "finished",
    why: "Its work is finished and not merged",
    command: "planner review a",
  } as const;

  expect(need({ status: "completed", worktree: done })).toEqual(finished);
  expect(need({ status: "in_progress", worktree: done })).toEqual(finished);
  expect(need({ status: "in_progress", worktree: { ...done, status: "failed" } })).toBeNull();
  expect(need({ status: "completed", worktree: { status: "failed", error: "conflict in b.txt" } })).toEqual({
    ...finished,
    why: "Its work is not merged: conflict in b.txt",
  });
});

test("findHumanInputReason gives the reason of the merge, else of the run, and the command that the reason names", () => {
  const worktree = { status: "failed", error: "conflict in b.txt" } as const;
  const waits = '1 check waits for acceptance: "planner approve a"';

  expect(need({ status: "needs_attention", worktree, last: failed("failed: x") })?.why).toBe("conflict in b.txt");
  expect(need({ status: "failed", last: failed("failed: it ran too long") })).toEqual({
    kind: "failed",
    why: "it ran too long",
    command: "planner work a",
  });
  expect(need({ status: "needs_attention", last: failed(`needs_attention: ${waits}`) })).toEqual({
    kind: "needs_attention",
    why: waits,
    command: "planner approve a",
  });
  expect(need({ status: "needs_attention" })).toEqual({
    kind: "needs_attention",
    why: "No run has recorded the reason",
    command: "planner review a",
  });
});
