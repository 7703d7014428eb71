import { expect, test } from "bun:test";
import { isMultipleOf } from "../../../../src/planner/output/compile_schema.ts";

test.each([
  [4.35, 0.01],
  [0.0075, 0.0001],
  [12391239123.0001, 0.0001],
  [1e308, 0.5],
  [0, 0.3],
  [-9, 3],
  [2 ** 53 + 2, 2],
  [1e300, 1e-300],
])("isMultipleOf says yes for %p and %p", (value, step) => {
  expect(isMultipleOf(value, step)).toBe(true);
});

test.each([
  [0.00751, 0.0001],
  [35, 1.5],
  [1e-10, 1],
  [Number.POSITIVE_INFINITY, 2],
])("isMultipleOf says no for %p and %p", (value, step) => {
  expect(isMultipleOf(value, step)).toBe(false);
});
