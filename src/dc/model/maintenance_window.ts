import type { WindowState } from "./enum_values.ts";
/** Elements of one window, and its length. Source: docs/windows.md#limits. */
export const MAX_WINDOW_ELEMENTS = 200;
export const MAX_WINDOW_DAYS = 90;

/** A plan to take elements out of service for a time: half open, ISO 8601 in UTC. */
export interface MaintenanceWindow {
  readonly code: string;
  readonly title?: string;
  readonly notes?: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly elementRefs: readonly string[];
  readonly acceptedRefs?: readonly string[];
  readonly owner?: string;
  readonly contact?: string;
  readonly state: WindowState;
  /** Raised with each change of time, elements or state. */
  readonly sequence?: number;
  readonly calendarUid?: string;
  readonly calendarSequence?: number;
}

/** Whether its elements are out, or will be. */
export function isOpen({ state }: Pick<MaintenanceWindow, "state">): boolean {
  return state === "PLANNED" || state === "BEGUN";
}

/** Whether it ended by the clock and is still open: its elements may be out. @param now since 1970, in ms */
export function isOverdue(window: Pick<MaintenanceWindow, "state" | "endsAt">, now: number): boolean {
  return isOpen(window) && Date.parse(window.endsAt) <= now;
}
