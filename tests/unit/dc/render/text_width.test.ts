import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BOLD_ADVANCES, fitText, measureText, REGULAR_ADVANCES } from "#dc/render/text_width.ts";
import { packAdvances, readAdvances } from "../../../support/dc/ttf_advances.ts";

const FONTS = join(import.meta.dirname, "../../../../node_modules/dejavu-fonts-ttf/ttf");
const RANGES = [
  [0x20, 0x700],
  [0x2000, 0x2300],
] as const;

test.each([
  ["DejaVuSans.ttf", REGULAR_ADVANCES],
  ["DejaVuSans-Bold.ttf", BOLD_ADVANCES],
] as const)("the advances are those of %s", (file, packed) => {
  expect(packed).toBe(packAdvances(readAdvances(readFileSync(join(FONTS, file))), RANGES));
});

describe("textWidth", () => {
  test("adds up advances in the size that is asked for", () => {
    const advances = readAdvances(readFileSync(join(FONTS, "DejaVuSans.ttf")));
    const units = ["R", "a"].reduce((sum, letter) => sum + (advances.byCodePoint.get(letter.charCodeAt(0)) ?? 0), 0);

    expect(measureText("Ra", { size: 20 })).toBeCloseTo((units / advances.unitsPerEm) * 20, 6);
    expect(measureText("Ra", { size: 20, weight: "bold" })).toBeGreaterThan(measureText("Ra", { size: 20 }));
  });

  test("counts nothing for marks that lie on other letters and a whole em for East Asian ones", () => {
    expect(measureText("e\u0301", { size: 10 })).toBeCloseTo(measureText("e", { size: 10 }), 6);
    expect(measureText("家族", { size: 10 })).toBe(20);
  });
});

describe("fitText", () => {
  test("keeps what fits", () => {
    expect(fitText("SRV-1", 200, { size: 11 })).toBe("SRV-1");
  });

  test("cuts with an ellipsis that still fits", () => {
    const cut = fitText("a name that goes on and on", 80, { size: 11 });

    expect(cut.endsWith("…")).toBe(true);
    expect(measureText(cut, { size: 11 })).toBeLessThanOrEqual(80);
  });

  test("never cuts through an emoji of several parts", () => {
    const family = "👩‍👩‍👧‍👦";
    for (let width = 0; width < 120; width += 5) {
      const cut = fitText(`${family}${family}x`, width, { size: 11 }).replace("…", "");
      expect(cut.replaceAll(family, "").replace("x", "")).toBe("");
    }
  });

  test("is empty where not even an ellipsis fits", () => {
    expect(fitText("SRV-1", 4, { size: 11 })).toBe("");
  });
});
