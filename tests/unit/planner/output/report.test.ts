import { expect, test } from "bun:test";
import { decideOutputConsequence, formatOutputReport } from "../../../../src/planner/output/report.ts";
import type { OutputVerdict } from "../../../../src/planner/ports.ts";

const schemaPath = ".planner/schemas/report.json";
const log = ".planner/logs/2026-11-01-001-abc.log";

test("outputReportLines says in the contract's words that an output passed", () => {
  const lines = formatOutputReport({ schemaPath, verdict: { kind: "passed" }, log });

  expect(lines).toEqual(["Output validation passed (schema: .planner/schemas/report.json)"]);
});

test("outputReportLines names the schema, each problem and the log", () => {
  const verdict: OutputVerdict = {
    kind: "failed",
    problems: ["missing required field 'name'", "/n: expected integer, got string"],
  };

  expect(formatOutputReport({ schemaPath, verdict, log })).toEqual([
    "Output validation failed (schema: .planner/schemas/report.json)",
    "  missing required field 'name'",
    "  /n: expected integer, got string",
    "See the log: .planner/logs/2026-11-01-001-abc.log",
  ]);
});

test("outputReportLines names no log where there is none", () => {
  expect(formatOutputReport({ schemaPath, verdict: { kind: "no_json" }, log: null })).toEqual([
    "Output validation failed (schema: .planner/schemas/report.json)",
    "  no JSON found in the output",
  ]);
});

const MISFITS: readonly OutputVerdict[] = [
  { kind: "failed", problems: ["x"] },
  { kind: "no_json" },
  { kind: "invalid_schema", problems: ["x"] },
];

test.each(MISFITS)("outputConsequence asks for attention in strict mode when the verdict is %j", (verdict) => {
  expect(decideOutputConsequence(verdict, true)).toEqual({ status: "needs_attention", needsWarning: false });
});

test.each(MISFITS)("outputConsequence warns and completes in lax mode when the verdict is %j", (verdict) => {
  expect(decideOutputConsequence(verdict, false)).toEqual({ status: "completed", needsWarning: true });
});

test.each([true, false])("outputConsequence completes what passed or has no schema (strict: %p)", (strict) => {
  expect(decideOutputConsequence({ kind: "passed" }, strict)).toEqual({ status: "completed", needsWarning: false });
  expect(decideOutputConsequence(null, strict)).toEqual({ status: "completed", needsWarning: false });
});
