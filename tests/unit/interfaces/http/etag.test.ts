import { expect, test } from "bun:test";
import { hasCurrentCopy } from "#interfaces/http/pages.ts";

test("hasCurrentCopy compares tags weakly, one of a list too, and takes the star", () => {
  const asked = (value: string) => hasCurrentCopy(new Headers({ "if-none-match": value }), '"a"');

  expect(['"a"', 'W/"a"', '"b", W/"a"', "*"].map(asked)).toEqual([true, true, true, true]);
  expect(['"b"', 'W/"b"', "a", "", '"ab"'].map(asked)).toEqual([false, false, false, false, false]);
  expect(hasCurrentCopy(new Headers(), '"a"')).toBe(false);
});
