import { describe, expect, test } from "bun:test";
import { readCalendar } from "#dc/exchange/calendar/read_calendar.ts";

const ZONE = { name: "Europe/Amsterdam", refusal: "" };
const UTC_TIMES = ["DTSTART:20261128T190000Z", "DTEND:20261128T210000Z"];

/** A calendar with one event, whose lines begin in line 4. */
const calendar = (lines: readonly string[], method = "PUBLISH") =>
  ["BEGIN:VCALENDAR", `METHOD:${method}`, "BEGIN:VEVENT", ...lines, "END:VEVENT", "END:VCALENDAR", ""].join("\r\n");

const read = (...lines: readonly string[]) => {
  const [event] = readCalendar(calendar(["UID:1", ...lines]), ZONE);
  if (event === undefined) throw new Error("No event");
  return event;
};

/** Begin and end of an event in UTC. */
const span = (...lines: readonly string[]) => {
  const { startsAt, endsAt } = read(...lines);
  return [startsAt, endsAt].map((ms) => new Date(ms).toISOString().slice(0, 19));
};

describe("readCalendar reads", () => {
  test("what a circuit provider sends: broken lines, quoted parameters, escapes and objects", () => {
    const event = read(
      ...UTC_TIMES,
      "SEQUENCE:7",
      "SUMMARY:Fibre\\, spl",
      " ice",
      'ORGANIZER;CN="Example; NOC":mailto:noc@isp.example',
      "DESCRIPTION:a\\nb\\\\c",
      "X-MAINTNOTE-MAINTENANCE-ID;X-MAINTNOTE-PRECEDENCE=PRIMARY:WorkOrder-31415",
      "X-MAINTNOTE-OBJECT-ID;X-MAINTNOTE-OBJECT-IMPACT=OUTAGE:cable:C-1",
      "X-MAINTNOTE-OBJECT-ID;X-MAINTNOTE-OBJECT-IMPACT=NO-IMPACT:C-2",
      "X-MAINTNOTE-STATUS:CONFIRMED",
      "BEGIN:VALARM",
      "TRIGGER:-PT15M",
      "DESCRIPTION:Soon",
      "END:VALARM",
    );
    expect(event).toEqual({
      line: 3,
      uid: "1",
      sequence: 7,
      startsAt: Date.parse("2026-11-28T19:00:00Z"),
      endsAt: Date.parse("2026-11-28T21:00:00Z"),
      title: "Fibre, splice",
      description: "a\nb\\c",
      owner: "Example; NOC",
      contact: "noc@isp.example",
      state: "PLANNED",
      maintenanceId: "WorkOrder-31415",
      instance: "",
      objects: [
        { id: "cable:C-1", line: 13 },
        { id: "C-2", line: 14 },
      ],
    });
  });

  test("times in UTC, in a zone, in that of the site, and whole days", () => {
    expect(span(...UTC_TIMES)).toEqual(["2026-11-28T19:00:00", "2026-11-28T21:00:00"]);
    const zoned = ["DTSTART;TZID=America/New_York:20260704T200000", "DTEND;TZID=America/New_York:20260704T210030"];
    expect(span(...zoned)).toEqual(["2026-07-05T00:00:00", "2026-07-05T01:00:30"]);
    expect(span("DTSTART:20260704T200000", "DTEND:20260704T210000")).toEqual([
      "2026-07-04T18:00:00",
      "2026-07-04T19:00:00",
    ]);
    expect(span("DTSTART;VALUE=DATE:20260704")).toEqual(["2026-07-03T22:00:00", "2026-07-04T22:00:00"]);
    expect(span("DTSTART;VALUE=DATE:20261025", "DTEND;VALUE=DATE:20261026")).toEqual([
      "2026-10-24T22:00:00",
      "2026-10-25T23:00:00",
    ]);
  });

  test("durations; days are those of the calendar, hours those of the clock", () => {
    expect(span("DTSTART:20261128T190000Z", "DURATION:PT1H30M")).toEqual([
      "2026-11-28T19:00:00",
      "2026-11-28T20:30:00",
    ]);
    expect(span("DTSTART:20261024T200000", "DURATION:P1D")).toEqual(["2026-10-24T18:00:00", "2026-10-25T19:00:00"]);
    expect(span("DTSTART:20261024T200000", "DURATION:PT24H")).toEqual(["2026-10-24T18:00:00", "2026-10-25T18:00:00"]);
    expect(span("DTSTART:20261228T200000Z", "DURATION:P1W")).toEqual(["2026-12-28T20:00:00", "2027-01-04T20:00:00"]);
  });

  test("the state from METHOD, STATUS and what providers send", () => {
    const state = (...lines: readonly string[]) => read(...UTC_TIMES, ...lines).state;
    expect(state("STATUS:CANCELLED")).toBe("CANCELLED");
    expect(state("STATUS:TENTATIVE")).toBe("PLANNED");
    expect(state("X-MAINTNOTE-STATUS:IN-PROCESS")).toBe("BEGUN");
    expect(state("STATUS:CONFIRMED", "X-MAINTNOTE-STATUS:COMPLETED")).toBe("DONE");
    expect(readCalendar(calendar(["UID:1", ...UTC_TIMES], "CANCEL"), ZONE)[0]?.state).toBe("CANCELLED");
  });

  test("rules of a time zone, which are of no event", () => {
    const zone = ["BEGIN:VTIMEZONE", "TZID:X", "BEGIN:STANDARD", "RRULE:FREQ=YEARLY", "END:STANDARD", "END:VTIMEZONE"];
    const text = calendar(["UID:1", ...UTC_TIMES]).replace("BEGIN:VEVENT", [...zone, "BEGIN:VEVENT"].join("\n"));
    expect(readCalendar(`\uFEFF${text}`, ZONE).length).toBe(1);
  });
});

