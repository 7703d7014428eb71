import { expect, test } from "bun:test";
import { formatCanonicalJson, isEqualJson } from "#kernel/json_object.ts";

const PAIRS: readonly (readonly [unknown, unknown, boolean])[] = [
  [1, 1.0, true],
  [0, -0, true],
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [[1, 2], [2, 1], false],
  [1, true, false],
  [0, false, false],
  ["1", 1, false],
  [null, {}, false],
  [[], {}, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [JSON.parse('{"__proto__": 1}'), {}, false],
];

test.each(PAIRS)("equalJson compares %j with %j", (left, right, equal) => {
  expect(isEqualJson(left, right)).toBe(equal);
  expect(isEqualJson(right, left)).toBe(equal);
});

test.each(PAIRS)("canonicalJson of %j and %j are equal only when they are", (left, right, equal) => {
  expect(formatCanonicalJson(left) === formatCanonicalJson(right)).toBe(equal);
});
