import { describe, expect, test } from "bun:test";
import { readCalendar as readFile } from "#dc/exchange/calendar.ts";

const ZONE = { name: "Europe/Amsterdam", refusal: "" };

/** The events of a file without a fault. @throws Error with the first fault */
function readCalendar(file: Uint8Array | string, zone: Parameters<typeof readFile>[1]) {
  const { events, problems } = readFile(file, zone);
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join("\n"));
  return events;
}

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
      event("DTSTART;TZID=Mars Standard Time:20261128T190000"),
      'Line 5: DTSTART is in the zone "Mars Standard Time", which is unknown: expected a VTIMEZONE',
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
    ["a reply", calendar(["UID:1", ...UTC_TIMES], "REPLY"), 'Line 2: METHOD "REPLY" plans nothing: expected PUBLISH'],
    ["a counterproposal", calendar(["UID:1", ...UTC_TIMES], "COUNTER"), 'Line 2: METHOD "COUNTER" plans nothing'],
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

describe("readCalendar knows the zone", () => {
  const zoneOf = (tzid: string, ...rules: readonly string[]) => [
    "BEGIN:VTIMEZONE",
    `TZID:${tzid}`,
    ...rules,
    "END:VTIMEZONE",
  ];
  const part = (kind: string, from: string, to: string, ...more: readonly string[]) => [
    `BEGIN:${kind}`,
    `TZOFFSETFROM:${from}`,
    `TZOFFSETTO:${to}`,
    ...more,
    `END:${kind}`,
  ];
  const europe = [
    ...part("STANDARD", "+0200", "+0100", "DTSTART:16010101T030000", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10"),
    ...part("DAYLIGHT", "+0100", "+0200", "DTSTART:16010101T020000", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3"),
  ];
  const starts = (tzid: string, time: string, zone: readonly string[] = []) => {
    const lines = [
      "BEGIN:VCALENDAR",
      ...zone,
      "BEGIN:VEVENT",
      "UID:1",
      `DTSTART;TZID=${tzid}:${time}`,
      "DURATION:PT1H",
      "END:VEVENT",
      "END:VCALENDAR",
    ];
    return new Date(readCalendar(lines.join("\r\n"), ZONE)[0]?.startsAt ?? Number.NaN).toISOString().slice(0, 16);
  };

  test.each([
    ["IANA", "Europe/Berlin", "20260701T200000", [], "2026-07-01T18:00"],
    ["Windows", "W. Europe Standard Time", "20260701T200000", [], "2026-07-01T18:00"],
    ["Windows of Asia", "Tokyo Standard Time", "20260701T200000", [], "2026-07-01T11:00"],
    ["a prefix", "/mozilla.org/20050126_1/America/New_York", "20260701T200000", [], "2026-07-02T00:00"],
    ["a slash", "/Europe/Berlin", "20261201T200000", [], "2026-12-01T19:00"],
    ["rules in summer", "Custom", "20260701T200000", zoneOf("Custom", ...europe), "2026-07-01T18:00"],
    ["rules in winter", "Custom", "20261201T200000", zoneOf("Custom", ...europe), "2026-12-01T19:00"],
    [
      "rules against the name",
      "UTC",
      "20260701T200000",
      zoneOf("UTC", ...part("STANDARD", "+0530", "+0530", "DTSTART:19700101T000000")),
      "2026-07-01T14:30",
    ],
    [
      "days of a month",
      "X",
      "20261101T120000",
      zoneOf(
        "X",
        ...part(
          "STANDARD",
          "-0700",
          "-0800",
          "DTSTART:20071104T020000",
          "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=SU;BYMONTHDAY=1,2,3,4,5,6,7",
        ),
      ),
      "2026-11-01T20:00",
    ],
    [
      "rules that ended",
      "X",
      "20260701T120000",
      zoneOf(
        "X",
        ...part(
          "DAYLIGHT",
          "+0100",
          "+0200",
          "DTSTART:19800330T020000",
          "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=20100328T010000Z",
        ),
        ...part("STANDARD", "+0200", "+0100", "DTSTART:20101031T030000"),
      ),
      "2026-07-01T11:00",
    ],
    [
      "dates",
      "X",
      "20260701T120000",
      zoneOf(
        "X",
        ...part("STANDARD", "+0000", "+0100", "DTSTART:20200101T000000", "RDATE:20210101T000000,20220101T000000"),
      ),
      "2026-07-01T11:00",
    ],
  ])("by %s", (_, tzid, time, zone, expected) => {
    expect(starts(tzid, time, zone)).toBe(expected);
  });

  test.each([
    ["20261025T023000", "the clocks of Custom show it twice"],
    ["20260329T023000", "the clocks of Custom skip it"],
  ])("and the times %s that its rules skip or repeat", (time, message) => {
    expect(() => starts("Custom", time, zoneOf("Custom", ...europe))).toThrow(message);
  });

  test("and names a rule that it does not follow", () => {
    const rule = part("STANDARD", "+0000", "+0100", "DTSTART:20200101T000000", "RRULE:FREQ=MONTHLY");
    expect(() => starts("X", "20260701T120000", zoneOf("X", ...rule))).toThrow('RRULE "FREQ=MONTHLY" of a time zone');
  });
});

test("readCalendar joins folded lines before it decodes them, and names octets that are no UTF-8", () => {
  const text = Buffer.from(calendar(["UID:1", ...UTC_TIMES, "SUMMARY:Köln – 😀"]));
  const cut = (bytes: Buffer, at: number) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from("\r\n "), bytes.subarray(at)]);
  const begin = text.indexOf("SUMMARY:") + 8;
  const end = text.indexOf("\r\n", begin);
  for (let at = begin; at < end; at += 1) expect(readCalendar(cut(text, at), ZONE)[0]?.title).toBe("Köln – 😀");
  const western = Buffer.from(calendar(["UID:1", ...UTC_TIMES, "SUMMARY:Köln"]), "latin1");
  expect(() => readCalendar(western, ZONE)).toThrow("Line 7:");
});

test("readCalendar takes events one by one", () => {
  const events = [
    ["UID:1", ...UTC_TIMES],
    ["UID:2", ...UTC_TIMES, "RRULE:FREQ=DAILY"],
    ["UID:3", ...UTC_TIMES, "SUMMARY"],
    ["UID:4", ...UTC_TIMES],
    ["UID:5", ...UTC_TIMES],
    ["UID:5", ...UTC_TIMES],
  ];
  const lines = events.flatMap((one) => ["BEGIN:VEVENT", ...one, "END:VEVENT"]);
  const { events: read, problems } = readFile(["BEGIN:VCALENDAR", ...lines, "END:VCALENDAR"].join("\n"), ZONE);

  expect(read.map(({ uid }) => uid)).toEqual(["1", "4"]);
  expect(problems.map(({ message }) => message.slice(0, 12))).toEqual([
    "Line 11: RRU",
    'Line 17: "SU',
    "Line 24: UID",
    "Line 29: UID",
  ]);
});
