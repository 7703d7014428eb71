import { expect, test } from "bun:test";
import { cleanLastLines } from "#planner/work/provenance.ts";
import { buildReviewedCriteria } from "#planner/work/reviewed_criteria.ts";

const ID = "2026-11-01-001-one";
const HEAD = "a".repeat(40);
const OTHER = "b".repeat(40);
const BODY = (box: string) => `# T\n\n## Acceptance Criteria\n\n- [${box}] It works\n  verify: npm test\n`;

const PASSED = { command: "npm test", problem: null, duration_ms: 200 };
const FAILED = { ...PASSED, problem: "ended with status 1", last_lines: ["1 failing", "expected 2"] };

/** A record with one judged criterion, as a program wrote it. */
const record = (verdict: unknown, check: unknown, other: object = {}) => ({
  run: 1,
  runs: [1],
  record: { spec_id: ID, head: HEAD, criteria: [{ label: "It works", checked: true, verdict, check }], ...other },
});

const BESIDE = { proof: { where: "worktree", beside: ["node_modules/x"] } };

/** What the box says, the latest record, the last commit of the work, and the mark with its reason. */
const ROWS: readonly [string, string, ReturnType<typeof record> | null, string | null, string | null][] = [
  ["a passed check", "x", record("proven", PASSED), HEAD, "proven: passed in 0.2 s on aaaaaaaaaa"],
  ["a passed check of an open box", " ", record("proven", PASSED), HEAD, "proven: passed in 0.2 s on aaaaaaaaaa"],
  ["a passed check of merged work", "x", record("proven", PASSED), null, "proven: passed in 0.2 s on aaaaaaaaaa"],
  ["a failed check", "x", record("disproven", FAILED), HEAD, "disproven: ended with status 1 in 0.2 s on aaaaaaaaaa"],
  [
    "a failed check of an open box",
    " ",
    record("disproven", FAILED),
    HEAD,
    "disproven: ended with status 1 in 0.2 s on aaaaaaaaaa",
  ],
  ["no record", "x", null, HEAD, "claimed: its check has not run"],
  ["an open box without a record", " ", null, HEAD, "open: its check has not run"],
  [
    "a check that passed earlier",
    "x",
    record("proven", PASSED),
    OTHER,
    "claimed: its check passed in 0.2 s on aaaaaaaaaa, and not on the last commit",
  ],
  [
    "a check that failed earlier",
    "x",
    record("disproven", FAILED),
    OTHER,
    "claimed: its check ended with status 1 in 0.2 s on aaaaaaaaaa, and not on the last commit",
  ],
  [
    "a check beside ignored files",
    "x",
    record("proven", PASSED, BESIDE),
    HEAD,
    "claimed: its check passed in 0.2 s on aaaaaaaaaa, beside files that no commit holds",
  ],
  [
    "an edited check",
    "x",
    record("edited", PASSED),
    HEAD,
    "claimed: its check passed in 0.2 s on aaaaaaaaaa, but not with the main branch's version of a file that it names",
  ],
  [
    "a check that waits",
    "x",
    record("proposed", null),
    HEAD,
    "claimed: no person of this machine has accepted its check",
  ],
  ["a check that was not run", " ", record("not_run", null), HEAD, "open: its check has not run"],
  [
    "the record of another spec",
    "x",
    record("proven", PASSED, { spec_id: "2026-11-01-002-two" }),
    HEAD,
    "claimed: its check has not run",
  ],
  [
    "a record of another check",
    "x",
    record("proven", { ...PASSED, command: "true" }),
    HEAD,
    "claimed: its check has not run",
  ],
  ["a record that says proven without a result", "x", record("proven", null), HEAD, "claimed: its check has not run"],
  [
    "a record that says proven of a failure",
    "x",
    record("proven", FAILED),
    HEAD,
    "claimed: its check ended with status 1 in 0.2 s on aaaaaaaaaa",
  ],
  [
    "a record that names no commit",
    "x",
    record("proven", PASSED, { head: "main" }),
    null,
    "claimed: its check passed in 0.2 s",
  ],
  [
    "a record with an unknown verdict",
    "x",
    record("splendid", PASSED),
    HEAD,
    "claimed: its check passed in 0.2 s on aaaaaaaaaa, and not on the last commit",
  ],
];

