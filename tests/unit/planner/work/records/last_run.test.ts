import { expect, test } from "bun:test";
import { MAX_RUN_BYTES } from "../../../../../src/planner/limits.ts";
import { formatLogLine, formatRunHeader, readLastRun } from "../../../../../src/planner/work/records/log_format.ts";
import { memoryLog } from "../../../../support/memory_log.ts";

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
