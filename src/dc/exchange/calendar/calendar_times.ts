import { type LocalTime, resolveLocalTime, type TimeZone } from "#kernel/zoned_time.ts";
import { type ContentLine, createCalendarLineError } from "./content_lines.ts";
import { findTimeZone, type ZoneComponent } from "./time_zones.ts";

/** Time zone of times that name no zone. */
export interface CalendarZone {
  readonly name: string;
  /** Why times without a zone cannot be read; empty if they can. */
  readonly refusal: string;
  /** Rules of zones in the file, by their names. */
  readonly own?: ReadonlyMap<string, ZoneComponent>;
}

/** A time of a calendar: local time, and milliseconds since 1970. */
interface CalendarTime {
  readonly instant: number;
  readonly local: LocalTime;
  readonly second: number;
  readonly zone: TimeZone;
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

function resolveZoneName(line: number, name: string, requestedZone: string | undefined, site: CalendarZone): TimeZone {
  if (requestedZone !== undefined) {
    const zone = findTimeZone(requestedZone, site.own ?? new Map());
    if (zone !== undefined) return zone;
    throw createCalendarLineError(
      line,
      `${name} is in the zone "${requestedZone}", which is unknown: expected a VTIMEZONE, or a name of IANA or Windows, such as Europe/Amsterdam`,
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