for (const [name, box, kept, head, explanation] of ROWS) {
  test(`a criterion is marked by ${name}`, () => {
    const [criterion] = buildReviewedCriteria({ id: ID, body: BODY(box) }, kept, head);
    expect(criterion?.explanation).toBe(explanation);
    const word = explanation?.split(/[ :]/)[0];
    expect(criterion?.mark).toBe((word === "open" ? null : word) as "claimed");
  });
}

test("a criterion without a check is claimed or open, whatever a record says", () => {
  const body = "## Acceptance Criteria\n\n- [x] It works\n- [ ] It reads well\n";
  const marked = buildReviewedCriteria({ id: ID, body }, record("proven", PASSED), HEAD);
  expect(marked.map(({ mark, explanation }) => [mark, explanation])).toEqual([
    ["claimed", "claimed: it names no check"],
    [null, null],
  ]);
});

test("a failed check has its last lines, and one of an earlier version's record has none", () => {
  const [now] = buildReviewedCriteria({ id: ID, body: BODY("x") }, record("disproven", FAILED), HEAD);
  expect(now?.result?.last_lines).toEqual(["1 failing", "expected 2"]);
  const { last_lines: _, ...old } = FAILED;
  const [before] = buildReviewedCriteria({ id: ID, body: BODY("x") }, record("disproven", old), HEAD);
  expect([before?.mark, before?.result?.last_lines]).toEqual(["disproven", []]);
});

/** What a program printed, and the lines that are kept of it. */
const OUTPUTS: readonly [string, readonly string[], readonly string[]][] = [
  ["plain lines stay", ["ok 1", "not ok 2"], ["ok 1", "not ok 2"]],
  ["indents and letters of all languages stay", ["  – é 日本 🎉"], ["  – é 日本 🎉"]],
  ["nothing stays nothing", [], []],
  ["ten lines stay", Array.from({ length: 10 }, (_, n) => `${n}`), Array.from({ length: 10 }, (_, n) => `${n}`)],
  [
    "more lines are cut at the start",
    Array.from({ length: 30 }, (_, n) => `${n}`),
    Array.from({ length: 10 }, (_, n) => `${n + 20}`),
  ],
  ["blank lines do not count", ["a", "", "  ", "\t", "b", ""], ["a", "b"]],
  ["colours go", ["\u001b[31mFAIL\u001b[0m x"], ["FAIL x"]],
  ["titles of terminals go", ["\u001b]0;title\u0007x"], ["x"]],
  ["a line that is drawn again shows its end", ["1 %\r50 %\r100 %"], ["100 %"]],
  ["a carriage return at the end is none", ["done\r"], ["done"]],
  ["other control characters are visible", ["a\u0000b\u0008c\u009b"], ["a\ufffdb\ufffdc\ufffd"]],
  ["separators and marks of direction are visible", ["a\u2028b\u202ec"], ["a\ufffdb\ufffdc"]],
  ["tabs are blanks", ["a\tb"], ["a  b"]],
  ["half of a pair is a whole sign", ["a\ud83c"], ["a\ufffd"]],
];

for (const [name, printed, kept] of OUTPUTS) {
  test(`cleanLastLines: ${name}`, () => {
    expect(cleanLastLines(printed)).toEqual(kept);
    expect(cleanLastLines(cleanLastLines(printed))).toEqual(kept);
  });
}

test("cleanLastLines cuts every line to its bytes, between characters", () => {
  for (const letter of ["x", "é", "日", "🎉"]) {
    const [line = ""] = cleanLastLines([letter.repeat(100_000)]);
    expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(300);
    expect(line).toMatch(new RegExp(`^${letter}+…$`, "u"));
  }
});
