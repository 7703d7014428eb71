import { BOLD_ADVANCES, REGULAR_ADVANCES } from "./dejavu_advances.ts";

const UNITS_PER_EM = 2048;
/** Width of emoji in em, slightly more than their height. */
const EMOJI_EM = 1.3;
/** Width in em of East Asian letters, which are as wide as high. */
const EAST_ASIAN_EM = 1;
/** Width in em of a letter missing in the tables. It is wider than most letters, so that text does not overflow. */
const MISSING_LETTER_EM = 0.85;

/** Width in em of the replacement for characters that XML cannot contain. */
const REPLACEMENT_EM = 1.05;

const UNPRINTABLE = /^[\p{Cc}\p{Cs}]$/u;
const ZERO_WIDTH = /^[\p{Cf}\p{Mn}\p{Me}]$/u;
const EMOJI = /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier})$/u;
const EAST_ASIAN =
  /^(?:[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])$/u;

interface FontOptions {
  readonly size: number;
  readonly weight?: "bold" | undefined;
}

/**
 * Returns the width of one line of text in DejaVu Sans, in pixels.
 * The fonts that replace it in browsers (Verdana, Segoe UI, Helvetica) are as wide or narrower, so text that fits here
 * fits there. Joined or shaped letters are counted separately, which never underestimates. Cost: O(letters).
 */
export function measureText(text: string, { size, weight }: FontOptions): number {
  const widths = weight === "bold" ? boldWidths : regularWidths;
  let em = 0;
  for (const letter of text) em += widths.getWidth(letter);
  return em * size;
}

/** Returns the text, or as much of its beginning as fits with an ellipsis; empty if not even the ellipsis fits. */
export function fitText(text: string, maxWidth: number, options: FontOptions): string {
  if (measureText(text, options) <= maxWidth) return text;
  const room = maxWidth - measureText("…", options);
  let kept = "";
  let used = 0;
  for (const { segment } of GRAPHEME_SEGMENTER.segment(text)) {
    used += measureText(segment, options);
    if (used > room) break;
    kept += segment;
  }
  return kept === "" ? "" : `${kept.trimEnd()}…`;
}

/** Splits text into graphemes, so that an emoji of several code points is never cut. */
const GRAPHEME_SEGMENTER = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Widths of one font in em, unpacked on first use. */
class FontWidths {
  readonly #packed: string;
  #known: Map<string, number> | undefined;

  constructor(packed: string) {
    this.#packed = packed;
  }

  getWidth(letter: string): number {
    this.#known ??= unpackWidths(this.#packed);
    return this.#known.get(letter) ?? estimateWidth(letter);
  }
}

function unpackWidths(packed: string): Map<string, number> {
  const widths = new Map<string, number>();
  for (const run of packed.split(" ")) {
    const [first = 0, count = 0, width = 0] = run.split(".").map((part) => Number.parseInt(part, 36));
    for (let letter = first; letter < first + count; letter += 1) {
      widths.set(String.fromCodePoint(letter), width / UNITS_PER_EM);
    }
  }
  return widths;
}

function estimateWidth(letter: string): number {
  if (UNPRINTABLE.test(letter)) return REPLACEMENT_EM;
  if (ZERO_WIDTH.test(letter)) return 0;
  if (EMOJI.test(letter)) return EMOJI_EM;
  return EAST_ASIAN.test(letter) ? EAST_ASIAN_EM : MISSING_LETTER_EM;
}

const regularWidths = new FontWidths(REGULAR_ADVANCES);
const boldWidths = new FontWidths(BOLD_ADVANCES);
