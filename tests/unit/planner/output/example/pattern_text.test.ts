import { expect, test } from "bun:test";
import { writePatternText } from "../../../../../src/planner/output/example/pattern_text.ts";

test.each([
  ["^[A-Z]{3}-\\d{4}$", "AAA-1111"],
  ["^v?\\d+\\.\\d+$", "1.1"],
  ["^(?:a|b)(c|d)*e$", "ae"],
  ["^[^a-z]$", "1"],
  ["^[\\w.-]+@[\\w-]+\\.[a-z]{2,}$", "w@w.aa"],
  ["^\\/api\\/.+$", "/api/a"],
  ["foo", "foo"],
  ["", ""],
  ["^a{2}$", "aa"],
])("textMatching writes a text for %s", (pattern, text) => {
  expect(writePatternText(pattern)).toBe(text);
  expect(text).toMatch(new RegExp(pattern, "u"));
});

test("textMatching repeats more often when more is wanted, up to the end of a repetition", () => {
  expect(writePatternText("^a+b{1,2}$", 3)).toBe("aaaabb");
});

test.each(["^(?=a)b$", "(a)\\1", "a\\b", "\\p{L}", "a^b", "^(a", "^[z-a]$", "a{100000}"])(
  "textMatching leaves %s to others",
  (pattern) => {
    expect(writePatternText(pattern)).toBeUndefined();
  },
);