describe("readCalendar refuses, with the line,", () => {
  const event = (...lines: readonly string[]) => calendar(["UID:1", ...lines]);
  const cases: readonly (readonly [what: string, text: string, message: string])[] = [
    ["RRULE", event(...UTC_TIMES, "RRULE:FREQ=DAILY"), "Line 7: RRULE is not supported"],
    ["RDATE", event(...UTC_TIMES, "RDATE:20261129T190000Z"), "Line 7: RDATE is not supported"],
    ["RECURRENCE-ID", event(...UTC_TIMES, "RECURRENCE-ID:20261128T190000Z"), "Line 7: RECURRENCE-ID is not supported"],
    [
      "an unknown zone",
      event("DTSTART;TZID=W. Europe Standard Time:20261128T190000"),
      'Line 5: DTSTART is in the zone "W. Europe',
    ],
    [
      "a time that is shown twice",
      event("DTSTART:20261025T023000"),
      'Line 5: DTSTART "20261025T023000" cannot be read: expected one of 2026-10-25T02:30+02:00 and 2026-10-25T02:30+01:00',
    ],
    [
      "a time that is skipped",
      event("DTSTART:20260329T023000"),
      "expected a time such as 2026-03-29 01:30 or 2026-03-29 03:30",
    ],
    ["a day that no calendar has", event("DTSTART:20260231T023000Z"), "expected a day of the calendar"],
    ["another form of time", event("DTSTART:2026-11-28"), 'Line 5: DTSTART "2026-11-28" cannot be read'],
    ["an hour that no clock has", event("DTSTART:20261128T250000Z"), "Line 5: DTSTART"],
    ["no begin", event("SUMMARY:x"), "Line 3: the event has no DTSTART"],
    ["no end", event("DTSTART:20261128T190000Z"), "Line 3: the event has no end"],
    [
      "another duration",
      event("DTSTART:20261128T190000Z", "DURATION:-PT1H"),
      'Line 6: DURATION "-PT1H" cannot be read',
    ],
    ["an empty duration", event("DTSTART:20261128T190000Z", "DURATION:P"), 'Line 6: DURATION "P" cannot be read'],
    ["no UID", calendar(UTC_TIMES), "Line 3: the event has no UID"],
    ["a wrong SEQUENCE", event(...UTC_TIMES, "SEQUENCE:-1"), 'Line 7: SEQUENCE "-1" cannot be read'],
    ["a line without a value", event("SUMMARY"), 'Line 5: "SUMMARY" is no line of a calendar'],
    ["another file", "code,title\nMW-1,Fan\n", 'Line 1: "code,title" is no line of a calendar'],
    ["another component", "BEGIN:VCARD\nEND:VCARD\n", 'Line 1: "BEGIN:VCARD" is outside of a calendar'],
    ["no event", "BEGIN:VCALENDAR\nEND:VCALENDAR\n", "Line 1: there is no event"],
    [
      "a file that was cut",
      event(...UTC_TIMES).replace("END:VEVENT\r\nEND:VCALENDAR\r\n", ""),
      "Line 3: BEGIN:VEVENT has no end",
    ],
    ["a wrong END", event(...UTC_TIMES).replace("END:VEVENT", "END:VTODO"), 'Line 7: "END:VTODO" ends nothing'],
    [
      "one UID twice",
      `${event(...UTC_TIMES)}${event(...UTC_TIMES)}`,
      'Line 11: UID "1" is that of the event in line 3',
    ],
  ];
  for (const [what, text, message] of cases)
    test(what, () => {
      expect(() => readCalendar(text, ZONE)).toThrow(message);
    });

  test("a local time while the zone of the site is not known", () => {
    const zone = { name: "UTC", refusal: "racks have different labels" };
    expect(() => readCalendar(event("DTSTART:20261128T190000"), zone)).toThrow(
      "expected --time-zone, because racks have",
    );
    expect(readCalendar(event(...UTC_TIMES), zone).length).toBe(1);
  });
});
