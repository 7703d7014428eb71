import type { WatchSettings } from "../config/config.ts";
import type { ProcessRecord } from "../ports.ts";

/** Longest wait before a retry, in milliseconds. Ours: a multiplier makes days of a few tries. */
export const MAX_RETRY_DELAY_MS = 60 * 60_000;

/**
 * When a failed spec is to be tried again, in milliseconds since 1970; null when it is not: no run failed, one is under
 * way, or the tries are used up. A run that completed begins the count anew.
 *
 * @param records of this spec alone, oldest first
 *
 * Source: docs/decisions.md#s-27.
 */
export function retryAt(records: readonly ProcessRecord[], settings: WatchSettings): number | null {
  const failed = records.length - 1 - records.findLastIndex(({ status }) => status !== "failed");
  const last = records.at(-1);
  if (failed === 0 || last?.status !== "failed") return null;
  const retries = failed - 1;
  if (retries >= settings.max_retries) return null;
  return Date.parse(last.completed_at) + retryDelayMs(retries, settings);
}

/** The wait before the retry after `retries` others; never less than the one before it. */
export function retryDelayMs(
  retries: number,
  { retry_delay_ms, backoff_multiplier }: Pick<WatchSettings, "retry_delay_ms" | "backoff_multiplier">,
): number {
  // Without this, no delay grown beyond every number is no number.
  if (retry_delay_ms === 0) return 0;
  return Math.min(retry_delay_ms * backoff_multiplier ** retries, Math.max(MAX_RETRY_DELAY_MS, retry_delay_ms));
}
