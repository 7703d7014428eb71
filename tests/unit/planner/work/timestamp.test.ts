import { expect, test } from "bun:test";
import { parseTimestamp } from "../../../../src/planner/work/timestamp.ts";

const read = (text: string): string | undefined => parseTimestamp(text)?.toISOString();

test("parseTimestamp reads times with a zone", () => {
  expect(read("2026-11-21T09:30:00Z")).toBe("2026-11-21T09:30:00.000Z");
  expect(read("2026-11-21T09:30:00.5Z")).toBe("2026-11-21T09:30:00.500Z");
  expect(read("2026-11-21T09:30:00.123456789z")).toBe("2026-11-21T09:30:00.123Z");
  expect(read("2026-11-21T09:30:00,25+02:00")).toBe("2026-11-21T07:30:00.250Z");
  expect(read("2026-11-21 09:30-0130")).toBe("2026-11-21T11:00:00.000Z");
  expect(read(" 2026-11-21T09:30+02 ")).toBe("2026-11-21T07:30:00.000Z");
});

test("parseTimestamp takes a time without a zone for local time", () => {
  expect(parseTimestamp("2026-11-21T09:30:05")).toEqual(new Date(2026, 10, 21, 9, 30, 5));
  expect(parseTimestamp("2026-11-21")).toEqual(new Date(2026, 10, 21));
  expect(parseTimestamp("2024-02-29")).toEqual(new Date(2024, 1, 29));
});

test("parseTimestamp reads nothing else", () => {
  const texts = ["", "yesterday", "1700000000", "2026-13-01", "2026-00-01", "2026-02-30", "2026-02-29", "2026-11-00"];
  const times = ["2026-11-21T25:00:00Z", "2026-11-21T09:61:00Z", "2026-11-21T09Z", "2026-11-21T09:30:00+99:99"];
  for (const text of [...texts, ...times, "26-11-21", "2026-11-21T09:30:00Z later"]) {
    expect(parseTimestamp(text), text).toBeUndefined();
  }
});
