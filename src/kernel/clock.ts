/** Source of the current time; a parameter, so that tests can set the time. */
export interface Clock {
  readonly now: () => Date;
  /**
   * Returns milliseconds that pass since an arbitrary moment, which no setting of the time changes. Absent where
   * nothing waits or expires.
   */
  readonly uptime?: () => number;
}

/** The clocks of this machine. */
export const SYSTEM_CLOCK: Clock = { now: () => new Date(), uptime: () => performance.now() };

/** Returns the uptime of a clock; that of this machine if it has none. */
export function readUptime({ uptime = () => performance.now() }: Clock): number {
  return uptime();
}

/** A calendar date and a time of day without a time zone. Months are 1 to 12. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/** A name of the IANA database, or a zone with given rules. */
export type TimeZone = string | { readonly name: string; readonly getOffsetMs: (instant: number) => number };

const DAY_MS = 24 * 60 * 60 * 1000;

/** Whether a name is a time zone of the IANA database, such as Europe/Amsterdam. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the instants at which the clocks of a zone show a time, in milliseconds since 1970: none if the clocks skip
 * it when they are set forward, two if they show it twice when they are set back, the earlier first. A date that does
 * not exist gives none.
 */
export function findInstants(time: LocalTime, timeZone: TimeZone): readonly number[] {
  const wanted = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute);
  const read = new Date(wanted);
  if (read.getUTCDate() !== time.day || read.getUTCMonth() + 1 !== time.month) return [];
  const offsets = new Set([-DAY_MS, 0, DAY_MS].map((around) => computeUtcOffsetMs(wanted + around, timeZone)));
  return [...offsets]
    .map((offset) => wanted - offset)
    .filter((instant) => instant + computeUtcOffsetMs(instant, timeZone) === wanted)
    .sort((a, b) => a - b);
}

/** Formats an instant as local time of a zone: `2026-11-28 20:00`. */
export function formatLocalTime(instant: number, timeZone: TimeZone): string {
  return new Date(instant + computeUtcOffsetMs(instant, timeZone)).toISOString().slice(0, 16).replace("T", " ");
}

/** Formats a zone's offset from UTC at an instant: `+01:00`. */
export function formatUtcOffset(instant: number, timeZone: TimeZone): string {
  const minutes = Math.round(computeUtcOffsetMs(instant, timeZone) / 60_000);
  const padTwoDigits = (value: number) => String(value).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${padTwoDigits(Math.floor(Math.abs(minutes) / 60))}:${padTwoDigits(Math.abs(minutes) % 60)}`;
}

/** Returns the offset of a zone from UTC at an instant, in milliseconds; positive east of Greenwich. */
function computeUtcOffsetMs(instant: number, timeZone: TimeZone): number {
  if (typeof timeZone !== "string") return timeZone.getOffsetMs(instant);
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(instant);
  const readPart = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const shown = Date.UTC(
    readPart("year"),
    readPart("month") - 1,
    readPart("day"),
    readPart("hour"),
    readPart("minute"),
    readPart("second"),
  );
  return shown - Math.floor(instant / 1000) * 1000;
}

/**
 * Returns the instant at which the clocks of a zone show a time. If they skip it or show it twice, or if the date does
 * not exist, returns `expected`, a description of the expected input for an error message.
 */
export function resolveLocalTime(time: LocalTime, zone: TimeZone): number | { readonly expected: string } {
  const [first, second] = findInstants(time, zone);
  const name = typeof zone === "string" ? zone : zone.name;
  const formatInstant = (instant: number) =>
    `${formatLocalTime(instant, zone).replace(" ", "T")}${formatUtcOffset(instant, zone)}`;
  if (first !== undefined && second !== undefined)
    return {
      expected: `one of ${formatInstant(first)} and ${formatInstant(second)}: the clocks of ${name} show it twice`,
    };
  if (first !== undefined) return first;
  const [before] = findInstants({ ...time, hour: Math.max(0, time.hour - 1) }, zone);
  const [after] = findInstants({ ...time, hour: Math.min(23, time.hour + 1) }, zone);
  if (before === undefined || after === undefined) return { expected: "a day of the calendar" };
  const shown = `${formatLocalTime(before, zone)} or ${formatLocalTime(after, zone)}`;
  return { expected: `a time such as ${shown}: the clocks of ${name} skip it` };
}
