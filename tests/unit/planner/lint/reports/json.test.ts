import { expect, test } from "bun:test";
import { buildJsonReport } from "#planner/lint/reports/json.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { ID, lintTexts, specText } from "../../../../support/lint_world.ts";

const file = `.planner/specs/${ID}.md`;

test("jsonReport has the contract's members, and warnings in the shape of errors", async () => {
  const report = await lintTexts({ [ID]: specText("status: nearly\ndepends_on: [nobody]\ntype: code") });

  expect(buildJsonReport(report)).toEqual({
    valid: false,
    errors: [
      {
        file,
        field: "status",
        message: "status 'nearly' not in enum [pending, in_progress, completed, failed]",
        allowed: ["pending", "in_progress", "completed", "failed"],
      },
      { file, field: "depends_on", message: "depends_on 'nobody' does not exist", allowed: [] },
    ],
    warnings: [{ file, field: "labels", message: "missing optional field 'labels'", allowed: [] }],
  });
});

test("jsonReport is valid with warnings alone", async () => {
  expect(buildJsonReport(await lintTexts({ [ID]: specText("status: pending") }))).toMatchObject({
    valid: true,
    errors: [],
  });
});

test("jsonReport tells what was fixed where fixing was asked for", async () => {
  const report = await lintTexts({});

  expect(buildJsonReport(report, [])).toEqual({ valid: true, errors: [], warnings: [], fixed: [] });
  expect(buildJsonReport(report, [{ file, specId: ID as SpecId, fixes: ["mended"] }]).fixed).toEqual([
    { file, fixes: ["mended"] },
  ]);
});
