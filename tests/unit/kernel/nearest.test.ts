import { expect, test } from "bun:test";
import { nearest } from "#kernel/nearest.ts";

const WORDS = ["list", "lint", "log", "status", "update"];

test("nearest finds the word that one slip made", () => {
  expect(nearest("lisst", WORDS)).toBe("list");
  expect(nearest("STATSU", WORDS)).toBe("status");
  expect(nearest("upate", WORDS)).toBe("update");
});

test("nearest counts two neighbours in the wrong order as one slip", () => {
  expect(nearest("lsit", WORDS)).toBe("list");
});

test("nearest prefers the word with the fewest slips", () => {
  expect(nearest("lit", WORDS)).toBe("list");
  expect(nearest("lnt", WORDS)).toBe("lint");
});

test("nearest finds nothing for a word that is like none", () => {
  expect(nearest("banana", WORDS)).toBeUndefined();
  expect(nearest("xy", WORDS)).toBeUndefined();
});

test("nearest counts letters, not the dashes of a flag, and guesses no more than three slips", () => {
  expect(nearest("--foo", ["--root", "--format"])).toBeUndefined();
  expect(nearest("--satus", ["--status"])).toBe("--status");
  expect(nearest("--acceptable-logs", ["--accept-broken-log"])).toBeUndefined();
});

test("nearest compares texts up to 64 characters", () => {
  const longest = "a".repeat(64);

  expect(nearest(longest, [`${longest.slice(1)}b`])).toBe(`${longest.slice(1)}b`);
  expect(nearest(`${longest}a`, [longest])).toBeUndefined();
  expect(nearest(longest, [`${longest}a`])).toBeUndefined();
  expect(nearest("x".repeat(1_000_000), ["xx"])).toBeUndefined();
});
