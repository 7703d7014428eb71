import { expect, test } from "bun:test";
import {
  buildRequestBody,
  buildRequestTitle,
  type RequestFacts,
  replacePlannerSection,
} from "#planner/work/requests/request_text.ts";
import type { ReviewedCriterion } from "#planner/work/reviewed_criteria.ts";

const RESULT = {
  ...{ passed: true, problem: null, duration_ms: 1234, at: "2026-11-24T08:00:00.000Z", commit: "c".repeat(40) },
};

const CRITERION: ReviewedCriterion = {
  ...{ number: 1, label: "It works", checked: true, verify: "npm test", verdict: "proven", result: RESULT },
};

const FACTS: RequestFacts = {
  ...{ spec_id: "2026-11-01-001-one", title: "Open\n the @shop", criteria: [CRITERION], dropped: [], files: 2 },
  commits: [{ hash: "d".repeat(40), subject: "planner(x): do | it" }],
  record: {
    ...{ run: 2, mode: "single", status: "completed", reasons: [], warnings: ["<b>"], started_at: null },
    ...{ ended_at: "2026-11-24T08:00:00.000Z", agent: "claude", model: "opus", base: null, head: null },
    ...{ unproven: null, beside: [] },
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
  const failed = { ...CRITERION, verdict: "disproven" as const, result: { ...RESULT, problem: "ended with status 1" } };
  expect(rows({ criteria: [failed] })[2]).toContain("| ❌ |");
  expect(rows({ dropped: [{ label: "Rope", reason: "not sold" }] })[3]).toBe(
    "| ➖ | Rope | none | dropped: not sold |",
  );
  expect(rows({ criteria: [{ ...CRITERION, verdict: "not_run", result: null }] })[2]).toContain(
    "| ⬜ | It works | <code>npm test</code> | not run |",
  );
  const manual = { ...CRITERION, verify: null, result: null };
  expect(rows({ criteria: [{ ...manual, verdict: "checked" }] })[2]).toBe("| ✅ | It works | none | checked by hand |");
  expect(rows({ criteria: [{ ...manual, checked: false, verdict: "unchecked" }] })[2]).toBe(
    "| ⬜ | It works | none | open |",
  );
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
