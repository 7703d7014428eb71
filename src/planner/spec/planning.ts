import { compareSpecIds, type SpecId } from "./spec_id.ts";

/** Values of the field `priority`, the most urgent first. */
export const PRIORITIES = ["critical", "high", "medium", "low"] as const;

export type Priority = (typeof PRIORITIES)[number];

export interface PlanningFields {
  readonly id: SpecId;
  readonly priority?: Priority | null;
  readonly due?: string | null;
}

/** Parses a priority; null for any other text. */
export function parsePriority(text: string | null): Priority | null {
  return PRIORITIES.find((priority) => priority === text) ?? null;
}

/** Returns whether `text` is a calendar day, `YYYY-MM-DD`. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // Some engines read 30 February as 2 March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Compares by priority, due day and id. No priority comes after `low`, no due day last within a priority. */
export function compareUrgency(a: PlanningFields, b: PlanningFields): number {
  return rankPriority(a) - rankPriority(b) || compareDueDays(a, b) || compareSpecIds(a.id, b.id);
}

/** Compares by due day; specs without one come last. */
export function compareDueDays(a: PlanningFields, b: PlanningFields): number {
  const [left, right] = [a.due ?? "~", b.due ?? "~"];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function rankPriority({ priority }: PlanningFields): number {
  return priority === undefined || priority === null ? PRIORITIES.length : PRIORITIES.indexOf(priority);
}
