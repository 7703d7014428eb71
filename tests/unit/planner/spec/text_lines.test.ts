import { expect, test } from "bun:test";
import {
  countLineBreaks,
  detectLineBreak,
  findContentEnd,
  findLineStart,
  locateOffset,
} from "#planner/spec/text_lines.ts";

const MIXED = "one\ntwo\r\nthree\rfour";

test("countBreaks counts LF, CR LF and a lone CR as one line break each", () => {
  expect(countLineBreaks(MIXED, 0, MIXED.length)).toBe(3);
});

test("lineStart finds the first character of each line", () => {
  const starts = ["one", "two", "three", "four"].map((word) => findLineStart(MIXED, MIXED.indexOf(word) + 1));

  expect(starts).toEqual([0, 4, 9, 15]);
});

test("placeOf counts lines and columns from 1, without the byte-order mark", () => {
  expect(locateOffset(MIXED, MIXED.indexOf("our"))).toEqual({ line: 4, column: 2 });
  expect(locateOffset("\ufeffab", 2)).toEqual({ line: 1, column: 2 });
});

test("lineBreakOf names the first line break, LF where there is none", () => {
  expect(["a\r\nb\n", "a\rb\n", "a\nb\r\n", "a"].map(detectLineBreak)).toEqual(["\r\n", "\r", "\n", "\n"]);
});

test("afterLastFilledLine leaves out the blank lines at the end", () => {
  expect(findContentEnd("a\n  b \r\n \n\n")).toBe(8);
  expect(findContentEnd(" \n")).toBe(0);
});
