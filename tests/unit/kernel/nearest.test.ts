import { expect, test } from "bun:test";
import { findNearest } from "#kernel/nearest.ts";

const WORDS = ["list", "lint", "log", "status", "update"];

test("findNearest finds the word that one slip made", () => {
  expect(findNearest("lisst", WORDS)).toBe("list");
  expect(findNearest("STATSU", WORDS)).toBe("status");
  expect(findNearest("upate", WORDS)).toBe("update");
});

test("findNearest counts two neighbours in the wrong order as one slip", () => {
  expect(findNearest("lsit", WORDS)).toBe("list");
});

test("findNearest prefers the word with the fewest slips", () => {
  expect(findNearest("lit", WORDS)).toBe("list");
  expect(findNearest("lnt", WORDS)).toBe("lint");
});

test("findNearest finds nothing for a word that is like none", () => {
  expect(findNearest("banana", WORDS)).toBeUndefined();
  expect(findNearest("xy", WORDS)).toBeUndefined();
});

test("findNearest counts letters, not the dashes of a flag, and guesses no more than three slips", () => {
  expect(findNearest("--foo", ["--root", "--format"])).toBeUndefined();
  expect(findNearest("--satus", ["--status"])).toBe("--status");
  expect(findNearest("--acceptable-logs", ["--accept-broken-log"])).toBeUndefined();
});

test("findNearest compares texts up to 64 characters", () => {
  const longest = "a".repeat(64);

  expect(findNearest(longest, [`${longest.slice(1)}b`])).toBe(`${longest.slice(1)}b`);
  expect(findNearest(`${longest}a`, [longest])).toBeUndefined();
  expect(findNearest(longest, [`${longest}a`])).toBeUndefined();
  expect(findNearest("x".repeat(1_000_000), ["xx"])).toBeUndefined();
});
