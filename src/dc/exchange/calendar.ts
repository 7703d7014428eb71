import { type LocalTime, resolveLocalTime, type TimeZone } from "#kernel/clock.ts";
import { OperationError } from "#kernel/errors.ts";
import type { WindowState } from "../model/enum_values.ts";
import {
  type ContentLine,
  createCalendarLineError,
  findTimeZone,
  readContentLines,
  unescapeText,
  type ZoneComponent,
} from "./calendar/time_zones.ts";

/** Time zone of times that name no zone. */
interface CalendarZone {
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
function parseCalendarTime({ line, name, parameters, value }: ContentLine, site: CalendarZone): CalendarTime {
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
function addDuration(start: CalendarTime, { line, value }: ContentLine): number {
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
function addDay(start: CalendarTime, line: number): number {
  return addDuration(start, { line, name: "DURATION", parameters: {}, value: "P1D" });
}

/** An event of a calendar. Times are in milliseconds since 1970. */
export interface ImportedEvent {
  /** Number of the line at which the event begins. */
  readonly line: number;
  readonly uid: string;
  readonly sequence: number;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly title: string;
  readonly description: string;
  readonly owner: string;
  readonly contact: string;
  readonly state: WindowState;
  /** Maintenance id of a circuit provider; may be empty. */
  readonly maintenanceId: string;
  /** Id of the database that wrote the event; empty for an event of another program. */
  readonly instance: string;
  readonly objects: readonly { readonly id: string; readonly line: number }[];
}

/** Maximum number of events. Our choice: a file with more is not a plan that people read. */
const MAX_EVENTS = 1000;

/** Properties of repeated events. */
const REPEATING_PROPERTIES: ReadonlySet<string> = new Set(["RRULE", "RDATE", "EXRULE", "EXDATE", "RECURRENCE-ID"]);

/** What a calendar file holds. */
interface CalendarReading {
  readonly events: readonly ImportedEvent[];
  /** What cannot be read, by line: an event, or a whole calendar. */
  readonly problems: readonly CalendarProblem[];
}

interface CalendarProblem {
  readonly line: number;
  /** A message that names the line. */
  readonly message: string;
}

/** Methods of calendars that announce or cancel events; replies and counterproposals of others are no plan. */
const METHODS: readonly string[] = ["PUBLISH", "REQUEST", "CANCEL"];

/** Reads the events of an iCalendar file one by one. @throws OperationError for a file that is no calendar or was cut */
export function readCalendar(file: Uint8Array | string, zone: CalendarZone): CalendarReading {
  const calendars = readComponents(readContentLines(typeof file === "string" ? Buffer.from(file) : file));
  const foreign = calendars.find(({ name }) => name !== "VCALENDAR");
  if (foreign !== undefined)
    throw createCalendarLineError(
      foreign.line,
      `"BEGIN:${foreign.name}" is outside of a calendar: expected BEGIN:VCALENDAR`,
    );
  const events: ImportedEvent[] = [];
  const problems: CalendarProblem[] = [];
  const addEvent = (read: () => ImportedEvent, line: number) => {
    try {
      events.push(read());
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      problems.push({ line, message: error.message });
    }
  };
  for (const { lines, components } of calendars) {
    const method = lines.find(({ name }) => name === "METHOD");
    const word = method?.value.trim().toUpperCase() ?? "";
    if (method !== undefined && !METHODS.includes(word)) {
      const what = `METHOD "${word}" plans nothing: expected ${METHODS.join(", ")}`;
      problems.push({ line: method.line, message: createCalendarLineError(method.line, what).message });
      continue;
    }
    const context = { zone: { ...zone, own: listOwnZones(components) }, isCancelling: word === "CANCEL" };
    for (const event of components.filter(({ name }) => name === "VEVENT"))
      addEvent(() => readEvent(event.line, event.lines, context), event.line);
  }
  assertEventCount(events, problems);
  return separateTwins(events, problems);
}

function listOwnZones(components: readonly CalendarComponent[]): ReadonlyMap<string, CalendarComponent> {
  return new Map(
    components
      .filter(({ name }) => name === "VTIMEZONE")
      .map((zone) => [zone.lines.find(({ name }) => name === "TZID")?.value ?? "", zone]),
  );
}

/** Lines between BEGIN and END. */
interface CalendarComponent {
  /** Name of the component, in upper case. */
  readonly name: string;
  readonly line: number;
  readonly lines: ContentLine[];
  readonly components: CalendarComponent[];
}

function readComponents(lines: readonly ContentLine[]): readonly CalendarComponent[] {
  const found: CalendarComponent[] = [];
  const open: CalendarComponent[] = [];
  for (const line of lines) {
    const outerComponent = open.at(-1);
    const word = line.value.toUpperCase();
    if (line.name === "BEGIN") {
      const begun = { name: word, line: line.line, lines: [], components: [] };
      (outerComponent?.components ?? found).push(begun);
      open.push(begun);
    } else if (outerComponent === undefined)
      throw createCalendarLineError(
        line.line,
        line.problem ?? `${line.name} is outside of a calendar: expected BEGIN:VCALENDAR`,
      );
    else if (line.name !== "END") outerComponent.lines.push(line);
    else if (open.pop()?.name !== word)
      throw createCalendarLineError(line.line, `"END:${word}" ends nothing: expected END:${outerComponent.name}`);
  }
  const unended = open.at(-1);
  if (unended === undefined) return found;
  throw createCalendarLineError(unended.line, `BEGIN:${unended.name} has no end: the file may have been cut`);
}

function assertEventCount(events: readonly ImportedEvent[], problems: readonly CalendarProblem[]): void {
  if (events.length === 0 && problems.length === 0)
    throw createCalendarLineError(1, "there is no event in the file: expected BEGIN:VEVENT in a calendar");
  const over = events[MAX_EVENTS];
  if (over !== undefined)
    throw createCalendarLineError(over.line, `this is event ${MAX_EVENTS + 1}: expected at most ${MAX_EVENTS}`);
}

/** Takes events of one UID for problems, because it is not known which of them holds. */
function separateTwins(events: readonly ImportedEvent[], problems: readonly CalendarProblem[]): CalendarReading {
  const byUid = Map.groupBy(events, ({ uid }) => uid);
  const twins = events.flatMap((event): readonly CalendarProblem[] => {
    const other = byUid.get(event.uid)?.find((one) => one !== event);
    if (other === undefined) return [];
    const what = `UID "${event.uid}" is that of the event in line ${other.line}, too: expected one event each`;
    return [{ line: event.line, message: createCalendarLineError(event.line, what).message }];
  });
  const all = [...problems, ...twins].toSorted((a, b) => a.line - b.line);
  return { events: events.filter(({ uid }) => byUid.get(uid)?.length === 1), problems: all };
}

interface EventContext {
  readonly zone: CalendarZone;
  /** Whether the file cancels all of its events. */
  readonly isCancelling: boolean;
}

function readEvent(line: number, lines: readonly ContentLine[], { zone, isCancelling }: EventContext): ImportedEvent {
  const unread = lines.find(({ problem }) => problem !== undefined);
  if (unread !== undefined) throw createCalendarLineError(unread.line, unread.problem ?? "");
  const repeating = lines.find(({ name }) => REPEATING_PROPERTIES.has(name));
  if (repeating !== undefined)
    throw createCalendarLineError(
      repeating.line,
      `${repeating.name} is not supported: expected one event for each window`,
    );
  const findLine = (name: string) => lines.find((one) => one.name === name);
  const text = (name: string) => unescapeText(findLine(name)?.value ?? "").trim();
  const uid = text("UID");
  if (uid === "") throw createCalendarLineError(line, "the event has no UID");
  const organizer = findLine("ORGANIZER");
  return {
    line,
    uid,
    sequence: readSequence(findLine("SEQUENCE")),
    ...readEventSpan(line, findLine, zone),
    title: text("SUMMARY"),
    description: text("DESCRIPTION"),
    owner: organizer?.parameters["CN"] ?? "",
    contact: text("CONTACT") || (organizer?.value ?? "").replace(/^mailto:/i, ""),
    state: isCancelling ? "CANCELLED" : findWindowState(text("STATUS"), text("X-MAINTNOTE-STATUS")),
    maintenanceId: text("X-MAINTNOTE-MAINTENANCE-ID"),
    instance: text("X-PLANNER-INSTANCE"),
    objects: lines
      .filter(({ name }) => name === "X-MAINTNOTE-OBJECT-ID")
      .map((one) => ({ id: unescapeText(one.value).trim(), line: one.line })),
  };
}

function readSequence(found: ContentLine | undefined): number {
  if (found === undefined) return 0;
  if (/^\d{1,10}$/.test(found.value)) return Number(found.value);
  throw createCalendarLineError(found.line, `SEQUENCE "${found.value}" cannot be read: expected a whole number from 0`);
}

function readEventSpan(line: number, found: (name: string) => ContentLine | undefined, zone: CalendarZone) {
  const [start, end, duration] = ["DTSTART", "DTEND", "DURATION"].map(found);
  if (start === undefined) throw createCalendarLineError(line, "the event has no DTSTART");
  const from = parseCalendarTime(start, zone);
  const startsAt = from.instant;
  if (end !== undefined) return { startsAt, endsAt: parseCalendarTime(end, zone).instant };
  if (duration !== undefined) return { startsAt, endsAt: addDuration(from, duration) };
  if (from.isDay) return { startsAt, endsAt: addDay(from, start.line) };
  throw createCalendarLineError(line, "the event has no end: expected DTEND or DURATION");
}

/** Returns the state of a window. Circuit providers' properties distinguish more states than the calendar's. */
function findWindowState(status: string, maintenance: string): WindowState {
  const words = [status.toUpperCase(), maintenance.toUpperCase()];
  if (words.includes("CANCELLED")) return "CANCELLED";
  if (words.includes("COMPLETED")) return "DONE";
  return words.includes("IN-PROCESS") ? "BEGUN" : "PLANNED";
}

/** An event of a calendar. Times are ISO 8601 in UTC. */
export interface CalendarEvent {
  readonly uid: string;
  readonly sequence: number;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly title: string;
  readonly description: string;
  /** Person who answers questions; may be empty. */
  readonly contact: string;
  readonly status: "TENTATIVE" | "CONFIRMED" | "CANCELLED";
  /** X-MAINTNOTE properties of circuit providers: code, status, impact if known, and elements. */
  readonly maintenanceId: string;
  readonly maintenanceStatus: "TENTATIVE" | "CONFIRMED" | "IN-PROCESS" | "COMPLETED" | "CANCELLED";
  readonly impact: string;
  readonly objectIds: readonly string[];
  /** Id of the database that wrote the event, by which an import recognizes its own events. */
  readonly instance: string;
}

/** Maximum number of bytes of a line without its end. Source: RFC 5545, 3.1. */
const MAX_CONTENT_LINE_BYTES = 75;

/** Writes events as one iCalendar file. Source: RFC 5545. */
export function formatCalendar(name: string, events: readonly CalendarEvent[]): string {
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//planner//Maintenance windows//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    `X-WR-CALNAME:${escapeText(name)}`,
    "REFRESH-INTERVAL;VALUE=DURATION:PT15M",
    "X-PUBLISHED-TTL:PT15M",
    ...events.flatMap(listEventLines),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${wrapContentLine(line)}\r\n`).join("");
}

function listEventLines(event: CalendarEvent): readonly string[] {
  return [
    "BEGIN:VEVENT",
    `UID:${escapeText(event.uid)}`,
    `SEQUENCE:${event.sequence}`,
    `DTSTAMP:${formatUtcTime(event.changedAt)}`,
    `CREATED:${formatUtcTime(event.createdAt)}`,
    `LAST-MODIFIED:${formatUtcTime(event.changedAt)}`,
    `DTSTART:${formatUtcTime(event.startsAt)}`,
    `DTEND:${formatUtcTime(event.endsAt)}`,
    `SUMMARY:${escapeText(event.title)}`,
    `DESCRIPTION:${escapeText(event.description)}`,
    ...(event.contact === "" ? [] : [`CONTACT:${escapeText(event.contact)}`]),
    `STATUS:${event.status}`,
    "TRANSP:TRANSPARENT",
    `X-MAINTNOTE-MAINTENANCE-ID:${escapeText(event.maintenanceId)}`,
    `X-MAINTNOTE-STATUS:${event.maintenanceStatus}`,
    ...(event.impact === "" ? [] : [`X-MAINTNOTE-IMPACT:${event.impact}`]),
    ...event.objectIds.map((id) => `X-MAINTNOTE-OBJECT-ID:${escapeText(id)}`),
    `X-PLANNER-INSTANCE:${escapeText(event.instance)}`,
    "END:VEVENT",
  ];
}

/** Formats a time in UTC to the second: `20261128T190000Z`. */
function formatUtcTime(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

/** Escapes a value of the type TEXT. Replaces control characters, which it cannot contain, by blanks. */
function escapeText(value: string): string {
  return value
    .replaceAll(/\r\n?|[\n\u2028\u2029]/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, " ")
    .replaceAll(/[\\;,]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .toWellFormed();
}

/** Folds a line into lines of at most 75 bytes, continued after a blank. Never splits a character. */
function wrapContentLine(line: string): string {
  if (Buffer.byteLength(line) <= MAX_CONTENT_LINE_BYTES) return line;
  const parts: string[] = [];
  let part = "";
  let bytes = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > MAX_CONTENT_LINE_BYTES) {
      parts.push(part);
      part = " ";
      bytes = 1;
    }
    part += character;
    bytes += size;
  }
  return [...parts, part].join("\r\n");
}
