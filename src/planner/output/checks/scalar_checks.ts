import * as Format from "typebox/format";
import type { WatchedPattern } from "../patterns.ts";
import { formatValue } from "../problems.ts";
import { type CheckFrame, createKeyword, type KeywordDefinition, reportProblem } from "./check.ts";

/** Keywords for numbers and strings. Source: JSON Schema 2020-12 Validation, 6.2, 6.3 and 7. */
export const SCALAR_CHECKS: readonly KeywordDefinition[] = [
  createNumberKeyword("minimum", (value, limit) => value >= limit, "at least"),
  createNumberKeyword("exclusiveMinimum", (value, limit) => value > limit, "more than"),
  createNumberKeyword("maximum", (value, limit) => value <= limit, "at most"),
  createNumberKeyword("exclusiveMaximum", (value, limit) => value < limit, "less than"),
  createNumberKeyword("multipleOf", isMultipleOf, "a multiple of"),
  createKeyword("minLength", "string", (least: number) => (value, frame) => {
    return countCharacters(value, least) >= least || reportLength(frame, `at least ${least}`, value);
  }),
  createKeyword("maxLength", "string", (most: number) => (value, frame) => {
    return countCharacters(value, most + 1) <= most || reportLength(frame, `at most ${most}`, value);
  }),
  createKeyword("pattern", "string", (pattern: WatchedPattern) => (value, frame) => {
    return (
      pattern.matches(value) ||
      reportProblem(frame, `expected text matching ${formatValue(pattern.source)}, got ${formatValue(value)}`)
    );
  }),
  createKeyword("format", "string", (format: string) => (value, frame) => {
    return (
      Format.Test(format, value) || reportProblem(frame, `expected the format "${format}", got ${formatValue(value)}`)
    );
  }),
];

function createNumberKeyword(
  name: string,
  fits: (value: number, limit: number) => boolean,
  words: string,
): KeywordDefinition {
  return createKeyword(name, "number", (limit: number) => (value, frame) => {
    return fits(value, limit) || reportProblem(frame, `expected ${words} ${limit}, got ${value}`);
  });
}

function reportLength(frame: CheckFrame, wanted: string, value: string): false {
  if (frame.report === undefined) return false;
  const count = countCharacters(value, Number.POSITIVE_INFINITY);
  return reportProblem(frame, `expected ${wanted} ${wanted.endsWith(" 1") ? "character" : "characters"}, got ${count}`);
}

/** Counts the code points of a text; a result of `enough` or more may be inexact. */
function countCharacters(text: string, enough: number): number {
  // A text has at least half as many code points as UTF-16 units, so these lengths need no exact count.
  if (text.length < enough || text.length >= 2 * enough) return text.length;
  let count = text.length;
  for (const [pair] of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) count -= pair.length - 1;
  return count;
}

/**
 * Returns whether `value` is a whole multiple of `step` in decimal arithmetic, because JSON writes both in decimal:
 * 4.35 is a multiple of 0.01 although their binary quotient is not whole. `step` must be above 0.
 */
export function isMultipleOf(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  if (!Number.isFinite(value) || !Number.isFinite(step)) return false;
  const left = parseDecimal(value);
  const right = parseDecimal(step);
  const exponent = Math.min(left.exponent, right.exponent);
  return scaleDecimal(left, exponent) % scaleDecimal(right, exponent) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  /** The value is `digits` × 10 ** `exponent`. */
  readonly exponent: number;
}

function parseDecimal(value: number): Decimal {
  const [mantissa = "", power = "0"] = value.toExponential().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

// A double spans about 630 decimal places, so the integers here stay below 2200 bits.
function scaleDecimal({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}
