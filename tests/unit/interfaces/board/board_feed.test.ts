import { expect, test } from "bun:test";
import fc from "fast-check";
import { computePauseMs } from "#interfaces/board/board_app.ts";

test("pauseAfter lets a change show within a second while a look takes up to 0.3 s, and half of the time to others", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 5000, noNaN: true }), (lookMs) => {
      const pause = computePauseMs(lookMs);
      expect(pause).toBeGreaterThanOrEqual(lookMs);
      if (lookMs <= 300) expect(pause + 2 * lookMs).toBeLessThanOrEqual(1000);
    }),
  );
  expect(computePauseMs(10)).toBe(400);
});
