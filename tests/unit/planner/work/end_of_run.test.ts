import { expect, test } from "bun:test";
import { decideRunEnd, NO_EVIDENCE, type RunEvidence, type RunFacts } from "#planner/work/end_of_run.ts";

const CHECKED = { label: "It is done", checked: true, lost: false, verify: null };
const OPEN = { label: "It is tested", checked: false, lost: false, verify: null };

function run(facts: Partial<Omit<RunFacts, "evidence">> = {}, evidence: Partial<RunEvidence> = {}) {
  return decideRunEnd({
    ...{
      exit: { code: 0, signal: null },
      exitMeaning: null,
      limit: null,
      interrupted: false,
      status: "in_progress",
      ...facts,
    },
    evidence: { ...NO_EVIDENCE, ...evidence },
  });
}

test("decideRunEnd completes a spec whose agent ended well and left the evidence", () => {
  expect(run({}, { criteria: [CHECKED], commits: 1, requireCommit: true })).toEqual({
    status: "completed",
    reasons: [],
  });
});

test("decideRunEnd fails a spec whose agent ended otherwise, whatever the evidence", () => {
  expect(
    run({ exit: { code: 42, signal: null }, exitMeaning: "it reached its limit" }, { criteria: [CHECKED] }),
  ).toEqual({
    status: "failed",
    reasons: ["the agent ended with status 42: it reached its limit"],
  });
  expect(run({ exit: { code: null, signal: "SIGSEGV" } }).reasons).toEqual(["the agent was ended by SIGSEGV"]);
});

test("decideRunEnd names every piece of evidence that is missing", () => {
  const paths = ["a", "b", "c", "d", "e", "f", "g"];

  expect(
    run(
      {},
      {
        criteria: [CHECKED, OPEN, { ...OPEN, label: "It is quick", lost: true }],
        missingWork: "nothing was changed outside .planner/",
        requireCommit: true,
        uncommittedPaths: paths,
        failedChecks: ['"npm test" ended with status 1'],
        outputProblem: "Output validation failed (schema: s.json)",
      },
    ),
  ).toEqual({
    status: "needs_attention",
    reasons: [
      "2 of 3 acceptance criteria are not checked",
      'criteria were removed, reworded or dropped: "It is quick"',
      "nothing was changed outside .planner/",
      "no commit names the spec",
      "changes are not committed: a, b, c, d, e and 2 more",
      '"npm test" ended with status 1',
      "Output validation failed (schema: s.json)",
    ],
  });
});

test("decideRunEnd honours what the agent decided through the tools", () => {
  const crash = { code: 1, signal: null };

  expect(run({ status: "completed", exit: crash }).status).toBe("completed");
  expect(run({ status: "completed", exit: crash }, { criteria: [OPEN] }).status).toBe("needs_attention");
  expect(run({ status: "completed", interrupted: true, exit: crash }).status).toBe("completed");
  expect(run({ status: "cancelled" }).status).toBe("cancelled");
  expect(run({ status: "failed" }, { criteria: [CHECKED] }).status).toBe("failed");
});

test("decideRunEnd fails a run that reached a limit, and says which", () => {
  const limit = "it reached limits.tokens: 1200 of 1000";

  expect(run({ limit, exit: { code: null, signal: "SIGTERM" } }, { commits: 1 })).toEqual({
    status: "failed",
    reasons: [limit],
  });
  expect(run({ limit, status: "completed" }).status).toBe("completed");
});

test("decideRunEnd puts an interrupted spec back only when the run left nothing behind", () => {
  const interrupted = { interrupted: true, exit: { code: null, signal: "SIGTERM" } };

  expect(run(interrupted, { criteria: [OPEN] }).status).toBe("pending");
  for (const left of [{ commits: 1 }, { uncommittedPaths: ["a"] }, { criteria: [CHECKED] }]) {
    expect(run(interrupted, left).status).toBe("failed");
  }
});
