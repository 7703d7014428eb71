import type { Theme } from "#dc/model/enum_values.ts";
import { FULL_PCT, WATCH_PCT } from "#kernel/judge_share.ts";

/** Names of the colours of backgrounds, lines and plain text. */
const PLAIN_COLORS = ["surface", "panel", "sunken", "line", "grid", "ink", "muted", "accent", "accentSoft"] as const;

/** States, which are also the names of their strong fills. Soft fills are for large areas. */
const STATES = ["ok", "watch", "fault", "info", "offline"] as const;
export type State = (typeof STATES)[number];

const SOFT_STATE_COLORS = ["okSoft", "watchSoft", "faultSoft", "infoSoft", "offlineSoft"] as const;
const STATE_TEXT_COLORS = ["okText", "watchText", "faultText", "infoText", "offlineText", "accentText"] as const;

/** Fills that distinguish roles and kinds. */
const ROLE_COLORS = ["role1", "role2", "role3", "role4", "role5", "role6", "role7", "role8", "roleOther"] as const;
export type RoleToken = (typeof ROLE_COLORS)[number];

/** Colours for the steps of a measured value, from low to high. */
const SCALE_COLORS = ["scale0", "scale1", "scale2", "scale3", "scale4", "scale5"] as const;
export type ScaleToken = (typeof SCALE_COLORS)[number];

export const COLOR_TOKENS = [
  ...PLAIN_COLORS,
  ...STATES,
  ...SOFT_STATE_COLORS,
  ...STATE_TEXT_COLORS,
  ...ROLE_COLORS,
  ...SCALE_COLORS,
] as const;
export type ColorToken = (typeof COLOR_TOKENS)[number];

/** A recorded colour as `#rrggbb`, the same in every theme. */
export type RecordedColor = `#${string}`;

/** A colour by name, or a recorded one; `on:<colour>` is the text colour that is readable on that colour. */
export type Paint = ColorToken | RecordedColor | `on:${ColorToken | RecordedColor}`;

type ThemeColors = Readonly<Record<ColorToken, string>>;

const LIGHT_THEME: ThemeColors = {
  surface: "#f6f8fb",
  panel: "#ffffff",
  sunken: "#e9eef5",
  line: "#424e60",
  grid: "#dde4ed",
  ink: "#17212e",
  muted: "#55637a",
  accent: "#2563c9",
  accentSoft: "#dbe7fb",
  ok: "#267d63",
  watch: "#f0b429",
  fault: "#b3261e",
  info: "#3b7dd8",
  offline: "#3c4657",
  okSoft: "#d3efe5",
  watchSoft: "#fdeebf",
  faultSoft: "#fbdad6",
  infoSoft: "#d9e7fa",
  offlineSoft: "#d5dae2",
  okText: "#15654e",
  watchText: "#7d5300",
  faultText: "#a3180f",
  infoText: "#1f5aa8",
  offlineText: "#3c4657",
  accentText: "#1c4fa6",
  role1: "#8fb8ec",
  role2: "#f2b279",
  role3: "#8fd0b5",
  role4: "#c5a7e6",
  role5: "#f0a3b5",
  role6: "#e6d36f",
  role7: "#86cbd9",
  role8: "#c4b09a",
  roleOther: "#c7d0db",
  scale0: "#e3eef9",
  scale1: "#b4d3ee",
  scale2: "#7fb0de",
  scale3: "#f6c667",
  scale4: "#e8833a",
  scale5: "#a8201a",
};

const DARK_THEME: ThemeColors = {
  surface: "#0f1620",
  panel: "#18222f",
  sunken: "#0a1018",
  line: "#b4c0cf",
  grid: "#27344a",
  ink: "#e8eef6",
  muted: "#a3b1c4",
  accent: "#6ea8fe",
  accentSoft: "#1e3557",
  ok: "#3fb795",
  watch: "#f2c14b",
  fault: "#e2574c",
  info: "#62a0ea",
  offline: "#8a95a6",
  okSoft: "#14392f",
  watchSoft: "#40330f",
  faultSoft: "#4a1a18",
  infoSoft: "#17324f",
  offlineSoft: "#313b4a",
  okText: "#6fd6b6",
  watchText: "#f5cf6e",
  faultText: "#ff9a90",
  infoText: "#8fbff7",
  offlineText: "#b6c0ce",
  accentText: "#8fbbff",
  role1: "#2f5f9e",
  role2: "#97592a",
  role3: "#2c7359",
  role4: "#6a4a94",
  role5: "#93455a",
  role6: "#776817",
  role7: "#22707e",
  role8: "#6d5a45",
  roleOther: "#4a5667",
  scale0: "#1b2b3f",
  scale1: "#24486e",
  scale2: "#2f6ba8",
  scale3: "#8a6710",
  scale4: "#d9762c",
  scale5: "#f07167",
};

