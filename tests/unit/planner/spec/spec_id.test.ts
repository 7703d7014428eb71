import { expect, test } from "bun:test";
import { compareSpecIds, parseParentId, parseSpecId, parseSpecIdParts, type SpecId } from "#planner/spec/spec_id.ts";

test("specIdParts takes a dated id apart, its counter read in base 36", () => {
  expect(parseSpecIdParts("2026-11-21-00a-k3x.2.1")).toEqual({
    day: "2026-11-21",
    counter: 10,
    suffix: "k3x",
    members: [2, 1],
  });
  expect(parseSpecIdParts("notes")).toBeUndefined();
  expect(parseSpecIdParts("2026-11-21-0001-k3x")).toBeUndefined();
});

test("compareSpecIds orders by day, counter, suffix and member numbers, other ids last", () => {
  const ordered = (
    "2026-11-20-zzz-zzz 2026-11-21-009-b 2026-11-21-00a-a 2026-11-21-00a-b 2026-11-21-00a-b.2 " +
    "2026-11-21-00a-b.2.1 2026-11-21-00a-b.10 a.1 notes"
  ).split(" ");

  expect(ordered.toReversed().sort(compareSpecIds)).toEqual(ordered);
});

test("parentOf takes one member number off", () => {
  expect(parseParentId("2026-11-21-001-abc.2.1" as SpecId)).toBe("2026-11-21-001-abc.2" as SpecId);
  expect(parseParentId("2026-11-21-001-abc" as SpecId)).toBeUndefined();
  expect(parseParentId("notes.1" as SpecId)).toBeUndefined();
});

test("parseSpecId refuses what would leave the folder or hide a file", () => {
  for (const text of ["", ".hidden", "..", "a/b", "a\\b", "a\0", "x".repeat(201)])
    expect(parseSpecId(text)).toBeUndefined();
  expect(parseSpecId("Any other name")).toBe("Any other name" as SpecId);
});
