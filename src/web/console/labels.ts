import type { PortRef } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { capitalize, LOAD_BASIS_ADJECTIVES, pluralize } from "#words/names.ts";

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Formats a count with thousands separators and its noun: `1,250 racks`. */
export function formatQuantity(value: number, noun: string): string {
  return `${formatCount(value)} ${value === 1 ? noun : pluralize(noun)}`;
}

const MOMENT_OPTIONS: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "shortOffset",
};
const momentFormatter = new Intl.DateTimeFormat(undefined, MOMENT_OPTIONS);

/** Formats a time in `timeZone`, by default the reader's, with its UTC offset. Returns an invalid time unchanged. */
export function formatMoment(iso: string, timeZone?: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const format =
    timeZone === undefined ? momentFormatter : new Intl.DateTimeFormat(undefined, { ...MOMENT_OPTIONS, timeZone });
  return format.format(date).replace("GMT", "UTC");
}

const timeOfDayFormatter = new Intl.DateTimeFormat(undefined, {
  hour: "numeric",
  minute: "2-digit",
  timeZoneName: "shortOffset",
});

/** Formats a time (milliseconds since 1970) as a time of day in the reader's time zone, with its UTC offset. */
export function formatTimeOfDay(milliseconds: number): string {
  return timeOfDayFormatter.format(milliseconds).replace("GMT", "UTC");
}

const { second: _, ...SHORT_MOMENT_OPTIONS } = MOMENT_OPTIONS;
const { year: __, ...YEARLESS_MOMENT_OPTIONS } = SHORT_MOMENT_OPTIONS;
const shortMomentFormatter = new Intl.DateTimeFormat(undefined, SHORT_MOMENT_OPTIONS);
const yearlessMomentFormatter = new Intl.DateTimeFormat(undefined, YEARLESS_MOMENT_OPTIONS);

/** Formats a time in short form to the minute: without the date if it is today, without the year if it is this year. */
export function formatShortMoment(iso: string, now = new Date()): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  if (date.toDateString() === now.toDateString()) return formatTimeOfDay(date.getTime());
  const format = date.getFullYear() === now.getFullYear() ? yearlessMomentFormatter : shortMomentFormatter;
  return format.format(date).replace("GMT", "UTC");
}

/** Formats a time for comparison with logs: `2026-03-05 14:07:09.120 UTC`. */
export function formatUtcMoment(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : date.toISOString().replace("T", " ").replace("Z", " UTC");
}

/** Kinds of draw that can count as load: each value in URLs with its label. */
export const LOAD_BASIS_CHOICES = [
  ["", `${capitalize(LOAD_BASIS_ADJECTIVES.ALLOCATED)} draw`],
  ["measured", `${capitalize(LOAD_BASIS_ADJECTIVES.MEASURED)} draw`],
  ["max", `${capitalize(LOAD_BASIS_ADJECTIVES.MAX)} draw`],
] as const;

export function formatPortRef({ device_code, port_name }: PortRef): string {
  return `port:${device_code}/${port_name}`;
}

export function formatPortName({ device_code, port_name }: PortRef): string {
  return `${device_code} ${port_name}`;
}
