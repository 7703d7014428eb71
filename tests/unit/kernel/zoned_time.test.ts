import { expect, test } from "bun:test";
import { findInstants, formatLocalTime, formatUtcOffset, isTimeZone } from "#kernel/clock.ts";

const iso = (instants: readonly number[]) => instants.map((instant) => new Date(instant).toISOString().slice(0, 16));
const time = (month: number, day: number, hour: number, minute = 0, year = 2026) => ({
  year,
  month,
  day,
  hour,
  minute,
});

test("an hour that clocks skip has no instant, one that they repeat has two", () => {
  const zone = "Europe/Amsterdam";
  expect(iso(findInstants(time(11, 28, 20), zone))).toEqual(["2026-11-28T19:00"]);
  expect(iso(findInstants(time(3, 29, 2, 30), zone))).toEqual([]);
  expect(iso(findInstants(time(10, 25, 2, 30), zone))).toEqual(["2026-10-25T00:30", "2026-10-25T01:30"]);
  expect(iso(findInstants(time(10, 25, 3), zone))).toEqual(["2026-10-25T02:00"]);
});

test("zones with half hours, far from UTC, and changes of half an hour", () => {
  expect(iso(findInstants(time(7, 1, 12), "Asia/Kolkata"))).toEqual(["2026-07-01T06:30"]);
  expect(iso(findInstants(time(1, 1, 0), "Pacific/Kiritimati"))).toEqual(["2025-12-31T10:00"]);
  expect(iso(findInstants(time(4, 5, 1, 45), "Australia/Lord_Howe"))).toEqual(["2026-04-04T14:45", "2026-04-04T15:15"]);
});

test("a day that no calendar has gives nothing", () => {
  expect(findInstants(time(2, 30, 12), "UTC")).toEqual([]);
  expect(findInstants(time(2, 29, 12), "UTC")).toEqual([]);
  expect(iso(findInstants(time(2, 29, 12, 0, 2028), "UTC"))).toEqual(["2028-02-29T12:00"]);
});

test("an instant is shown by a zone's clocks, and leads back to itself", () => {
  const summer = Date.parse("2026-07-01T12:34:00Z");
  expect([formatLocalTime(summer, "America/New_York"), formatUtcOffset(summer, "America/New_York")]).toEqual([
    "2026-07-01 08:34",
    "-04:00",
  ]);
  expect(formatUtcOffset(summer, "Asia/Kathmandu")).toBe("+05:45");
  for (const zone of ["UTC", "Europe/Amsterdam", "America/St_Johns", "Asia/Tehran", "Pacific/Chatham"]) {
    for (let hour = 0; hour < 24 * 366; hour += 13) {
      const instant = Date.UTC(2026, 0, 1, hour, 7);
      const [date = "", clock = ""] = formatLocalTime(instant, zone).split(" ");
      const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
      const [hours = 0, minute = 0] = clock.split(":").map(Number);
      expect(findInstants({ year, month, day, hour: hours, minute }, zone)).toContain(instant);
    }
  }
});

test("names of zones", () => {
  expect(["Europe/Amsterdam", "UTC", "Mars/Olympus", "", "+25:00"].map(isTimeZone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
