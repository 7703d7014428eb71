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
