import { expect } from "bun:test";
import fc from "fast-check";
import { compareByCodePoints } from "#dc/model/ref.ts";
import { law } from "../../support/law.ts";

const text = fc.string({
  unit: fc.constantFrom("a", "b", "é", "\u{d7ff}", "\u{e000}", "\u{ffff}", "𝒹", "🙂"),
  maxLength: 4,
});

law("compareByCodePoints orders as the bytes of UTF-8 do", [text, text], (a, b) => {
  const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));

  expect(Math.sign(compareByCodePoints(a, b))).toBe(bytes);
});
