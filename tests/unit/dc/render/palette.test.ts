import { describe, expect, test } from "bun:test";
import { THEMES } from "#dc/render/options.ts";
import { colorOf, contrast, type Paint, TOKENS, type Token } from "#dc/render/palette.ts";

/** Grounds on which words in the theme's own inks stand; on any other fill they are written in `on:<fill>`. */
const GROUNDS: readonly Token[] = ["surface", "panel"];
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
        ...TOKENS.map((fill) => [`on:${fill}`, fill] as const),
      ];

      const weak = pairs
        .map(([ink, ground]) => ({ ink, ground, ratio: contrast(colorOf(theme, ink), colorOf(theme, ground)) }))
        .filter(({ ratio }) => ratio < 4.5);

      expect(weak).toEqual([]);
    });

    test("every colour is #rrggbb", () => {
      expect(TOKENS.filter((token) => !/^#[0-9a-f]{6}$/.test(colorOf(theme, token)))).toEqual([]);
    });
  });
}

test("contrast is 21 between black and white and 1 between equal colours", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrast("#2563c9", "#2563c9")).toBe(1);
});

/** What someone without one kind of cones sees, in linear light. Source: Viénot, Brettel and Mollon 1999. */
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

test.each(["protanopia", "deuteranopia"] as const)("OK, watch and fault differ for someone with %s", (kind) => {
  const states = ["ok", "watch", "fault"] as const;
  const close = THEMES.flatMap((theme) =>
    states.flatMap((one, index) =>
      states.slice(index + 1).map((other) => {
        const a = labSeenBy(kind, colorOf(theme, one));
        const b = labSeenBy(kind, colorOf(theme, other));
        return { theme, one, other, distance: Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) };
      }),
    ),
  ).filter(({ distance }) => distance < 18);

  expect(close).toEqual([]);
});
