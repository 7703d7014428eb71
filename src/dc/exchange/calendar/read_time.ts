import { isTimeZone, type LocalTime, readLocalTime } from "#kernel/zoned_time.ts";
import { type ContentLine, faultAt } from "./content_lines.ts";

/** The zone of times that name none. */
export interface CalendarZone {
  readonly name: string;
  /** Why times without a zone cannot be read; empty if they can. */
  readonly refusal: string;
}

/** A time of a calendar: on a clock, and since 1970 in ms. */
export interface CalendarTime {
  readonly instant: number;
  readonly local: LocalTime;
  readonly second: number;
  readonly zone: string;
  readonly isDay: boolean;
}

const FORM = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/;
const EXPECTED = "expected a time such as 20261128T190000Z, or a day such as 20261128";

/** Reads a value of DTSTART or DTEND. @throws OperationError for another form, an unknown zone, a time that clocks skip or show twice */
export function readTime({ line, name, parameters, value }: ContentLine, site: CalendarZone): CalendarTime {
  const [whole, year, month, day, hour, minute, second, mark] = FORM.exec(value) ?? [];
  if (whole === undefined) throw faultAt(line, `${name} "${value}" cannot be read: ${EXPECTED}`);
  const local = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
  };
  if (local.hour > 23 || local.minute > 59 || Number(second ?? 0) > 60)
    throw faultAt(line, `${name} "${value}" cannot be read: ${EXPECTED}`);
  const zone = mark === "Z" ? "UTC" : zoneOf(line, name, parameters["TZID"], site);
  const time = { local, second: Number(second ?? 0), zone, isDay: hour === undefined };
  return { ...time, instant: instantOf(line, `${name} "${value}"`, time) };
}

function zoneOf(line: number, name: string, asked: string | undefined, site: CalendarZone): string {
  if (asked !== undefined) {
    if (isTimeZone(asked)) return asked;
    throw faultAt(
      line,
      `${name} is in the zone "${asked}", which is unknown: expected an IANA name, such as Europe/Amsterdam`,
    );
  }
  if (site.refusal === "") return site.name;
  throw faultAt(line, `${name} names no zone: expected --time-zone, because ${site.refusal}`);
}

function instantOf(line: number, what: string, { local, second, zone }: Omit<CalendarTime, "instant">): number {
  const instant = readLocalTime(local, zone);
  if (typeof instant === "number") return instant + second * 1000;
  throw faultAt(line, `${what} cannot be read: expected ${instant.expected}`);
}

const DURATION = /^\+?P(?:(\d{1,4})W|(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?)$/;

/** The end of a time that lasts for a DURATION. Days and weeks are those of the calendar. @throws OperationError for another form */
export function endAfter(start: CalendarTime, { line, value }: ContentLine): number {
  const [whole, weeks, days, hours, minutes, seconds] = DURATION.exec(value) ?? [];
  if (whole === undefined || value.endsWith("P"))
    throw faultAt(line, `DURATION "${value}" cannot be read: expected one such as PT2H or P1D`);
  const { year, month, day } = start.local;
  const moved = new Date(Date.UTC(year, month - 1, day + Number(weeks ?? 0) * 7 + Number(days ?? 0)));
  const local = {
    ...start.local,
    year: moved.getUTCFullYear(),
    month: moved.getUTCMonth() + 1,
    day: moved.getUTCDate(),
  };
  const from = instantOf(line, `The end by DURATION "${value}"`, { ...start, local });
  return from + ((Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0)) * 1000;
}

/** The end of a whole day. */
export function nextDay(start: CalendarTime, line: number): number {
  return endAfter(start, { line, name: "DURATION", parameters: {}, value: "P1D" });
}
