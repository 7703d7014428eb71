import { expect } from "bun:test";
import fc from "fast-check";
import { sanitizeLine } from "#cli/output/print.ts";
import { type Column, renderTable } from "#cli/output/table.ts";
import { measureTextWidth } from "#cli/output/wrap_text.ts";
import { law } from "../../../support/law.ts";

const COLUMNS: readonly Column<readonly [string, string]>[] = [
  { title: "A", text: ([a]) => a, shrinks: true },
  { title: "B", text: ([, b]) => b, shrinks: true },
];

const cell = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("\u001b[2J", "日本語".repeat(9), "a\nb", "👩‍👩‍👧".repeat(7), ""),
);

law(
  "renderTable gives one line a row, none wider than the terminal, none able to drive it",
  [fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }), fc.integer({ min: 18, max: 120 })],
  (rows, width) => {
    const lines = renderTable(rows, COLUMNS, width).split("\n");

    // A column whose cells are all equal can leave the table for a sentence below it.
    const below = lines.length - (rows.length + 2);
    expect(below).toBeGreaterThanOrEqual(0);
    if (rows.some(([, b]) => b !== rows[0]?.[1])) expect(below).toBe(0);
    for (const line of lines) {
      expect(measureTextWidth(line)).toBeLessThanOrEqual(width);
      expect(line).not.toMatch(/\p{Cc}/u);
    }
  },
);

law(
  "plainLine changes nothing the second time",
  [cell],
  (text) => sanitizeLine(sanitizeLine(text)) === sanitizeLine(text),
);
