import type { MaintenanceWindow as WrittenWindow } from "#gen/datacenter/v1/models.ts";
import type { WindowState } from "./enum_values.ts";

/** Maximum number of elements of one window. Source: docs/windows.md#limits. */
export const MAX_WINDOW_ELEMENTS = 200;
export const MAX_WINDOW_DAYS = 90;

/** A plan to take elements out of service from `startsAt` to before `endsAt`, both ISO 8601 in UTC. */
export type MaintenanceWindow = Omit<WrittenWindow, "state" | "calendarSequence"> & {
  readonly state: WindowState;
  /** Incremented with each change of time, elements or state. */
  readonly sequence?: number;
  readonly calendarSequence?: number;
};

/** Whether the window's elements are or will be out of service. */
export function isWindowOpen({ state }: Pick<MaintenanceWindow, "state">): boolean {
  return state === "PLANNED" || state === "BEGUN";
}

/**
 * Whether a window is still open although its end has passed, so its elements may be out of service.
 * @param now milliseconds since 1970
 */
export function isWindowOverdue(window: Pick<MaintenanceWindow, "state" | "endsAt">, now: number): boolean {
  return isWindowOpen(window) && Date.parse(window.endsAt) <= now;
}
