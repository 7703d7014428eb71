import { expect, test } from "bun:test";
import type { OutputVerdict } from "#planner/ports.ts";
import { findingsOf, ID, said, specText } from "../../../../support/lint_world.ts";

const completed = specText("status: completed\noutput_schema: report.json");
const judged = (verdict: OutputVerdict) => ({ outputs: { [ID]: verdict } });

test("output reports each problem of a completed spec's output", async () => {
  const failed = {
    kind: "failed",
    problems: ["missing required field 'a'", "/b: expected string, got number"],
  } as const;

  expect(await findingsOf("output", { [ID]: completed }, judged(failed))).toEqual([
    {
      rule: "output",
      severity: "error",
      field: "output_schema",
      message: "output does not match schema 'report.json': missing required field 'a'",
      allowed: [],
      suggestion: `Look into .planner/logs/${ID}.log`,
      line: 3,
      column: 16,
    },
    {
      rule: "output",
      severity: "error",
      field: "output_schema",
      message: "output does not match schema 'report.json': /b: expected string, got number",
      allowed: [],
      suggestion: `Look into .planner/logs/${ID}.log`,
      line: 3,
      column: 16,
    },
  ]);
});

test("output reports an output without JSON and a schema that cannot be used", async () => {
  expect(await said("output", completed, judged({ kind: "no_json" }))).toEqual([
    "error: output does not match schema 'report.json': no JSON in the last run's output",
  ]);
  expect(await said("output", completed, judged({ kind: "invalid_schema", problems: ["no such file"] }))).toEqual([
    "error: schema 'report.json' is unusable: no such file",
  ]);
});

test("output is content with an output that fits and with a spec that has none", async () => {
  expect(await said("output", completed, judged({ kind: "passed" }))).toEqual([]);
  expect(await said("output", completed)).toEqual([]);
});

test("output asks nothing of a spec that is not completed", async () => {
  const open = specText("status: in_progress\noutput_schema: report.json");

  expect(await said("output", open, judged({ kind: "no_json" }))).toEqual([]);
});
