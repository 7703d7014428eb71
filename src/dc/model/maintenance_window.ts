import type { MaintenanceWindow as WrittenWindow } from "#gen/datacenter/v1/models.ts";
import type { WindowState } from "./enum_values.ts";

/** Elements of one window, and its length. Source: docs/windows.md#limits. */
export const MAX_WINDOW_ELEMENTS = 200;
export const MAX_WINDOW_DAYS = 90;

/** A plan to take elements out of service for a time: half open, ISO 8601 in UTC. */
export type MaintenanceWindow = Omit<WrittenWindow, "state" | "calendarSequence"> & {
  readonly state: WindowState;
  /** Raised with each change of time, elements or state. */
  readonly sequence?: number;
  readonly calendarSequence?: number;
};

/** Whether its elements are out, or will be. */
export function isOpen({ state }: Pick<MaintenanceWindow, "state">): boolean {
  return state === "PLANNED" || state === "BEGUN";
}

/** Whether it ended by the clock and is still open: its elements may be out. @param now since 1970, in ms */
export function isOverdue(window: Pick<MaintenanceWindow, "state" | "endsAt">, now: number): boolean {
  return isOpen(window) && Date.parse(window.endsAt) <= now;
}
