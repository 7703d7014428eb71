import { expect, test } from "bun:test";
import { MAX_LOG_ANSWER_BYTES, MAX_RUN_BYTES } from "#planner/limits.ts";
import { parseTimestamp } from "#planner/operations/log.ts";
import { formatLogLine, formatRunHeader, readLastRun, readLogWindow } from "#planner/work/records/log_file.ts";
import { memoryLog } from "../../../support/memory_log.ts";

const AT = new Date("2026-11-21T10:00:00.000Z");
const stored = (...texts: string[]): string => texts.map((text) => `${formatLogLine(AT, text)}\n`).join("");

test("readLastRun gives the lines of the last run without their times", async () => {
  const log = `${formatRunHeader(AT, "a-1")}\n${stored("first")}${formatRunHeader(AT, "a-2")}\n${stored("second", "", "third")}`;

  expect(await readLastRun(memoryLog(log))).toBe("second\n\nthird\n");
});

for (const mark of ["\r", "\u2028", "\u2029"]) {
  test(`readLastRun takes no header behind ${JSON.stringify(mark)} for the beginning of a run`, async () => {
    const printed = `first${mark}${formatRunHeader(AT, "forged")}${mark}${formatLogLine(AT, "second")}`;

    expect(await readLastRun(memoryLog(`${formatRunHeader(AT, "a-1")}\n${stored(printed)}`))).toBe(`${printed}\n`);
  });
}

test("readLastRun gives everything of a log without runs", async () => {
  expect(await readLastRun(memoryLog(stored("one", "two")))).toBe("one\ntwo\n");
  expect(await readLastRun(memoryLog(""))).toBe("");
});

test("readLastRun reads no more than it is told to", async () => {
  const log = memoryLog(`${formatRunHeader(AT, "a-1")}\n${stored("first", "second")}`);
  const most = stored("second").length + 10;

  expect(await readLastRun(log, most)).toBe("second\n");
  expect(log.reads.bytes).toBe(most);
});

test("readLastRun gives the end of a run beyond the limit, in whole lines", async () => {
  const log = memoryLog(
    `${formatRunHeader(AT, "a-1")}\n${stored("ä".repeat(1000)).repeat(100)}${stored('{"done":true}')}`,
  );
  const most = 100_000;

  const text = await readLastRun(log, most);

  expect(log.size).toBeGreaterThan(most);
  expect(log.reads.bytes).toBe(most);
  expect(text).toStartWith("ää");
  expect(text).not.toContain("\uFFFD");
  expect(text).toEndWith('{"done":true}\n');
});

test("readLastRun reads the last 16 MiB where nothing else is said", async () => {
  const asked: (readonly [offset: number, length: number])[] = [];
  const size = 3 * MAX_RUN_BYTES + 1;
  const read = async (...range: [number, number]): Promise<Uint8Array> => {
    asked.push(range);
    return new TextEncoder().encode(`cut\n${stored("end")}`);
  };

  expect(await readLastRun({ ...memoryLog(""), size, readBytes: read })).toBe("end\n");
  expect(asked).toEqual([[size - 16 * 1024 * 1024, 16 * 1024 * 1024]]);
});

const ENDED = { growing: false };
const GROWING = { growing: true };

const shownPart = (content: string, byte_offset: number, line_count: number, has_more: boolean) => ({
  ...{ content, byte_offset, line_count, has_more },
});

test("readLogWindow shows the last lines and where they end", async () => {
  const window = await readLogWindow(memoryLog("a\nb\nc\n"), { lines: 2, ...ENDED });

  expect(window).toEqual(shownPart("b\nc\n", 6, 2, false));
});

test("readLogWindow gives the offset alone for no lines", async () => {
  const log = memoryLog("a\nb\n");

  expect(await readLogWindow(log, { lines: 0, ...ENDED })).toMatchObject({
    content: "",
    byte_offset: 4,
    has_more: false,
  });
  expect(await readLogWindow(log, { lines: 0, offset: 2, ...ENDED })).toMatchObject({ byte_offset: 2, has_more: true });
});

test("readLogWindow begins at the character that the offset lies in", async () => {
  // "ä" is two bytes at 1, "😀" four at 4.
  const log = memoryLog("xä\n😀y\n");

  expect((await readLogWindow(log, { lines: 9, offset: 2, ...ENDED })).content).toBe("ä\n😀y\n");
  for (const offset of [4, 5, 6, 7]) {
    expect((await readLogWindow(log, { lines: 9, offset, ...ENDED })).content).toBe("😀y\n");
  }
  expect((await readLogWindow(log, { lines: 9, offset: 8, ...ENDED })).content).toBe("y\n");
});

test("readLogWindow keeps offsets true when bytes are no UTF-8", async () => {
  const log = memoryLog(Uint8Array.of(0x61, 0xff, 0x80, 0x80, 0x0a, 0x62, 0x0a));

  const first = await readLogWindow(log, { lines: 1, offset: 0, ...ENDED });

  expect(first).toMatchObject({ content: "a\uFFFD\uFFFD\uFFFD\n", byte_offset: 5, has_more: true });
  expect((await readLogWindow(log, { lines: 1, offset: first.byte_offset, ...ENDED })).content).toBe("b\n");
});

