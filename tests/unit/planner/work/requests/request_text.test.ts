import { expect, test } from "bun:test";
import {
  buildRequestBody,
  buildRequestTitle,
  type RequestFacts,
  replacePlannerSection,
} from "#planner/work/requests/request_text.ts";
import { markCriterion } from "#planner/work/reviewed_criteria.ts";

const RESULT = {
  ...{ passed: true, problem: null, duration_ms: 1234, at: "2026-11-24T08:00:00.000Z", commit: "c".repeat(40) },
  ...{ beside: false, last_lines: [] },
};

const OWN = {
  number: 1,
  label: "It works",
  checked: true,
  verify: "npm test",
  verdict: "proven",
  result: RESULT,
} as const;
const CRITERION = markCriterion(OWN);

const FACTS: RequestFacts = {
  ...{ spec_id: "2026-11-01-001-one", title: "Open\n the @shop", criteria: [CRITERION], dropped: [], files: 2 },
  commits: [{ hash: "d".repeat(40), subject: "planner(x): do | it" }],
  record: {
    ...{ run: 2, mode: "single", status: "completed", reasons: [], warnings: ["<b>"], started_at: null },
    ...{ ended_at: "2026-11-24T08:00:00.000Z", agent: "claude", model: "opus", base: null, head: null },
    ...{ unproven: null, beside: [], failed: [] },
  },
};

test("buildRequestBody has a row for each criterion, the run and the commits", () => {
  const rows = (facts: Partial<RequestFacts>) =>
    buildRequestBody({ ...FACTS, ...facts })
      .split("\n")
      .filter((line) => line.startsWith("| "));
  expect(rows({})[2]).toBe(
    "| ✅ | It works | <code>npm test</code> | proven: passed in 1.2 s on <code>cccccccccc</code> |",
  );
  const problem = "ended with status 1";
  const lines = { ...RESULT, passed: false, problem, last_lines: ["1 | <b>", "@me"] };
  const failed = { criteria: [markCriterion({ ...OWN, verdict: "disproven", result: lines })] };
  expect(rows(failed)[2]).toContain("| ❌ |");
  expect(buildRequestBody({ ...FACTS, ...failed })).toContain(
    "\n**Last lines of failed checks**\n\n- <code>npm test</code><br><code>1 &#124; &#60;b&#62;</code><br><code>&#64;me</code>\n",
  );
  expect(rows({ dropped: [{ label: "Rope", reason: "not sold" }] })[3]).toBe(
    "| ➖ | Rope | none | dropped: not sold |",
  );
  expect(rows({ criteria: [markCriterion({ ...OWN, verdict: "not_run", result: null })] })[2]).toContain(
    "| ☑️ | It works | <code>npm test</code> | claimed: its check has not run |",
  );
  const manual = { ...OWN, verify: null, result: null };
  const row = (checked: boolean) =>
    rows({ criteria: [markCriterion({ ...manual, checked, verdict: checked ? "checked" : "unchecked" })] })[2];
  expect(row(true)).toBe("| ☑️ | It works | none | claimed: it names no check |");
  expect(row(false)).toBe("| ⬜ | It works | none | open |");
  const body = buildRequestBody(FACTS);
  expect(body).toContain("Run 2 by claude (opus): completed, 2026-11-24");
  expect(body).toContain("- &#60;&#8203;b&#62;&#8203;");
  expect(body).toContain("- <code>dddddddddd</code> planner(x): do &#124;&#8203; it");
  expect(buildRequestBody({ ...FACTS, record: null, criteria: [] })).toContain("The spec has no criteria.");
});

test("buildRequestBody fits into what a forge takes, and counts what it leaves out", () => {
  const criteria = Array.from({ length: 150 }, () => ({ ...CRITERION, label: "|".repeat(400) }));
  const commits = Array.from({ length: 5000 }, () => ({ hash: "d".repeat(40), subject: "<".repeat(400) }));
  const body = buildRequestBody({ ...FACTS, criteria, commits });
  expect(body.length).toBeLessThan(65_000);
  expect(body).toMatch(/\nand \d+ more\n/);
  expect(body).toMatch(/\n- and \d+ more\n/);
});

test("replaceBody replaces planner's part alone", () => {
  const [first, second] = [buildRequestBody(FACTS), buildRequestBody({ ...FACTS, files: 9 })];
  expect(replacePlannerSection(`Mine.\n\n${first}\n\nMine too.`, second)).toBe(`Mine.\n\n${second}\n\nMine too.`);
  expect(replacePlannerSection("", first)).toBe(first);
  expect(replacePlannerSection("Mine.\n", first)).toBe(`Mine.\n\n${first}`);
  expect(replacePlannerSection(first, first)).toBe(first);
});

test("buildRequestTitle is one line, and never empty", () => {
  expect(buildRequestTitle(FACTS)).toBe("Open the @shop");
  expect(buildRequestTitle({ ...FACTS, title: null })).toBe("2026-11-01-001-one");
  expect(buildRequestTitle({ ...FACTS, title: " \u0007\n" })).toBe("2026-11-01-001-one");
  expect(buildRequestTitle({ ...FACTS, title: "x".repeat(300) })).toHaveLength(201);
});
