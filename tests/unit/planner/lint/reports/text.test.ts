import { expect, test } from "bun:test";
import { formatTextReport } from "#planner/lint/reports/text.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { ID, lintTexts, OTHER, specText } from "../../../../support/lint_world.ts";

// docs/contract/spec-tool.md#lint-text-report: "a line `<file>:`, then lines `  error: status '<value>' not in enum
// [<values>]`,
// `  error: depends_on '<id>' does not exist`, `  warning: missing optional field '<name>'`, and a final line
// `<n> errors, <m> warnings`".
test("textReport has the contract's lines to the letter, and places and advice on lines of their own", async () => {
  const report = await lintTexts({
    [ID]: specText("status: nearly\ndepends_on: [2026-01-01-001-zzz]"),
    [OTHER]: specText("status: pendin\nlabels: [a]\ntype: code"),
  });

  expect(formatTextReport(report)).toBe(`.planner/specs/${ID}.md:
  error: status 'nearly' not in enum [pending, in_progress, completed, failed]
    at .planner/specs/${ID}.md:2:9
  warning: missing optional field 'labels'
  warning: missing optional field 'type'
  error: depends_on '2026-01-01-001-zzz' does not exist
    at .planner/specs/${ID}.md:3:14
.planner/specs/${OTHER}.md:
  error: status 'pendin' not in enum [pending, in_progress, completed, failed]
    at .planner/specs/${OTHER}.md:2:9
    → Did you mean 'pending'?
3 errors, 2 warnings
`);
});

test("textReport of a clean project is the count alone", async () => {
  expect(formatTextReport(await lintTexts({}))).toBe("0 errors, 0 warnings\n");
});

test("textReport shows fixes above findings, and files that have nothing else", async () => {
  const report = await lintTexts({ [ID]: specText("status: pending\ntype: code") });
  const fixed = [ID, OTHER].map((id) => ({ file: `.planner/specs/${id}.md`, specId: id as SpecId, fixes: ["mended"] }));

  expect(formatTextReport(report, fixed, "would fix")).toBe(`.planner/specs/${ID}.md:
  would fix: mended
  warning: missing optional field 'labels'
.planner/specs/${OTHER}.md:
  would fix: mended
0 errors, 1 warnings
`);
});

test("textReport keeps a value with line breaks on one line", async () => {
  const report = await lintTexts({ [ID]: specText('status: "near\\nly"\nlabels: [a]') });

  expect(formatTextReport(report)).toContain("\n  error: status 'near ly' not in enum [");
});
