import type { CombinedSchemas } from "./parts.ts";
import { writePatternText } from "./pattern_text.ts";

/**
 * Example texts by format; different `nth` give different texts. Source: JSON Schema 2020-12 Validation, 7.3; hosts and
 * addresses from RFC 2606, 3849 and 5737.
 */
const FORMAT_EXAMPLES: Readonly<Record<string, (nth: number) => string>> = {
  date: (nth) => `2026-01-${31 - nth}`,
  "date-time": (nth) => `2026-01-${31 - nth}T09:30:00Z`,
  time: (nth) => `09:${30 + nth}:00Z`,
  duration: (nth) => `PT${nth + 1}H30M`,
  email: (nth) => `name${formatSuffix(nth)}@example.com`,
  "idn-email": (nth) => `name${formatSuffix(nth)}@example.com`,
  hostname: (nth) => `www${formatSuffix(nth)}.example.com`,
  "idn-hostname": (nth) => `www${formatSuffix(nth)}.example.com`,
  ipv4: (nth) => `192.0.2.${nth + 1}`,
  ipv6: (nth) => `2001:db8::${nth + 1}`,
  uri: (nth) => `https://example.com/${formatSuffix(nth)}`,
  "uri-reference": (nth) => `/path${formatSuffix(nth)}`,
  iri: (nth) => `https://example.com/${formatSuffix(nth)}`,
  "iri-reference": (nth) => `/path${formatSuffix(nth)}`,
  uuid: (nth) => `123e4567-e89b-42d3-a456-4266141740${10 + nth}`,
  "uri-template": (nth) => `https://example.com/{id}/${formatSuffix(nth)}`,
  "json-pointer": (nth) => `/name${formatSuffix(nth)}`,
  "relative-json-pointer": (nth) => `${nth}/name`,
  regex: (nth) => `^[a-z]{${nth + 1}}$`,
};

function formatSuffix(nth: number): string {
  return nth === 0 ? "" : String(nth + 1);
}

/** Maximum length of a text that is padded to a required length, in characters. */
const MAX_PADDED_CHARS = 2000;

/** Creates a string; different `nth` give different strings. */
export function createExampleText(parts: CombinedSchemas, nth: number): string {
  const least = Math.min(parts.findGreatest("minLength") ?? 0, MAX_PADDED_CHARS);
  const most = parts.findLeast("maxLength") ?? Number.POSITIVE_INFINITY;
  const pattern = parts.getFirstValue("pattern");
  if (typeof pattern === "string") {
    const text = writeMatchingText(pattern, least + nth);
    if (text !== undefined) return text;
  }
  const format = parts.getFirstValue("format");
  if (typeof format === "string" && Object.hasOwn(FORMAT_EXAMPLES, format)) return FORMAT_EXAMPLES[format]?.(nth) ?? "";
  const text = nth === 0 ? "text" : `text ${nth + 1}`;
  return text.padEnd(least, "text").slice(0, most === Number.POSITIVE_INFINITY ? undefined : most);
}

/** Returns whether a text can be written for the required pattern; true without a pattern. */
export function canWritePattern(parts: CombinedSchemas): boolean {
  const patterns = parts.listValues("pattern");
  return patterns.length === 0 || (patterns.length === 1 && writePatternText(String(patterns[0])) !== undefined);
}

/** Returns the pattern's shortest text with `least` characters, otherwise the longest one that can be written. */
function writeMatchingText(pattern: string, least: number): string | undefined {
  let best = writePatternText(pattern);
  for (let extra = 1; best !== undefined && [...best].length < least; extra++) {
    const longer = writePatternText(pattern, extra);
    if (longer === undefined || longer.length === best.length) break;
    best = longer;
  }
  return best;
}

/** Creates a number within the limits, near 1; different `nth` give different numbers. */
export function createExampleNumber(parts: CombinedSchemas, whole: boolean, nth: number): number {
  const step = parts.getFirstValue("multipleOf");
  const unit = typeof step === "number" ? step : whole ? 1 : undefined;
  const low = computeLowerLimit(parts, unit);
  const high = computeUpperLimit(parts, unit);
  const start = Math.min(Math.max(1, low), high);
  if (unit === undefined) return nth === 0 ? start : start + nth * Math.min(1, (high - start) / (nth + 1));
  const first = Math.ceil(start / unit) * unit;
  const fitting = first > high ? Math.floor(high / unit) * unit : first;
  const candidate = roundFraction(fitting + nth * unit);
  return candidate > high ? roundFraction(fitting - nth * unit) : candidate;
}

/** Removes the error of binary fractions: 3 × 0.1 becomes 0.3. */
function roundFraction(value: number): number {
  return Number(value.toPrecision(15));
}

function computeLowerLimit(parts: CombinedSchemas, unit: number | undefined): number {
  const closed = parts.findGreatest("minimum") ?? Number.NEGATIVE_INFINITY;
  const open = parts.findGreatest("exclusiveMinimum");
  return open === undefined || open < closed ? closed : open + (unit ?? computeLimitGap(parts));
}

function computeUpperLimit(parts: CombinedSchemas, unit: number | undefined): number {
  const closed = parts.findLeast("maximum") ?? Number.POSITIVE_INFINITY;
  const open = parts.findLeast("exclusiveMaximum");
  return open === undefined || open > closed ? closed : open - (unit ?? computeLimitGap(parts));
}

/** Returns the distance from an exclusive limit at which a value is still within both limits; at most 1. */
function computeLimitGap(parts: CombinedSchemas): number {
  const low = parts.findGreatest("exclusiveMinimum") ?? parts.findGreatest("minimum") ?? Number.NEGATIVE_INFINITY;
  const high = parts.findLeast("exclusiveMaximum") ?? parts.findLeast("maximum") ?? Number.POSITIVE_INFINITY;
  return Math.min(1, (high - low) / 2);
}
