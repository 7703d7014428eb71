import { expect, test } from "bun:test";
import { findingsOf, ID, said, specText } from "../../../../support/lint_world.ts";

const approval = (...lines: readonly string[]): string =>
  specText(["approval:", ...lines.map((line) => `  ${line}`)].join("\n"));

test("approval takes a block that is whole", async () => {
  expect(await said("approval", approval("required: true", "status: pending"))).toEqual([]);
  expect(await said("approval", approval("required: true"))).toEqual([]);
  expect(await said("approval", approval("status: approved", "by: ann", "at: 2026-11-20T10:00:00Z"))).toEqual([]);
  expect(await said("approval", specText("approval:"))).toEqual([]);
});

test("approval wants of a decision who and when", async () => {
  expect(await said("approval", approval("status: approved"))).toEqual([
    "error: approval.status is 'approved' but approval.by is missing",
    "error: approval.status is 'approved' but approval.at is missing",
  ]);
  expect(await said("approval", approval("status: rejected", "by: ann"))).toEqual([
    "error: approval.status is 'rejected' but approval.at is missing",
  ]);
});

test("approval refuses a name on what nobody decided", async () => {
  expect(
    await findingsOf("approval", { [ID]: approval("required: true", "status: pending", "by: ann") }),
  ).toMatchObject([
    {
      severity: "error",
      field: "approval.by",
      message: "approval.by is 'ann' while approval.status is 'pending'",
      line: 5,
      column: 7,
    },
  ]);
  expect(await said("approval", approval("by: ann"))).toHaveLength(1);
});

test("approval names an unknown status and the allowed ones", async () => {
  expect(await findingsOf("approval", { [ID]: approval("status: aproved") })).toMatchObject([
    {
      field: "approval.status",
      message: "approval.status 'aproved' not in enum [pending, approved, rejected]",
      allowed: ["pending", "approved", "rejected"],
      suggestion: "Did you mean 'approved'?",
      line: 3,
    },
  ]);
});

test("approval must be a block with a boolean in it", async () => {
  expect(await said("approval", specText("approval: yes"))).toEqual(["error: approval must be an object, got string"]);
  expect(await said("approval", approval('required: "true"'))).toEqual([
    "error: approval.required must be a boolean, got string",
  ]);
});
