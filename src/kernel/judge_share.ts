/** State of a share of a limit; "unknown" if the share has no value, which never counts as ok. */
export type ShareState = "ok" | "watch" | "fault" | "unknown";

/** Percent of a limit from which a share needs watching; from `FULL_PCT` on, it is a fault. */
export const WATCH_PCT = 80;
export const FULL_PCT = 100;

/**
 * Returns the state of a share of a limit in percent, for pictures and pages alike. Colours of use are absolute: they
 * never depend on the other shares of a list. Source: docs/contract/datacenter-analyses.md#rack-health.
 */
export function judgeShare(pct: number | undefined): ShareState {
  if (pct === undefined || Number.isNaN(pct)) return "unknown";
  if (pct >= FULL_PCT) return "fault";
  return pct >= WATCH_PCT ? "watch" : "ok";
}
