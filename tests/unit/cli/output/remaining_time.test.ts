import { expect, test } from "bun:test";
import { estimateRemainingSeconds, formatRemaining } from "#cli/output/progress_bar.ts";

test("remainingSeconds expects the rest at the pace so far", () => {
  expect(estimateRemainingSeconds(250, 1000, 10_000)).toBe(30);
  expect(estimateRemainingSeconds(1000, 1000, 10_000)).toBe(0);
  expect(estimateRemainingSeconds(0, 1000, 10_000)).toBeUndefined();
});

test("remainingText names seconds, then minutes, and nothing at the end", () => {
  expect([30, 119, 121, 0, undefined].map(formatRemaining)).toEqual([
    ", about 30 s left",
    ", about 119 s left",
    ", about 3 min left",
    "",
    "",
  ]);
});