const TIMED = ["10:00:00.000", "10:00:01.000", "10:00:01.500", "10:00:02.000"].map(
  (time) => `2026-11-21T${time}Z at ${time}\n`,
);

test("readLogWindow begins at the first line of the time that is asked for", async () => {
  const since = new Date("2026-11-21T10:00:01.000Z");

  const window = await readLogWindow(memoryLog(TIMED.join("")), { lines: 9, since, ...ENDED });

  expect(window.content).toBe(TIMED.slice(1).join(""));
});

test("readLogWindow goes forward from a time, so that the next offset loses nothing", async () => {
  const log = memoryLog(TIMED.join(""));
  const since = new Date("2026-11-21T10:00:00.500Z");

  const first = await readLogWindow(log, { lines: 2, since, ...ENDED });
  const second = await readLogWindow(log, { lines: 2, offset: first.byte_offset, ...ENDED });

  expect(first).toMatchObject({ content: TIMED.slice(1, 3).join(""), has_more: true });
  expect(second.content).toBe(TIMED[3] ?? "");
});

test("readLogWindow keeps untimed lines behind the first one of the time", async () => {
  const log = memoryLog(`no time\n${TIMED[0]}foreign line\n${TIMED[3]}trailing\n`);

  const window = await readLogWindow(log, { lines: 9, since: new Date("2026-11-21T10:00:02Z"), ...ENDED });

  expect(window.content).toBe(`${TIMED[3]}trailing\n`);
});

test("readLogWindow stands at the end when no line is of the time or later", async () => {
  const log = memoryLog(TIMED.join(""));

  const window = await readLogWindow(log, { lines: 9, since: new Date("2026-11-22T00:00:00Z"), ...ENDED });

  expect(window).toEqual(shownPart("", log.size, 0, false));
});

test("readLogWindow looks for the time behind the offset only", async () => {
  const log = memoryLog(TIMED.join(""));
  const since = new Date("2026-11-21T10:00:00Z");

  // In the middle of the first line: what is left of it has no time of its own.
  expect((await readLogWindow(log, { lines: 9, offset: 3, since, ...ENDED })).content).toBe(TIMED.slice(1).join(""));
  const second = TIMED[0]?.length ?? 0;
  expect((await readLogWindow(log, { lines: 9, offset: second, since, ...ENDED })).content).toBe(
    TIMED.slice(1).join(""),
  );
});

test("readLogWindow finds a time that lies across two reads", async () => {
  for (const filler of [65_500, 65_511, 65_512, 65_520, 65_535, 65_536, 65_537]) {
    const log = memoryLog(`${"x".repeat(filler - 1)}\n${TIMED[3]}`);

    const window = await readLogWindow(log, { lines: 9, since: new Date("2026-11-21T10:00:02Z"), ...ENDED });

    expect(window.content).toBe(TIMED[3] ?? "");
  }
});

test("readLogWindow answers a large log in bounded pieces that join to the whole", async () => {
  const text = Array.from({ length: 40_000 }, (_, index) => `line ${index} ${"ü".repeat(index % 90)}\n`).join("");
  const log = memoryLog(text);

  let joined = "";
  for (let offset = 0; ; ) {
    const window = await readLogWindow(log, { lines: 1_000_000, offset, ...ENDED });
    joined += window.content;
    offset = window.byte_offset;
    expect(window.content).toEndWith("\n");
    if (!window.has_more) break;
  }

  expect(joined).toBe(text);
  expect(log.reads.largest).toBeLessThanOrEqual(MAX_LOG_ANSWER_BYTES);
});

test("readLogWindow gives a line beyond the limit in pieces of whole characters", async () => {
  const text = `a${"😀".repeat(600_000)}\nnext\n`;
  const log = memoryLog(text);

  const pieces: string[] = [];
  for (let offset = 0; ; ) {
    const window = await readLogWindow(log, { lines: 1, offset, ...GROWING });
    pieces.push(window.content);
    offset = window.byte_offset;
    if (!window.has_more) break;
  }

  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.join("")).toBe(text);
  expect(pieces.join("")).not.toContain("\uFFFD");
});

test("readLogWindow does not wait for the end of a line beyond the limit", async () => {
  const text = `a\n${"ö".repeat(MAX_LOG_ANSWER_BYTES)}`;
  const log = memoryLog(text);

  const window = await readLogWindow(log, { lines: 9, offset: 2, ...GROWING });

  expect(window.content.length).toBeGreaterThan(500_000);
  expect(window.has_more).toBe(true);
});

test("readLogWindow reads no more of a huge log than its end needs", async () => {
  const log = memoryLog("some line of text\n".repeat(1_000_000));

  const window = await readLogWindow(log, { lines: 100, ...GROWING });

  expect(window.line_count).toBe(100);
  expect(log.reads.bytes).toBeLessThan(200_000);
});

test("readLogWindow shows the end of a last line that is beyond the limit", async () => {
  const log = memoryLog(`first\n${"é".repeat(MAX_LOG_ANSWER_BYTES)}\n`);

  const window = await readLogWindow(log, { lines: 5, ...ENDED });

  expect(window).toMatchObject({ byte_offset: log.size, line_count: 1, has_more: false });
  expect(window.content).not.toContain("\uFFFD");
});

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
