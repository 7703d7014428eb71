import { expect, test } from "bun:test";
import { countNestingLevels, JsonScanner } from "../../../../src/planner/output/scan_json.ts";

test.each([
  ['{"a": [1, -2.5e3, true, null, "x\\u00e9"]} rest', 41],
  ["[] rest", 2],
  ["12.5 rest", 4],
  ['"a\\"b" rest', 6],
])("scan finds the end of %j", (text, end) => {
  expect(new JsonScanner(text).scanValue(0)).toMatchObject({ isComplete: true, end });
});

test.each([
  ['{"a": 01}', 7],
  ["[1,]", 3],
  ['{"a" 1}', 5],
  ["{a: 1}", 1],
  ['["a\nb"]', 1],
  ['["\\x"]', 1],
  ["[1", 2],
  ["[tru]", 1],
])("scan says where %j stops being JSON", (text, end) => {
  expect(new JsonScanner(text).scanValue(0)).toMatchObject({ isComplete: false, end });
});

test("scan tells what closed inside a value that broke off, outermost only", () => {
  const text = '[{"a": {"b": 1}}, [2], oops';

  expect(new JsonScanner(text).scanValue(0).closedValues).toEqual([
    { start: 1, end: 16 },
    { start: 18, end: 21 },
  ]);
});

test.each([
  ["1", 0],
  ["[]", 1],
  ['{"a": [[1], "[[[["]}', 3],
  ['"\\"[["', 0],
])("nestingDepth counts the levels of %j", (json, depth) => {
  expect(countNestingLevels(json)).toBe(depth);
});

test("nestingDepth needs no stack for a deep text", () => {
  expect(countNestingLevels("[".repeat(1_000_000))).toBe(1_000_000);
});
