import { expect, test } from "bun:test";
import {
  compareDueDays,
  compareUrgency,
  isCalendarDay,
  type PlanningFields,
  type Priority,
} from "#planner/spec/spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";

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
