import { compareSpecIds, type SpecId } from "./spec_id.ts";

/** The words of the field `priority`, the most urgent first. */
export const PRIORITIES = ["critical", "high", "medium", "low"] as const;

export type Priority = (typeof PRIORITIES)[number];

export interface Planned {
  readonly id: SpecId;
  readonly priority?: Priority | null;
  readonly due?: string | null;
}

/** The priority that a text names; null for any other text. */
export function readPriority(text: string | null): Priority | null {
  return PRIORITIES.find((priority) => priority === text) ?? null;
}

/** Whether `text` is a day of the calendar, `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // An engine may take 30 February for 2 March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Orders by priority, due day and id. Specs without a priority come behind `low`, those without a day last of theirs. */
export function compareUrgency(a: Planned, b: Planned): number {
  return rank(a) - rank(b) || compareDue(a, b) || compareSpecIds(a.id, b.id);
}

/** Orders by due day, specs without one last. */
export function compareDue(a: Planned, b: Planned): number {
  const [left, right] = [a.due ?? "~", b.due ?? "~"];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function rank({ priority }: Planned): number {
  return priority === undefined || priority === null ? PRIORITIES.length : PRIORITIES.indexOf(priority);
}
