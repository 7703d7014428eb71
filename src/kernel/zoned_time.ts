/** A date and a time of day on a clock. Months are 1 to 12. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

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
 * Returns the instants at which the clocks of a zone show a time, in milliseconds since 1970: none where clocks are set
 * forward, two where they are set back, the earlier first. A date that no calendar has gives none.
 */
export function instantsOf(time: LocalTime, timeZone: string): readonly number[] {
  const wanted = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute);
  const read = new Date(wanted);
  if (read.getUTCDate() !== time.day || read.getUTCMonth() + 1 !== time.month) return [];
  const offsets = new Set([-DAY_MS, 0, DAY_MS].map((around) => offsetAt(wanted + around, timeZone)));
  return [...offsets]
    .map((offset) => wanted - offset)
    .filter((instant) => instant + offsetAt(instant, timeZone) === wanted)
    .sort((a, b) => a - b);
}

/** An instant on the clocks of a zone: 2026-11-28 20:00. */
export function localText(instant: number, timeZone: string): string {
  return new Date(instant + offsetAt(instant, timeZone)).toISOString().slice(0, 16).replace("T", " ");
}

/** An offset from UTC as text: +01:00. */
export function offsetText(instant: number, timeZone: string): string {
  const minutes = Math.round(offsetAt(instant, timeZone) / 60_000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
}

/** Milliseconds that the clocks of a zone are ahead of UTC. */
function offsetAt(instant: number, timeZone: string): number {
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
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const shown = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return shown - Math.floor(instant / 1000) * 1000;
}

/**
 * Returns the instant at which the clocks of a zone show a time. If they skip it or show it twice, or if no calendar has the
 * day, returns the words for an error message that say what is expected instead.
 */
export function readLocalTime(time: LocalTime, zone: string): number | { readonly expected: string } {
  const [first, second] = instantsOf(time, zone);
  const written = (instant: number) => `${localText(instant, zone).replace(" ", "T")}${offsetText(instant, zone)}`;
  if (first !== undefined && second !== undefined)
    return { expected: `one of ${written(first)} and ${written(second)}: the clocks of ${zone} show it twice` };
  if (first !== undefined) return first;
  const [before] = instantsOf({ ...time, hour: Math.max(0, time.hour - 1) }, zone);
  const [after] = instantsOf({ ...time, hour: Math.min(23, time.hour + 1) }, zone);
  if (before === undefined || after === undefined) return { expected: "a day of the calendar" };
  const shown = `${localText(before, zone)} or ${localText(after, zone)}`;
  return { expected: `a time such as ${shown}: the clocks of ${zone} skip it` };
}
