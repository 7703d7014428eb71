import type { ProcessRecord } from "#planner/work/records/process_record.ts";
import type { WatchSettings } from "../config/config.ts";

/** Maximum wait before a retry in milliseconds. Chosen by planner: a multiplier would reach days after a few tries. */
export const MAX_RETRY_DELAY_MS = 60 * 60_000;

/**
 * Returns when to retry a failed spec, in milliseconds since 1970; null unless the last run failed and a retry is left.
 * A run that did not fail resets the count.
 *
 * @param records records of this spec alone, oldest first
 *
 * Source: docs/decisions.md#s-27.
 */
export function findRetryTime(records: readonly ProcessRecord[], settings: WatchSettings): number | null {
  const failedRuns = records.length - 1 - records.findLastIndex(({ status }) => status !== "failed");
  const last = records.at(-1);
  if (failedRuns === 0 || last?.status !== "failed") return null;
  const retries = failedRuns - 1;
  if (retries >= settings.max_retries) return null;
  return Date.parse(last.completed_at) + computeRetryDelayMs(retries, settings);
}

/** Returns the wait in ms after `retries` retries: at most an hour, or `retry_delay_ms` if that is longer. */
export function computeRetryDelayMs(
  retries: number,
  { retry_delay_ms, backoff_multiplier }: Pick<WatchSettings, "retry_delay_ms" | "backoff_multiplier">,
): number {
  // Prevents 0 times Infinity, which is NaN.
  if (retry_delay_ms === 0) return 0;
  return Math.min(retry_delay_ms * backoff_multiplier ** retries, Math.max(MAX_RETRY_DELAY_MS, retry_delay_ms));
}
