import { describe, expect, test } from "bun:test";
import { THEMES, type Theme } from "#dc/model/enum_values.ts";
import { COLOR_TOKENS, type ColorToken, computeContrastRatio, type Paint, resolveColor } from "#dc/render/palette.ts";
import { drawMark } from "#dc/render/parts/marks.ts";
import { FAINT_OPACITY } from "#dc/render/render_screen.ts";

/** Grounds on which words in the theme's own inks stand; on any other fill they are written in `on:<fill>`. */
const GROUNDS: readonly ColorToken[] = ["surface", "panel"];
const INKS: readonly Paint[] = [
  "ink",
  "muted",
  "okText",
  "watchText",
  "faultText",
  "infoText",
  "offlineText",
  "accentText",
];

for (const theme of THEMES) {
  describe(`colours of ${theme}`, () => {
    test("words reach a contrast of 4.5 on every ground and fill", () => {
      const pairs = [
        ...GROUNDS.flatMap((ground) => INKS.map((ink) => [ink, ground] as const)),
        ["muted", "sunken"] as const,
        ...COLOR_TOKENS.map((fill) => [`on:${fill}`, fill] as const),
      ];

      const weak = pairs
        .map(([ink, ground]) => ({
          ink,
          ground,
          ratio: computeContrastRatio(resolveColor(theme, ink), resolveColor(theme, ground)),
        }))
        .filter(({ ratio }) => ratio < 4.5);

      expect(weak).toEqual([]);
    });

    test("outlines, accents and what stands back reach a contrast of 3", () => {
      const faint = (ink: Paint, ground: ColorToken, under: ColorToken) =>
        computeContrastRatio(...([ink, ground].map((paint) => mixed(theme, paint, under)) as [string, string]));
      const weak = GROUNDS.flatMap((under) => [
        ...(["line", "accent"] as const)
          .filter((edge) => computeContrastRatio(resolveColor(theme, edge), resolveColor(theme, under)) < 3)
          .map((edge) => `${edge} on ${under}`),
        ...INKS.filter((ink) => faint(ink, under, under) < 3).map((ink) => `faint ${ink} on ${under}`),
        ...COLOR_TOKENS.filter((fill) => /Soft$|^role|^scale|^sunken$/.test(fill))
          .filter((fill) => faint(`on:${fill}`, fill, under) < 3)
          .map((fill) => `faint words on ${fill}`),
      ]);

      expect(weak).toEqual([]);
    });

    test("every colour is #rrggbb", () => {
      expect(COLOR_TOKENS.filter((token) => !/^#[0-9a-f]{6}$/.test(resolveColor(theme, token)))).toEqual([]);
    });
  });
}

/** A colour as it is seen in an element that stands back on `under`. */
function mixed(theme: Theme, paint: Paint, under: ColorToken): string {
  const [front, back] = [resolveColor(theme, paint), resolveColor(theme, under)];
  const parts = [1, 3, 5].map((at) => {
    const [a, b] = [front, back].map((color) => Number.parseInt(color.slice(at, at + 2), 16));
    return Math.round((a ?? 0) * FAINT_OPACITY + (b ?? 0) * (1 - FAINT_OPACITY));
  });
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

test("contrast is 21 between black and white and 1 between equal colours", () => {
  expect(computeContrastRatio("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(computeContrastRatio("#2563c9", "#2563c9")).toBe(1);
});

/** What someone without one kind of cones sees, in linear light. Source: Viénot, Brettel and Mollon 1999; Machado, Oliveira and Fernandes 2009 for tritanopia. */
const BLINDNESS = {
  protanopia: [
    [0.11238, 0.88762, 0],
    [0.11238, 0.88762, 0],
    [0.00401, -0.00401, 1],
  ],
  deuteranopia: [
    [0.29275, 0.70725, 0],
    [0.29275, 0.70725, 0],
    [-0.02234, 0.02234, 1],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const;

function labSeenBy(kind: keyof typeof BLINDNESS, color: string): readonly [number, number, number] {
  const linear = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  const [r = 0, g = 0, b = 0] = BLINDNESS[kind].map((row) =>
    row.reduce((sum: number, share, index) => sum + share * (linear[index] ?? 0), 0),
  );
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : (t * (24389 / 27) + 16) / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function distance(kind: keyof typeof BLINDNESS, one: string, other: string): number {
  const [a, b] = [labSeenBy(kind, one), labSeenBy(kind, other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** Every two of a list. */
function pairs<Item>(items: readonly Item[]): readonly (readonly [Item, Item])[] {
  return items.flatMap((one, index) => items.slice(index + 1).map((other) => [one, other] as const));
}

describe.each(["protanopia", "deuteranopia", "tritanopia"] as const)("Someone with %s", (kind) => {
  test.each(THEMES)("tells OK, watch and fault apart in %s", (theme) => {
    const close = pairs(["ok", "watch", "fault"] as const)
      .map(([one, other]) => ({
        one,
        other,
        apart: distance(kind, resolveColor(theme, one), resolveColor(theme, other)),
      }))
      .filter(({ apart }) => apart < 18);

    expect(close).toEqual([]);
  });

  test.each(THEMES)("sees the steps of a scale grow in %s", (theme) => {
    const steps = ["scale0", "scale1", "scale2", "scale3", "scale4", "scale5"] as const;
    const close = steps
      .slice(1)
      .map((step, index) => ({
        step,
        apart: distance(kind, resolveColor(theme, steps[index] ?? step), resolveColor(theme, step)),
      }))
      .filter(({ apart }) => apart < 8);

    expect(close).toEqual([]);
  });
});

test("every state has a sign of its own shape", () => {
  const states = ["ok", "watch", "fault", "info", "offline"] as const;
  const shapes = states.map((state) =>
    JSON.stringify(drawMark(state, [0, 0], 12)).replaceAll(/"(?:on:)?(?:ok|watch|fault|info|offline)(?:Text)?"/g, '""'),
  );

  expect(new Set(shapes).size).toBe(states.length);
});