/** Colours for black-and-white prints. Large fills are light, to save toner and keep hatches distinguishable. */
const PRINT_THEME: ThemeColors = {
  ...LIGHT_THEME,
  surface: "#ffffff",
  panel: "#ffffff",
  sunken: "#f2f2f2",
  line: "#404040",
  grid: "#d0d0d0",
  ink: "#000000",
  muted: "#444444",
  accent: "#000000",
  accentSoft: "#e6e6e6",
  accentText: "#000000",
  ok: "#e4e4e4",
  watch: "#b0b0b0",
  fault: "#1a1a1a",
  info: "#8c8c8c",
  offline: "#4d4d4d",
  okSoft: "#ffffff",
  watchSoft: "#ececec",
  faultSoft: "#d4d4d4",
  infoSoft: "#f4f4f4",
  offlineSoft: "#dcdcdc",
  okText: "#000000",
  watchText: "#000000",
  faultText: "#000000",
  infoText: "#000000",
  offlineText: "#000000",
  // Three greys that a printer distinguishes, each plain and with two hatches.
  role1: "#ffffff",
  role2: "#d9d9d9",
  role3: "#ffffff",
  role4: "#d9d9d9",
  role5: "#b0b0b0",
  role6: "#ffffff",
  role7: "#d9d9d9",
  role8: "#b0b0b0",
  roleOther: "#b0b0b0",
  scale0: "#ffffff",
  scale1: "#e6e6e6",
  scale2: "#cccccc",
  scale3: "#aaaaaa",
  scale4: "#666666",
  scale5: "#1a1a1a",
};

const HIGH_CONTRAST_THEME: ThemeColors = {
  ...DARK_THEME,
  surface: "#000000",
  panel: "#000000",
  sunken: "#000000",
  line: "#ffffff",
  grid: "#707070",
  ink: "#ffffff",
  muted: "#e0e0e0",
  accent: "#00e5ff",
  accentSoft: "#003a45",
  accentText: "#00e5ff",
  ok: "#00d68f",
  watch: "#ffe14d",
  fault: "#ff6b6b",
  info: "#66b3ff",
  offline: "#bfbfbf",
  okSoft: "#003322",
  watchSoft: "#3d3200",
  faultSoft: "#4a0000",
  infoSoft: "#002a52",
  offlineSoft: "#2b2b2b",
  okText: "#00e69a",
  watchText: "#ffe14d",
  faultText: "#ff8f8f",
  infoText: "#80c1ff",
  offlineText: "#d9d9d9",
  scale0: "#10243a",
  scale1: "#1e4a7a",
  scale2: "#4f96de",
  scale3: "#ffe14d",
  scale4: "#ff9f40",
  scale5: "#ff8080",
};

const THEME_COLORS: Readonly<Record<Theme, ThemeColors>> = {
  LIGHT: LIGHT_THEME,
  DARK: DARK_THEME,
  PRINT: PRINT_THEME,
  HIGH_CONTRAST: HIGH_CONTRAST_THEME,
};

/** Returns the colour of a paint as `#rrggbb`. */
export function resolveColor(theme: Theme, paint: Paint): string {
  if (!paint.startsWith("on:")) return findBackgroundColor(theme, paint as ColorToken | RecordedColor);
  const ground = findBackgroundColor(theme, paint.slice("on:".length) as ColorToken | RecordedColor);
  const ink = INK_BY_BACKGROUND.get(ground) ?? chooseTextColor(ground);
  INK_BY_BACKGROUND.set(ground, ink);
  return ink;
}

function findBackgroundColor(theme: Theme, paint: ColorToken | RecordedColor): string {
  return paint.startsWith("#") ? paint : THEME_COLORS[theme][paint as ColorToken];
}

/** Text colours by background colour, cached because a picture needs one for each text. */
const INK_BY_BACKGROUND = new Map<string, string>();

function chooseTextColor(ground: string): string {
  return computeContrastRatio(ground, "#0b1119") >= computeContrastRatio(ground, "#ffffff") ? "#0b1119" : "#ffffff";
}

/** Returns the contrast of two colours, 1 to 21. Source: WCAG 2.2, contrast ratio. */
export function computeContrastRatio(a: string, b: string): number {
  const [dark = 0, light = 0] = [computeRelativeLuminance(a), computeRelativeLuminance(b)].toSorted(
    (one, other) => one - other,
  );
  return (light + 0.05) / (dark + 0.05);
}

function computeRelativeLuminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(color.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

interface PrintHatch {
  readonly pattern: "diagonal" | "dots";
  readonly paint: RecordedColor;
}

/** Hatches that distinguish roles of one grey on paper: grey on white and light grey, white on the darker grey. */
const PRINT_HATCHES: Readonly<Partial<Record<ColorToken, PrintHatch>>> = {
  role3: { pattern: "diagonal", paint: "#9a9a9a" },
  role4: { pattern: "diagonal", paint: "#8a8a8a" },
  role5: { pattern: "diagonal", paint: "#ffffff" },
  role6: { pattern: "dots", paint: "#7a7a7a" },
  role7: { pattern: "dots", paint: "#6a6a6a" },
  roleOther: { pattern: "dots", paint: "#ffffff" },
};

/** Returns the hatch of a fill in a theme; undefined for a plain fill. */
export function findHatch(theme: Theme, fill: Paint | undefined): PrintHatch | undefined {
  return theme === "PRINT" ? PRINT_HATCHES[fill as ColorToken] : undefined;
}

/** Returns the colour step for a share in percent: from 80 on warm, from 100 on the hottest. */
export function findScaleToken(pct: number): ScaleToken {
  if (pct >= FULL_PCT) return "scale5";
  if (pct >= 90) return "scale4";
  if (pct >= WATCH_PCT) return "scale3";
  if (pct >= 50) return "scale2";
  return pct >= 20 ? "scale1" : "scale0";
}
