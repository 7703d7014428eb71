import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ProcessRecord } from "#planner/ports.ts";
import { computeRetryDelayMs, findRetryTime, MAX_RETRY_DELAY_MS } from "#planner/work/retry.ts";
import { law } from "../../../support/law.ts";

const SETTINGS = {
  poll_interval_ms: 10,
  idle_timeout_minutes: 0,
  max_retries: 2,
  retry_delay_ms: 1000,
  backoff_multiplier: 3,
};
const END = "2026-11-01T00:00:00.000Z";
const END_MS = Date.parse(END);

function records(...statuses: readonly ProcessRecord["status"][]): readonly ProcessRecord[] {
  const base = { process_id: "x-1", spec_id: "x", pid: 1, started_at: END, mode: "single" };
  return statuses.map((status) =>
    status === "running" ? { ...base, status, completed_at: null } : { ...base, status, completed_at: END },
  );
}

test("findRetryTime waits longer each time and gives up after the last retry", () => {
  expect(findRetryTime(records("failed"), SETTINGS)).toBe(END_MS + 1000);
  expect(findRetryTime(records("failed", "failed"), SETTINGS)).toBe(END_MS + 3000);
  expect(findRetryTime(records("failed", "failed", "failed"), SETTINGS)).toBeNull();
});

test("findRetryTime counts from the last run that completed", () => {
  expect(findRetryTime(records("failed", "failed", "failed", "completed", "failed"), SETTINGS)).toBe(END_MS + 1000);
});

test("findRetryTime is null where no run failed last, and where nothing is retried", () => {
  expect(findRetryTime([], SETTINGS)).toBeNull();
  expect(findRetryTime(records("failed", "running"), SETTINGS)).toBeNull();
  expect(findRetryTime(records("failed", "completed"), SETTINGS)).toBeNull();
  expect(findRetryTime(records("failed"), { ...SETTINGS, max_retries: 0 })).toBeNull();
});

const settings = fc.record({
  retry_delay_ms: fc.nat({ max: 10_000_000 }),
  backoff_multiplier: fc.double({ min: 1, max: 100, noNaN: true }),
});

law(
  "computeRetryDelayMs never falls, and stays within its bound",
  [settings, fc.nat({ max: 500 })],
  (given, retries) => {
    const delay = computeRetryDelayMs(retries, given);

    expect(computeRetryDelayMs(retries + 1, given)).toBeGreaterThanOrEqual(delay);
    expect(delay).toBeGreaterThanOrEqual(given.retry_delay_ms);
    expect(delay).toBeLessThanOrEqual(Math.max(MAX_RETRY_DELAY_MS, given.retry_delay_ms));
  },
);
