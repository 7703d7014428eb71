import * as Format from "typebox/format";
import type { WatchedPattern } from "../patterns.ts";
import { formatValue } from "../problems.ts";
import { type Frame, fail, type Keyword, keyword } from "./check.ts";

/** Keywords about numbers and strings. Source: JSON Schema 2020-12 Validation, 6.2, 6.3 and 7. */
export const SCALAR_CHECKS: readonly Keyword[] = [
  number("minimum", (value, limit) => value >= limit, "at least"),
  number("exclusiveMinimum", (value, limit) => value > limit, "more than"),
  number("maximum", (value, limit) => value <= limit, "at most"),
  number("exclusiveMaximum", (value, limit) => value < limit, "less than"),
  number("multipleOf", isMultipleOf, "a multiple of"),
  keyword("minLength", "string", (least: number) => (value, frame) => {
    return characters(value, least) >= least || wrongLength(frame, `at least ${least}`, value);
  }),
  keyword("maxLength", "string", (most: number) => (value, frame) => {
    return characters(value, most + 1) <= most || wrongLength(frame, `at most ${most}`, value);
  }),
  keyword("pattern", "string", (pattern: WatchedPattern) => (value, frame) => {
    return (
      pattern.matches(value) ||
      fail(frame, `expected text matching ${formatValue(pattern.source)}, got ${formatValue(value)}`)
    );
  }),
  keyword("format", "string", (format: string) => (value, frame) => {
    return Format.Test(format, value) || fail(frame, `expected the format "${format}", got ${formatValue(value)}`);
  }),
];

function number(name: string, fits: (value: number, limit: number) => boolean, words: string): Keyword {
  return keyword(name, "number", (limit: number) => (value, frame) => {
    return fits(value, limit) || fail(frame, `expected ${words} ${limit}, got ${value}`);
  });
}

function wrongLength(frame: Frame, wanted: string, value: string): false {
  if (frame.report === undefined) return false;
  const count = characters(value, Number.POSITIVE_INFINITY);
  return fail(frame, `expected ${wanted} ${wanted.endsWith(" 1") ? "character" : "characters"}, got ${count}`);
}

/** The length of a text in code points, not counted any further than `enough`. */
function characters(text: string, enough: number): number {
  // Fewer units than wanted characters are too few in any case, and twice as many units are always enough.
  if (text.length < enough || text.length >= 2 * enough) return text.length;
  let count = text.length;
  for (const [pair] of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) count -= pair.length - 1;
  return count;
}

/**
 * True when `value` is a whole multiple of `step` as decimal numbers, the way both are written in JSON: 4.35 is a
 * multiple of 0.01 although their binary quotient is not whole. `step` is above 0.
 */
export function isMultipleOf(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  if (!Number.isFinite(value) || !Number.isFinite(step)) return false;
  const left = decimal(value);
  const right = decimal(step);
  const exponent = Math.min(left.exponent, right.exponent);
  return scaleDecimal(left, exponent) % scaleDecimal(right, exponent) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  /** The value is `digits` × 10 ** `exponent`. */
  readonly exponent: number;
}

function decimal(value: number): Decimal {
  const [mantissa = "", power = "0"] = value.toExponential().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

// A double spans some 630 decimal places, so the integers here stay below 2200 bits.
function scaleDecimal({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}
