import { expect, test } from "bun:test";
import { compareSpecIds, parseSpecId, type SpecId } from "#planner/spec/spec_id.ts";

test("compareSpecIds orders by day, counter, suffix and member numbers, other ids last", () => {
  const ordered = (
    "2026-11-20-zzz-zzz 2026-11-21-009-b 2026-11-21-00a-a 2026-11-21-00a-b 2026-11-21-00a-b.2 " +
    "2026-11-21-00a-b.2.1 2026-11-21-00a-b.10 a.1 notes"
  ).split(" ");

  expect(ordered.toReversed().sort(compareSpecIds)).toEqual(ordered);
});

test("parseSpecId refuses what would leave the folder or hide a file", () => {
  for (const text of ["", ".hidden", "..", "a/b", "a\\b", "a\0", "x".repeat(201)])
    expect(parseSpecId(text)).toBeUndefined();
  expect(parseSpecId("Any other name")).toBe("Any other name" as SpecId);
});
