import { OperationError } from "#kernel/errors.ts";
import { isTimeZone, type LocalTime, resolveLocalTime } from "#kernel/zoned_time.ts";

/** A line of a calendar: `NAME;PARAMETER=value:value`. Names are in upper case. */
export interface ContentLine {
  /** Number of the entry's first line in the file, from 1. */
  readonly line: number;
  readonly name: string;
  /** Parameter values without their quotes. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Unparsed value. */
  readonly value: string;
}

/** Returns the error for an invalid line of a calendar. */
export function createCalendarLineError(line: number, message: string): OperationError {
  return new OperationError("invalid_argument", `Line ${line}: ${message}`);
}

const LINE_HEAD_PATTERN = /^([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)*):/;
const PARAMETER_PATTERN = /;([A-Za-z0-9-]+)=((?:"[^"]*"|[^";])*)/g;
const MAX_QUOTED_CHARS = 60;

/** Reads the lines of a calendar, joining folded lines. Source: RFC 5545, 3.1. @throws OperationError with the line */
export function readContentLines(text: string): readonly ContentLine[] {
  const joined: { line: number; text: string }[] = [];
  for (const [index, part] of text.split(/\r\n|[\r\n]/).entries()) {
    const last = joined.at(-1);
    if (/^[ \t]/.test(part) && last !== undefined) last.text += part.slice(1);
    else if (part !== "") joined.push({ line: index + 1, text: part });
  }
  return joined.map(({ line, text: whole }) => parseLine(line, whole));
}

function parseLine(line: number, whole: string): ContentLine {
  const [head, name = "", parameters = ""] = LINE_HEAD_PATTERN.exec(whole) ?? [];
  if (head === undefined)
    throw createCalendarLineError(
      line,
      `"${whole.slice(0, MAX_QUOTED_CHARS)}" is no line of a calendar: expected NAME:value`,
    );
  const pairs = [...parameters.matchAll(PARAMETER_PATTERN)].map(([, key = "", value = ""]): [string, string] => [
    key.toUpperCase(),
    value.replaceAll('"', ""),
  ]);
  return { line, name: name.toUpperCase(), parameters: Object.fromEntries(pairs), value: whole.slice(head.length) };
}

/** Removes the escapes of a value of the type TEXT. */
export function unescapeText(value: string): string {
  return value.replaceAll(/\\([\s\S])/g, (_, letter: string) => (letter.toLowerCase() === "n" ? "\n" : letter));
}

/** Time zone of times that name no zone. */
export interface CalendarZone {
  readonly name: string;
  /** Why times without a zone cannot be read; empty if they can. */
  readonly refusal: string;
}

/** A time of a calendar: local time, and milliseconds since 1970. */
interface CalendarTime {
  readonly instant: number;
  readonly local: LocalTime;
  readonly second: number;
  readonly zone: string;
  readonly isDay: boolean;
}

const TIME_PATTERN = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/;
const TIME_EXPECTATION = "expected a time such as 20261128T190000Z, or a day such as 20261128";

/**
 * Parses a value of DTSTART or DTEND.
 * @throws OperationError for another form, an unknown zone, or a time that clocks skip or show twice
 */
export function parseCalendarTime({ line, name, parameters, value }: ContentLine, site: CalendarZone): CalendarTime {
  const [whole, year, month, day, hour, minute, second, mark] = TIME_PATTERN.exec(value) ?? [];
  if (whole === undefined)
    throw createCalendarLineError(line, `${name} "${value}" cannot be read: ${TIME_EXPECTATION}`);
  const local = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
  };
  if (local.hour > 23 || local.minute > 59 || Number(second ?? 0) > 60)
    throw createCalendarLineError(line, `${name} "${value}" cannot be read: ${TIME_EXPECTATION}`);
  const zone = mark === "Z" ? "UTC" : resolveZoneName(line, name, parameters["TZID"], site);
  const time = { local, second: Number(second ?? 0), zone, isDay: hour === undefined };
  return { ...time, instant: convertToInstant(line, `${name} "${value}"`, time) };
}

function resolveZoneName(line: number, name: string, requestedZone: string | undefined, site: CalendarZone): string {
  if (requestedZone !== undefined) {
    if (isTimeZone(requestedZone)) return requestedZone;
    throw createCalendarLineError(
      line,
      `${name} is in the zone "${requestedZone}", which is unknown: expected an IANA name, such as Europe/Amsterdam`,
    );
  }
  if (site.refusal === "") return site.name;
  throw createCalendarLineError(line, `${name} names no zone: expected --time-zone, because ${site.refusal}`);
}

function convertToInstant(line: number, what: string, { local, second, zone }: Omit<CalendarTime, "instant">): number {
  const instant = resolveLocalTime(local, zone);
  if (typeof instant === "number") return instant + second * 1000;
  throw createCalendarLineError(line, `${what} cannot be read: expected ${instant.expected}`);
}

const DURATION_PATTERN =
  /^\+?P(?:(\d{1,4})W|(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?)$/;

/**
 * Returns the end of a DURATION after a start, in milliseconds since 1970. Days and weeks are those of the calendar.
 * @throws OperationError for another form
 */
export function addDuration(start: CalendarTime, { line, value }: ContentLine): number {
  const [whole, weeks, days, hours, minutes, seconds] = DURATION_PATTERN.exec(value) ?? [];
  if (whole === undefined || value.endsWith("P"))
    throw createCalendarLineError(line, `DURATION "${value}" cannot be read: expected one such as PT2H or P1D`);
  const { year, month, day } = start.local;
  const moved = new Date(Date.UTC(year, month - 1, day + Number(weeks ?? 0) * 7 + Number(days ?? 0)));
  const local = {
    ...start.local,
    year: moved.getUTCFullYear(),
    month: moved.getUTCMonth() + 1,
    day: moved.getUTCDate(),
  };
  const from = convertToInstant(line, `The end by DURATION "${value}"`, { ...start, local });
  return from + ((Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0)) * 1000;
}

/** Returns the end of a whole day, in milliseconds since 1970. */
export function addDay(start: CalendarTime, line: number): number {
  return addDuration(start, { line, name: "DURATION", parameters: {}, value: "P1D" });
}
