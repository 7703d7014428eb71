import type { Parts } from "./parts.ts";
import { textMatching } from "./pattern_text.ts";

/** A text of each format. Source: JSON Schema 2020-12 Validation, 7.3; hosts and addresses from RFC 2606, 3849, 5737. */
const FORMATS: Readonly<Record<string, string>> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T09:30:00Z",
  time: "09:30:00Z",
  duration: "PT1H30M",
  email: "name@example.com",
  "idn-email": "name@example.com",
  hostname: "www.example.com",
  "idn-hostname": "www.example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  "uri-reference": "/path",
  iri: "https://example.com/",
  "iri-reference": "/path",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  "uri-template": "https://example.com/{id}",
  "json-pointer": "/name",
  "relative-json-pointer": "0/name",
  regex: "^[a-z]+$",
};

/** Longest text that is padded to a demanded length, in characters. */
const MAX_PADDED = 2000;

/** A string; `nth` makes several of them differ. */
export function exampleString(parts: Parts, nth: number): string {
  const least = Math.min(parts.greatest("minLength") ?? 0, MAX_PADDED);
  const most = parts.least("maxLength") ?? Number.POSITIVE_INFINITY;
  const pattern = parts.first("pattern");
  if (typeof pattern === "string") {
    const text = matching(pattern, least + nth);
    if (text !== undefined) return text;
  }
  const format = FORMATS[String(parts.first("format"))];
  if (format !== undefined && nth === 0) return format;
  const text = nth === 0 ? "text" : `text ${nth + 1}`;
  return text.padEnd(least, "text").slice(0, most === Number.POSITIVE_INFINITY ? undefined : most);
}

/** The shortest text for the pattern that is long enough, else the longest one that could be written. */
function matching(pattern: string, least: number): string | undefined {
  let best = textMatching(pattern);
  for (let extra = 1; best !== undefined && [...best].length < least; extra++) {
    const longer = textMatching(pattern, extra);
    if (longer === undefined || longer.length === best.length) break;
    best = longer;
  }
  return best;
}

/** A number within the limits, near 1; `nth` makes several of them differ. */
export function exampleNumber(parts: Parts, whole: boolean, nth: number): number {
  const step = parts.first("multipleOf");
  const unit = typeof step === "number" ? step : whole ? 1 : undefined;
  const low = lowEnd(parts, unit);
  const high = highEnd(parts, unit);
  const start = Math.min(Math.max(1, low), high);
  if (unit === undefined) return nth === 0 ? start : start + nth * Math.min(1, (high - start) / (nth + 1));
  const first = Math.ceil(start / unit) * unit;
  const fitting = first > high ? Math.floor(high / unit) * unit : first;
  const candidate = rounded(fitting + nth * unit);
  return candidate > high ? rounded(fitting - nth * unit) : candidate;
}

/** Away from binary fractions: 3 × 0.1 is written as 0.3. */
function rounded(value: number): number {
  return Number(value.toPrecision(15));
}

function lowEnd(parts: Parts, unit: number | undefined): number {
  const closed = parts.greatest("minimum") ?? Number.NEGATIVE_INFINITY;
  const open = parts.greatest("exclusiveMinimum");
  return open === undefined || open < closed ? closed : open + (unit ?? gap(parts));
}

function highEnd(parts: Parts, unit: number | undefined): number {
  const closed = parts.least("maximum") ?? Number.POSITIVE_INFINITY;
  const open = parts.least("exclusiveMaximum");
  return open === undefined || open > closed ? closed : open - (unit ?? gap(parts));
}

/** A step inwards from an open end that stays inside. */
function gap(parts: Parts): number {
  const low = parts.greatest("exclusiveMinimum") ?? parts.greatest("minimum") ?? Number.NEGATIVE_INFINITY;
  const high = parts.least("exclusiveMaximum") ?? parts.least("maximum") ?? Number.POSITIVE_INFINITY;
  return Math.min(1, (high - low) / 2);
}
