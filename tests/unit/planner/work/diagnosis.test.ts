import { expect, test } from "bun:test";
import { parseCriteria } from "../../../../src/planner/spec/criteria.ts";
import { diagnoseSpec, type SpecFacts } from "../../../../src/planner/work/diagnosis.ts";

const NOW = new Date("2026-11-21T12:00:00Z");

function signs(given: Partial<SpecFacts>): SpecFacts {
  return {
    id: "a",
    problem: null,
    status: "pending",
    criteria: [],
    log: null,
    lock: null,
    isWorkedOn: given.lock?.alive === true,
    commits: [],
    now: NOW,
    ...given,
  };
}

const log = (secondsAgo: number): SpecFacts["log"] => ({
  size: 42,
  modified: new Date(NOW.getTime() - secondsAgo * 1000),
});
const lock = (alive: boolean): SpecFacts["lock"] => ({ pid: 7, alive, file: ".planner/locks/a.lock" });
const OPEN = parseCriteria("- [x] One\n- [ ] Two\n");
const CHECKED = parseCriteria("- [x] One\n");
const failed = (given: Partial<SpecFacts>): string[] =>
  diagnoseSpec(signs(given))
    .checks.filter(({ passed }) => !passed)
    .map(({ name }) => name);

test("diagnose makes six checks in their order", () => {
  expect(diagnoseSpec(signs({})).checks.map(({ name }) => name)).toEqual([
    "Spec file",
    "Log file",
    "Lock file",
    "Git commit",
    "Acceptance criteria",
    "Status consistency",
  ]);
});

test("diagnose calls a spec healthy that nobody has begun", () => {
  for (const given of [{}, { criteria: OPEN }, { status: "blocked" }, { status: "cancelled" }]) {
    expect(diagnoseSpec(signs(given))).toMatchObject({
      diagnosis: "All checks passed. Spec appears healthy.",
      suggestion: null,
    });
  }
});

test("diagnose calls a spec healthy while a process works on it", () => {
  const given = { status: "in_progress", lock: lock(true), log: log(1), criteria: OPEN, commits: ["abc1234"] };

  expect(failed(given)).toEqual([]);
});

test("diagnose calls a spec healthy that was completed with or without a run", () => {
  expect(failed({ status: "completed", criteria: CHECKED })).toEqual([]);
  expect(failed({ status: "completed", criteria: CHECKED, log: log(1), commits: ["abc1234"] })).toEqual([]);
});

test("diagnose points at a file that cannot be read", () => {
  const found = diagnoseSpec(signs({ problem: "a.md:3:1: broken", status: null }));

  expect(found.checks[0]).toEqual({ name: "Spec file", passed: false, details: "a.md:3:1: broken" });
  expect(found.diagnosis).toBe("Spec has issues: Spec file, Status consistency");
});

test("diagnose tells how old the log is", () => {
  const details = (age: number): string | undefined => diagnoseSpec(signs({ log: log(age) })).checks[1]?.details;

  expect(details(0.2)).toBe("Exists (42 bytes), last modified: just now");
  expect(details(1)).toEndWith("1 second ago");
  expect(details(119)).toEndWith("1 minute ago");
  expect(details(7200)).toEndWith("2 hours ago");
  expect(details(86_400 * 3)).toEndWith("3 days ago");
});

test("diagnose finds a lock whose process is gone", () => {
  expect(failed({ status: "in_progress", lock: lock(false) })).toEqual(["Lock file", "Status consistency"]);
  expect(diagnoseSpec(signs({ status: "in_progress", lock: lock(false) })).diagnosis).toBe(
    "Spec is in progress but has issues.",
  );
  const details = (pid: number): string | undefined =>
    diagnoseSpec(signs({ lock: { pid, alive: false, file: "a.lock" } })).checks[0]?.details;
  expect(details(7)).toBe("Present, but process 7 is gone (a.lock)");
  expect(details(0)).toBe("Present, but it names no process (a.lock)");
});

test("diagnose sees finished work that nobody finalized", () => {
  const given = { status: "in_progress", commits: ["abc1234"], criteria: CHECKED };

  expect(diagnoseSpec(signs(given))).toMatchObject({
    diagnosis: "Spec appears complete but wasn't finalized.",
    suggestion: "Finalize it: planner finalize a",
  });
});

test("diagnose sees committed work with open criteria", () => {
  const given = { status: "in_progress", commits: ["abc1234"], criteria: OPEN };

  expect(failed(given)).toEqual(["Acceptance criteria", "Status consistency"]);
  expect(diagnoseSpec(signs(given)).diagnosis).toBe("Spec has a commit but acceptance criteria not all satisfied.");
});

test("diagnose finds statuses that contradict the rest", () => {
  expect(failed({ status: "completed", criteria: OPEN })).toEqual(["Acceptance criteria", "Status consistency"]);
  expect(failed({ status: "pending", commits: ["abc1234"] })).toEqual(["Status consistency"]);
  expect(failed({ status: "completed", log: log(1) })).toEqual(["Git commit"]);
  expect(failed({ status: "failed", lock: lock(true), log: log(1) })).toEqual(["Status consistency"]);
  expect(failed({ status: "in_progress", lock: lock(true) })).toEqual(["Log file"]);
});

test("diagnose says why finished work is not merged, and what is ticked in the worktree", () => {
  const conflict = diagnoseSpec(
    signs({ status: "completed", worktreePath: "/w", mergeProblem: "conflict in a.ts: do this" }),
  );
  const paused = diagnoseSpec(
    signs({
      status: "in_progress",
      criteria: OPEN,
      worktreeCriteria: parseCriteria("- [x] One\n- [x] Two\n"),
      worktreePath: "/w",
    }),
  );

  expect(conflict.checks[0]).toEqual({ name: "Merge", passed: false, details: "conflict in a.ts: do this" });
  expect(conflict.suggestion).toContain("planner merge a");
  const criteria = paused.checks.find(({ name }) => name === "Acceptance criteria");
  expect(criteria?.details).toBe("1 unchecked item remains; 2 of 2 are checked in /w");
});

test("diagnose never calls a spec healthy that waits for itself or for a person", () => {
  const waitsFor = [{ id: "b", status: "blocked" }];
  expect(failed({ status: "blocked", openDependencies: waitsFor, cycle: "a -> b -> a" })).toEqual(["Dependencies"]);
  expect(diagnoseSpec(signs({ status: "needs_attention" }))).toMatchObject({
    diagnosis: "Spec is needs_attention, and nothing has recorded why.",
    suggestion: expect.stringContaining("planner work a"),
  });
});
