import type { PortRef } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { BASIS_WORDS, capitalize, pluralize } from "#words/names.ts";

/** A count with separators of thousands, and its noun. */
export function countOf(value: number, noun: string): string {
  return `${formatCount(value)} ${value === 1 ? noun : pluralize(noun)}`;
}

const MOMENT: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "shortOffset",
};
const moments = new Intl.DateTimeFormat(undefined, MOMENT);

/** A moment in the reader's own time zone or another one, with how far that is from UTC. */
export function moment(iso: string, timeZone?: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const format = timeZone === undefined ? moments : new Intl.DateTimeFormat(undefined, { ...MOMENT, timeZone });
  return format.format(date).replace("GMT", "UTC");
}

const times = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit", timeZoneName: "shortOffset" });

/** The time of day in the reader's own time zone. */
export function timeOfDay(milliseconds: number): string {
  return times.format(milliseconds).replace("GMT", "UTC");
}

const { second: _, ...SHORT } = MOMENT;
const { year: __, ...THIS_YEAR } = SHORT;
const shortMoments = new Intl.DateTimeFormat(undefined, SHORT);
const yearMoments = new Intl.DateTimeFormat(undefined, THIS_YEAR);

/** The same in short: the time of today, the day of this year, to the minute. */
export function shortMoment(iso: string, now = new Date()): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  if (date.toDateString() === now.toDateString()) return timeOfDay(date.getTime());
  const format = date.getFullYear() === now.getFullYear() ? yearMoments : shortMoments;
  return format.format(date).replace("GMT", "UTC");
}

/** A moment as everybody writes it who compares logs: `2026-03-05 14:07:09.120 UTC`. */
export function utcMoment(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : date.toISOString().replace("T", " ").replace("Z", " UTC");
}

/** Which draw counts as load, by the word in the address. */
export const LOAD_BASES = [
  ["", `${capitalize(BASIS_WORDS.ALLOCATED)} draw`],
  ["measured", `${capitalize(BASIS_WORDS.MEASURED)} draw`],
  ["max", `${capitalize(BASIS_WORDS.MAX)} draw`],
] as const;

export function portRef({ device_code, port_name }: PortRef): string {
  return `port:${device_code}/${port_name}`;
}

export function portName({ device_code, port_name }: PortRef): string {
  return `${device_code} ${port_name}`;
}
