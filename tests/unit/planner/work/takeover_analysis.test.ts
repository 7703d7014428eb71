import { expect, test } from "bun:test";
import { parseCriteria } from "../../../../src/planner/spec/criteria.ts";
import { analyzeAbandonedRun } from "../../../../src/planner/work/takeover_analysis.ts";

const OPEN = parseCriteria("- [x] One\n- [ ] Two\n");

test("analyzeAbandonedRun counts the error lines and quotes the first three", () => {
  const lines = ["start", "Error: one", "test failed", "fatal: three", "panicked at four", "fine"];

  const { analysis, suggestion } = analyzeAbandonedRun({ lines, criteria: [] });

  expect(analysis).toContain("6 log lines in the last run");
  expect(analysis).toContain("4 error lines:\n- Error: one\n- test failed\n- fatal: three\n");
  expect(analysis).not.toContain("panicked");
  expect(suggestion).toContain("Review the errors");
});

test("analyzeAbandonedRun does not take success for an error", () => {
  const lines = [
    "0 errors",
    "found no failures",
    "ran without any errors",
    "12 passed, 0 failed",
    "mirrors everywhere",
  ];

  const { analysis, suggestion } = analyzeAbandonedRun({ lines, criteria: [] });

  expect(analysis).toContain("No error lines");
  expect(suggestion).not.toContain("Review the errors");
});

test("analyzeAbandonedRun tells whether the run spoke of completion", () => {
  const spoke = (line: string): boolean =>
    analyzeAbandonedRun({ lines: [line], criteria: [] }).analysis.includes("The run spoke of completion");

  expect(spoke("The work is complete.")).toBe(true);
  expect(spoke("All tests passed")).toBe(true);
  expect(spoke("This is not yet complete")).toBe(false);
  expect(spoke("incomplete")).toBe(false);
  expect(spoke("still at it")).toBe(false);
});

test("analyzeAbandonedRun counts lines about tools", () => {
  const lines = ["tool_use: read_file", "calling tool write", "planner_status {}", "nothing"];

  expect(analyzeAbandonedRun({ lines, criteria: [] }).analysis).toContain("3 lines about tool calls");
});

test("analyzeAbandonedRun says what is left to do", () => {
  const step = (body: string): string => analyzeAbandonedRun({ lines: [], criteria: parseCriteria(body) }).suggestion;

  expect(step("- [x] One\n- [ ] Two\n")).toStartWith("1 acceptance criterion still open");
  expect(step("- [ ] One\n- [ ] Two\n")).toStartWith("2 acceptance criteria still open");
  expect(step("- [x] One\n")).toStartWith("All acceptance criteria are checked");
  expect(step("")).toStartWith("The spec has no acceptance criteria");
});

test("analyzeAbandonedRun says so when there is no log", () => {
  expect(analyzeAbandonedRun({ lines: null, criteria: OPEN }).analysis).toBe(
    "No execution log available for analysis\n1 of 2 acceptance criteria checked",
  );
});

test("analyzeAbandonedRun cuts the lines that it quotes", () => {
  const { analysis } = analyzeAbandonedRun({ lines: [`error ${"x".repeat(10_000)}`], criteria: [] });

  expect(analysis.length).toBeLessThan(500);
});
