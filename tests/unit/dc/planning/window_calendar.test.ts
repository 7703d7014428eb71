import { expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { writeWindowCalendar } from "#dc/operations/planning/windows/window_calendar.ts";
import {
  ListedWindowSchema,
  type MaintenanceWindow,
  MaintenanceWindowSchema,
  WindowImpact,
  WindowState,
  WindowVerdict,
} from "#gen/datacenter/v1/windows_pb.ts";

const START = Date.parse("2026-11-28T19:00:00.750Z");
const DAY = 24 * 60 * 60 * 1000;

const listed = (
  window: Partial<Omit<MaintenanceWindow, "$typeName" | "$unknown">>,
  verdict: keyof typeof WindowVerdict = "GO",
) =>
  create(ListedWindowSchema, {
    window: create(MaintenanceWindowSchema, {
      code: "MW-1",
      state: WindowState.PLANNED,
      startsAt: timestampFromMs(START),
      endsAt: timestampFromMs(START + 7_200_000),
      createTime: timestampFromMs(START - 9 * DAY),
      updateTime: timestampFromMs(START - 8 * DAY),
      elementRefs: ["device:PDU-A01-B", "row:AMS1/1/A"],
      ...window,
    }),
    verdict: WindowVerdict[verdict],
    impact: verdict === "UNSPECIFIED" ? WindowImpact.UNSPECIFIED : WindowImpact.REDUCED_REDUNDANCY,
    summary: verdict === "UNSPECIFIED" ? "" : "Go",
  });

/** The lines of the calendar's events. */
function linesOf(windows: ReturnType<typeof listed>[], now = START): readonly string[] {
  const text = writeWindowCalendar(windows, { instance: "abc", now });
  return text.replaceAll("\r\n ", "").split("\r\n");
}

test("windowCalendar writes a window with its time in UTC, what is out and who does it", () => {
  const lines = linesOf([listed({ title: "Replace, it", owner: "anna", contact: "12", sequence: 3, notes: "a\nb" })]);
  for (const line of [
    "UID:MW-1@abc",
    "SEQUENCE:3",
    "DTSTART:20261128T190000Z",
    "DTEND:20261128T210000Z",
    "DTSTAMP:20261120T190000Z",
    "SUMMARY:Replace\\, it (MW-1)",
    "DESCRIPTION:Verdict: Go\\nOut: PDU-A01-B\\, AMS1/1/A\\nDone by: anna\\na\\nb",
    "CONTACT:anna\\, 12",
    "STATUS:CONFIRMED",
    "X-MAINTNOTE-IMPACT:REDUCED-REDUNDANCY",
    "X-MAINTNOTE-OBJECT-ID:device:PDU-A01-B",
    "X-MAINTNOTE-OBJECT-ID:row:AMS1/1/A",
  ])
    expect(lines).toContain(line);
});

test("windowCalendar keeps the UID of an imported entry, and counts its sequence", () => {
  const lines = linesOf([listed({ calendarUid: "42@isp.example", calendarSequence: 7, sequence: 2 })]);
  expect(lines).toContain("UID:42@isp.example");
  expect(lines).toContain("SEQUENCE:9");
});

test.each([
  ["PLANNED", "GO", "CONFIRMED", "CONFIRMED"],
  ["PLANNED", "GO_WITH_RISK", "CONFIRMED", "CONFIRMED"],
  ["PLANNED", "UNKNOWN", "TENTATIVE", "TENTATIVE"],
  ["PLANNED", "NO_GO", "TENTATIVE", "TENTATIVE"],
  ["BEGUN", "NO_GO", "TENTATIVE", "IN-PROCESS"],
  ["BEGUN", "GO", "CONFIRMED", "IN-PROCESS"],
  ["DONE", "UNSPECIFIED", "CONFIRMED", "COMPLETED"],
  ["CANCELLED", "UNSPECIFIED", "CANCELLED", "CANCELLED"],
] as const)("windowCalendar states a window that is %s and %s as %s", (state, verdict, status, maintenance) => {
  const lines = linesOf([listed({ state: WindowState[state] }, verdict)]);
  expect(lines).toContain(`STATUS:${status}`);
  expect(lines).toContain(`X-MAINTNOTE-STATUS:${maintenance}`);
  const hasImpact = lines.some((line) => line.startsWith("X-MAINTNOTE-IMPACT"));
  expect(hasImpact).toBe(verdict !== "UNSPECIFIED");
});

test("windowCalendar keeps a cancelled window for 90 days after its last change", () => {
  const cancelled = listed({ state: WindowState.CANCELLED, updateTime: timestampFromMs(START) }, "UNSPECIFIED");
  const events = (now: number) => linesOf([cancelled], now).filter((line) => line === "BEGIN:VEVENT").length;
  expect([events(START + 90 * DAY - 1), events(START + 90 * DAY)]).toEqual([1, 0]);
});
