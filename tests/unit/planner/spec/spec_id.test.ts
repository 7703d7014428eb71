import { expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import {
  compareDueDays,
  compareUrgency,
  isCalendarDay,
  type PlanningFields,
  type Priority,
} from "#planner/spec/spec.ts";
import { compareSpecIds, createIdShortener, parseSpecId, resolveSpecId, type SpecId } from "#planner/spec/spec_id.ts";

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

const TODAY = "2026-11-21";
const IDS = [
  "2026-11-20-001-abc",
  "2026-11-21-001-xyz",
  "2026-11-21-001-xyz.1",
  "2026-11-21-002-abd",
  "2026-11-21-00a-001",
] as SpecId[];

function resolve(text: string, ids: readonly SpecId[] = IDS): string {
  return resolveSpecId(text, ids, TODAY);
}

function refusal(text: string, ids: readonly SpecId[] = IDS): readonly [kind: string, message: string] {
  try {
    return ["found", resolve(text, ids)];
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return [error.kind, error.message];
  }
}

test.each<[name: string, text: string, ids: readonly SpecId[], id: string]>([
  ["prefers the id that is the text", "2026-11-21-001-xyz", IDS, "2026-11-21-001-xyz"],
  ["takes the only id that ends with the text", "xyz", IDS, "2026-11-21-001-xyz"],
  ["takes the only id that ends with the text, a member", "z.1", IDS, "2026-11-21-001-xyz.1"],
  ["takes the only id that ends with the text, not its counter", "001", IDS.slice(3), "2026-11-21-00a-001"],
  ["takes three characters for today's counter", "002", IDS, "2026-11-21-002-abd"],
  ["takes them so where no other spec could be meant", "001", IDS.slice(1, 4), "2026-11-21-001-xyz"],
  // 026 is in every date of the year, which nobody means by it.
  ["passes over the year", "026", [...IDS, "2026-11-21-026-aaa" as SpecId], "2026-11-21-026-aaa"],
  ["takes the only id that contains the text", "-20-", IDS, "2026-11-20-001-abc"],
  ["takes the only id that contains the text without its blanks", " 11-20 ", IDS, "2026-11-20-001-abc"],
  ["takes an id that is in the archive as well for one", "abc", [...IDS, IDS[0] as SpecId], "2026-11-20-001-abc"],
])("resolveSpecId %s", (_, text, ids, id) => {
  expect(resolve(text, ids)).toBe(id);
});

test("resolveSpecId takes today's counter although finished specs have it", () => {
  const [today, other] = ["2026-11-21-001-xyz", "2026-11-20-001-abc"] as [SpecId, SpecId];
  const find = (open: readonly string[]) => resolveSpecId("001", [today, other], TODAY, (id) => open.includes(id));

  expect(find([today])).toBe(today);
  expect(find([])).toBe(today);
  expect(() => find([other])).toThrow("Ambiguous spec ID '001'");
});

test("resolveSpecId refuses today's counter where another spec could be meant", () => {
  const today = "2026-11-21-001-xyz";
  for (const other of [
    "2026-11-20-001-abc",
    "2026-11-22-001-abc.1",
    "2026-11-21-00a-001",
    "2026-11-20-00a-x001y",
    "2026-11-21-001-zzz",
    "notes-001",
  ]) {
    const [kind, message] = refusal("001", [today, other] as SpecId[]);
    expect(kind).toBe("invalid_argument");
    expect(message).toContain("Ambiguous spec ID '001'. Matches: ");
    expect(message.split("Matches: ")[1]?.split(", ").toSorted()).toEqual([today, other].toSorted());
  }
});

test("resolveSpecId names twenty ids and counts the others", () => {
  const ids = Array.from({ length: 25 }, (_, index) => `2026-11-21-${String(index).padStart(3, "0")}-aaa` as SpecId);

  expect(refusal("2026", ids)[1]).toEndWith("2026-11-21-019-aaa, … (5 more)");
});

test("shortenSpecIds gives a text that means the same id, and leaves out the day of all that it can", () => {
  const ids = [...IDS, "2026-11-19-002-abd", "legacy-001-abc", "2026-11-20-003-q7w", "2026-11-19-004-q7w"] as SpecId[];
  const shorten = createIdShortener(ids);

  for (const id of ids) expect(resolve(shorten(id), ids)).toBe(id);
  expect(ids.map(shorten).filter((short) => !ids.includes(short as SpecId))).toEqual([
    "xyz",
    "xyz.1",
    "00a-001",
    "003-q7w",
    "004-q7w",
  ]);
});

function planned(number: number, priority: Priority | null, due: string | null): PlanningFields {
  return { id: `2026-11-01-00${number}-abc` as SpecId, priority, due };
}

test("isDay knows the days of the calendar, and nothing else", () => {
  for (const day of ["2026-02-28", "2028-02-29", "2026-12-31"]) expect(isCalendarDay(day)).toBe(true);
  for (const text of ["2026-02-29", "2026-04-31", "2026-13-01", "2026-1-1", "tomorrow", "2026-01-01T00:00:00Z", ""]) {
    expect(isCalendarDay(text)).toBe(false);
  }
});

test("compareUrgency orders by priority, then day, then id", () => {
  const order = [
    planned(9, "critical", null),
    planned(8, "high", "2026-01-01"),
    planned(7, "high", "2026-01-02"),
    planned(5, "high", null),
    planned(6, "high", null),
    planned(4, "medium", null),
    planned(3, "low", "2026-01-01"),
    planned(2, null, "2025-01-01"),
    planned(1, null, null),
  ];

  expect(order.toReversed().sort(compareUrgency)).toEqual(order);
});

test("compareDue puts specs without a day last", () => {
  expect([null, "2026-02-01", "2026-01-01"].map((due) => planned(1, null, due)).sort(compareDueDays)).toEqual(
    ["2026-01-01", "2026-02-01", null].map((due) => planned(1, null, due)),
  );
});
