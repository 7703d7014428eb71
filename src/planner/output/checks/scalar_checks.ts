import * as Format from "typebox/format";
import type { WatchedPattern } from "../patterns.ts";
import { shown } from "../problems.ts";
import { type Frame, fail, type Keyword, keyword } from "./check.ts";
import { isMultipleOf } from "./multiple_of.ts";

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
      pattern.matches(value) || fail(frame, `expected text matching ${shown(pattern.source)}, got ${shown(value)}`)
    );
  }),
  keyword("format", "string", (format: string) => (value, frame) => {
    return Format.Test(format, value) || fail(frame, `expected the format "${format}", got ${shown(value)}`);
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
