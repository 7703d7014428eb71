import { expect, test } from "bun:test";
import { type CalendarEvent, formatCalendar, readCalendar as readByUs } from "#dc/exchange/calendar.ts";
import { hasCalendarReader, readCalendar } from "../../support/read_calendar.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

const EVENTS = Number(process.env["PLANNER_LAW_RUNS"] ?? 300);

const PIECES = [
  "a",
  "Ω",
  "漢",
  "👩‍🔧",
  ",",
  ";",
  ":",
  '"',
  " ",
  "\t",
  "BEGIN:VEVENT",
  "é",
  "\n",
  "\u0085",
  "\u0007",
  "x".repeat(70),
];

function drawText(random: SeededRandom): string {
  return Array.from({ length: random.below(30) }, () => random.pick(PIECES)).join("");
}

function drawEvent(random: SeededRandom, index: number): CalendarEvent {
  const start = Date.UTC(
    2026,
    random.below(12),
    1 + random.below(28),
    random.below(24),
    random.below(60),
    random.below(60),
  );
  const time = (ms: number) => new Date(ms).toISOString();
  return {
    uid: `MW-${index}@${drawText(random).replaceAll(/\s/g, "")}`,
    sequence: random.below(9),
    startsAt: time(start),
    endsAt: time(start + (1 + random.below(9e6)) * 1000),
    createdAt: time(start - 5e8),
    changedAt: time(start - 4e8),
    title: drawText(random),
    description: drawText(random),
    contact: drawText(random),
    status: random.pick(["TENTATIVE", "CONFIRMED", "CANCELLED"] as const),
    maintenanceId: `MW-${index}`,
    maintenanceStatus: "CONFIRMED",
    impact: "NO-IMPACT",
    instance: "abc",
    objectIds: [`device:D${index}`, "row:AMS1/1/A"],
  };
}

const random = new SeededRandom(25);
const events = Array.from({ length: EVENTS }, (_, index) => drawEvent(random, index));
const written = formatCalendar("Windows", events);

test("a calendar has CRLF line ends, lines of 75 bytes at most, whole characters and no control characters", () => {
  const bytes = Buffer.from(written);
  expect(written.endsWith("\r\n")).toBe(true);
  const lines = written.slice(0, -2).split("\r\n");
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let at = 0;
  for (const line of lines) {
    const size = Buffer.byteLength(line);
    expect(size).toBeLessThanOrEqual(75);
    expect(decoder.decode(bytes.subarray(at, at + size))).toBe(line);
    expect(line).not.toMatch(/[^\P{Cc}\t]/u);
    at += size + 2;
  }
  expect(lines.filter((line) => line === "BEGIN:VEVENT").length).toBe(events.length);
  expect(lines.some((line) => Buffer.byteLength(line) === 75)).toBe(true);
});

/** Reads values of the type TEXT, letter by letter. Debian's reader unescapes backslashes twice. */
function unescaped(value: string): string {
  return value.replaceAll(/\\(.)/g, (_, letter: string) => (letter.toLowerCase() === "n" ? "\n" : letter));
}

test("backslashes stay what they are, whatever follows", () => {
  const titles = Array.from({ length: EVENTS }, () => {
    const pieces = ["\\", "n", "N", ";", ",", "\n", "é"];
    return Array.from({ length: random.below(80) }, () => random.pick(pieces)).join("");
  });
  const [event] = events;
  if (event === undefined) throw new Error("No event");
  const text = formatCalendar(
    "W",
    titles.map((title) => ({ ...event, title })),
  );
  const lines = text.replaceAll("\r\n ", "").split("\r\n");
  const read = lines.filter((line) => line.startsWith("SUMMARY:")).map((line) => unescaped(line.slice(8)));
  expect(read).toEqual(titles);
});

test("readCalendar reads what writeCalendar writes", () => {
  const spaces = (text: string) => plain(text).trim();
  const { events: read } = readByUs(written, { name: "UTC", refusal: "every time is in UTC" });
  expect(read.length).toBe(events.length);
  for (const [index, event] of events.entries())
    expect(read[index]).toMatchObject({
      uid: spaces(event.uid),
      sequence: event.sequence,
      startsAt: Date.parse(event.startsAt),
      endsAt: Date.parse(event.endsAt),
      title: spaces(event.title),
      description: spaces(event.description),
      contact: spaces(event.contact),
      state: event.status === "CANCELLED" ? "CANCELLED" : "PLANNED",
      objects: event.objectIds.map((id) => ({ id, line: expect.any(Number) })),
    });
});

/** What a text is after a way through a calendar. */
const plain = (text: string) => text.replaceAll(/[^\P{Cc}\n\t]/gu, " ");

test.skipIf(!hasCalendarReader)("another program reads every event as it was", () => {
  const { version, method, events: read } = readCalendar(written);

  expect([version, method, read.length]).toEqual(["2.0", "PUBLISH", events.length]);
  for (const [index, event] of events.entries())
    expect(read[index]).toEqual({
      uid: plain(event.uid),
      sequence: event.sequence,
      starts: event.startsAt.replace(".000Z", "+00:00"),
      ends: event.endsAt.replace(".000Z", "+00:00"),
      stamped: event.changedAt.replace(".000Z", "+00:00"),
      title: plain(event.title),
      description: plain(event.description),
      contact: plain(event.contact),
      status: event.status,
      errors: [],
    });
});
