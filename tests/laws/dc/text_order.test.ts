import { expect, test } from "bun:test";
import fc from "fast-check";
import { compareByCodePoints } from "#dc/model/text_order.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

const text = fc.string({
  unit: fc.constantFrom("a", "b", "é", "\u{d7ff}", "\u{e000}", "\u{ffff}", "𝒹", "🙂"),
  maxLength: 4,
});

test("compareByCodePoints orders as the bytes of UTF-8 do", () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));

      expect(Math.sign(compareByCodePoints(a, b))).toBe(bytes);
    }),
    { numRuns: LAW_RUNS },
  );
});
