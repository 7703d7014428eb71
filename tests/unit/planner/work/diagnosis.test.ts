import { expect, test } from "bun:test";
import { parseCriteria } from "#planner/spec/criteria.ts";
import { diagnoseSpec, type SpecFacts } from "#planner/work/diagnosis.ts";
import { findPersonNeed, type PersonNeedFacts } from "#planner/work/person_need.ts";
import { markCriterion } from "#planner/work/reviewed_criteria.ts";

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

const HEAD = "a".repeat(40);
const MERGED = "b".repeat(40);
const RECORD = {
  ...{ run: 2, mode: "single", status: "completed", unproven: null, head: HEAD, failed: [], objections: [] },
  merged: [MERGED],
};

/** One criterion as `buildReviewedCriteria` marks it. */
function marked(verdict: "proven" | "disproven" | "checked") {
  const result = {
    ...{ passed: verdict === "proven", problem: verdict === "proven" ? null : "ended with status 1", duration_ms: 100 },
    ...{ at: null, commit: HEAD, beside: false, last_lines: verdict === "proven" ? [] : ["expected 2"] },
  };
  const isPlain = verdict === "checked";
  const own = { number: 1, label: "One", checked: true, verify: isPlain ? null : "npm test" };
  return markCriterion({ ...own, verdict, result: isPlain ? null : result });
}

/** What is known of a spec, the checks that fail, and the sentence about it. */
const RECORDED: readonly [string, Partial<SpecFacts>, readonly string[], string][] = [
  [
    "proven and merged",
    { reviewed: [marked("proven")] },
    [],
    "completed by run 2, proven on aaaaaaaaaa and merged as bbbbbbbbbb.",
  ],
  [
    "merged without a commit that names it",
    { log: log(1), reviewed: [marked("proven")] },
    [],
    "completed by run 2, proven on aaaaaaaaaa and merged as bbbbbbbbbb.",
  ],
  [
    "without checks",
    { reviewed: [marked("checked")] },
    [],
    "completed by run 2, its criteria claimed and merged as bbbbbbbbbb.",
  ],
  ["without criteria", {}, [], "completed by run 2 and merged as bbbbbbbbbb."],
  [
    "in part proven",
    { reviewed: [marked("proven"), marked("checked")] },
    [],
    "completed by run 2, 1 proven on aaaaaaaaaa, 1 claimed and merged as bbbbbbbbbb.",
  ],
  [
    "by hand",
    { record: { ...RECORD, mode: "manual", merged: null }, reviewed: [marked("proven")] },
    [],
    "completed by hand (record 2), proven on aaaaaaaaaa.",
  ],
  ["at its merge", { record: { ...RECORD, status: "failed" } }, [], "completed at its merge and merged as bbbbbbbbbb."],
  [
    "without proof",
    { record: { ...RECORD, unproven: "seen by me" }, criteria: OPEN, reviewed: [marked("disproven")] },
    [],
    "completed by run 2, without proof (seen by me) and merged as bbbbbbbbbb.",
  ],
  ["without a record", { record: null }, [], "Spec appears healthy."],
  [
    "a record that disagrees",
    { record: { ...RECORD, objections: ["end: another commit"] } },
    ["Record"],
    "Spec has issues: Record",
  ],
  ["a check that failed", { reviewed: [marked("disproven")] }, ["Criterion 1"], "Spec has issues: Criterion 1"],
  [
    "open criteria",
    { criteria: OPEN },
    ["Acceptance criteria", "Status consistency"],
    "Spec has issues: Acceptance criteria, Status consistency",
  ],
  [
    "a failed run that nothing followed",
    { record: { ...RECORD, status: "failed", merged: null }, log: log(1) },
    ["Git commit"],
    "Spec has issues: Git commit",
  ],
  [
    "not completed",
    { status: "needs_attention", reviewed: [marked("disproven")] },
    ["Criterion 1"],
    "Spec has issues: Criterion 1",
  ],
];

for (const [name, facts, failing, sentence] of RECORDED) {
  test(`diagnose asks the record of a spec: ${name}`, () => {
    const given = signs({ status: "completed", criteria: CHECKED, record: RECORD, ...facts });
    const { checks, diagnosis } = diagnoseSpec(given);
    expect(diagnosis).toEndWith(sentence);
    // What is not in order comes first.
    expect(checks.slice(0, failing.length).map(({ name: check }) => check)).toEqual([...failing]);
    expect(checks.slice(failing.length).filter(({ passed }) => !passed)).toEqual([]);
    const last = checks.find(({ name: check }) => check === "Criterion 1")?.lines;
    if (failing.includes("Criterion 1")) expect(last).toEqual(["expected 2"]);
  });
}

test("diagnose never fails a check of a spec that it calls complete or healthy, whatever the facts", () => {
  const choices: Readonly<Record<string, readonly Partial<SpecFacts>[]>> = {
    status: ["pending", "blocked", "in_progress", "completed", "failed", "needs_attention", "cancelled"].map(
      (status) => ({ status }),
    ),
    criteria: [[], OPEN, CHECKED].map((criteria) => ({ criteria })),
    commits: [[], ["abc1234"]].map((commits) => ({ commits })),
    lock: [null, lock(true), lock(false)].map((one) => ({ lock: one, isWorkedOn: one?.alive === true })),
    log: [null, log(1)].map((one) => ({ log: one })),
    place: [{}, { worktreePath: "/w", worktreeCriteria: CHECKED }, { worktreePath: "/w", mergeProblem: "conflict" }],
    reviewed: [[], [marked("proven")], [marked("disproven")]].map((reviewed) => ({ reviewed })),
    record: [null, RECORD, { ...RECORD, unproven: "seen" }, { ...RECORD, objections: ["x"] }].map((record) => ({
      record,
    })),
  };
  let given: readonly Partial<SpecFacts>[] = [{}];
  for (const options of Object.values(choices))
    given = given.flatMap((one) => options.map((other) => ({ ...one, ...other })));
  let complete = 0;
  for (const facts of given) {
    const { checks, diagnosis } = diagnoseSpec(signs(facts));
    const isGood = /appears|Spec was completed/.test(diagnosis);
    if (isGood) complete++;
    if (isGood) expect([facts, checks.filter(({ passed }) => !passed)]).toEqual([facts, []]);
  }
  expect(complete).toBeGreaterThan(100);
});

const need = (signs: Partial<PersonNeedFacts>) =>
  findPersonNeed({ id: "a", status: "pending", worktree: undefined, last: undefined, ...signs });
const personNeedFailed = (error: string) => ({ error }) as unknown as PersonNeedFacts["last"];

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

  expect(need({ status: "needs_attention", worktree, last: personNeedFailed("failed: x") })?.why).toBe(
    "conflict in b.txt",
  );
  expect(need({ status: "failed", last: personNeedFailed("failed: it ran too long") })).toEqual({
    kind: "failed",
    why: "it ran too long",
    command: "planner work a",
  });
  expect(need({ status: "needs_attention", last: personNeedFailed(`needs_attention: ${waits}`) })).toEqual({
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
