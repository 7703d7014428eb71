import { expect, test } from "bun:test";
import { getOutputWidth, hasColours } from "#cli/output/print.ts";

// The test runner's streams are pipes here, so "on a terminal" is proven by tests/e2e/cli_terminal.test.ts.
test("hasColours is off without a terminal", () => {
  expect(hasColours("stderr", { TERM: "xterm" })).toBe(process.stderr.isTTY === true);
});

test("hasColours obeys FORCE_COLOR without a terminal", () => {
  expect(hasColours("stdout", { FORCE_COLOR: "1" })).toBe(true);
  expect(hasColours("stdout", { FORCE_COLOR: "0" })).toBe(false);
});

test("hasColours lets NO_COLOR win, whatever it is set to", () => {
  expect(hasColours("stdout", { NO_COLOR: "yes", FORCE_COLOR: "3" })).toBe(false);
});

test("hasColours takes an empty NO_COLOR for none", () => {
  expect(hasColours("stdout", { NO_COLOR: "", FORCE_COLOR: "1" })).toBe(true);
});

test("outputWidth believes COLUMNS when it is a number", () => {
  expect(getOutputWidth({ COLUMNS: "72" })).toBe(72);
});

test("outputWidth ignores a COLUMNS that is no width", () => {
  const without = getOutputWidth({});

  expect(getOutputWidth({ COLUMNS: "wide" })).toBe(without);
  expect(getOutputWidth({ COLUMNS: "0" })).toBe(without);
  expect(getOutputWidth({ COLUMNS: "-5" })).toBe(without);
});
