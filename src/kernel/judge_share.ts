/** Judgement of a share of a limit; "unknown" if it has no figure, which never counts as ok. */
export type ShareState = "ok" | "watch" | "fault" | "unknown";

/** Percent of a limit from which a share is to be watched, and from which it is too much. */
export const WATCH_PCT = 80;
export const FULL_PCT = 100;

/**
 * Judges a share of a limit in percent, for pictures and pages alike. Colours of use are absolute: they never depend on
 * the other shares of a list. Source: docs/contract/datacenter-analyses.md#rack-health.
 */
export function judgeShare(pct: number | undefined): ShareState {
  if (pct === undefined || Number.isNaN(pct)) return "unknown";
  if (pct >= FULL_PCT) return "fault";
  return pct >= WATCH_PCT ? "watch" : "ok";
}
