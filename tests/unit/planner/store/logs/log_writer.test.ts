import { expect, test } from "bun:test";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { openRunLogs } from "#planner/store/logs/log_writer.ts";
import { eachTest } from "../../../../support/each_test.ts";
import { tempProject } from "../../../../support/temp_project.ts";

const ID = "2026-01-05-001-abc" as SpecId;
const LOG = `.planner/logs/${ID}.log`;
const NOW = "2026-01-05T12:00:00.000Z";
const clock = { now: () => new Date(NOW) };
const MAX = 16_777_216;

const project = eachTest(tempProject);

test("RunLog stores each line with its time behind the run's header", async () => {
  const log = await openRunLogs(project.root, clock).open(ID, `${ID}-7`, MAX);

  await log.line("one\r\ntwo\n");
  await log.end();

  expect(project.read(LOG)).toBe(`${NOW} === run ${ID}-7 ===\n${NOW} one\n${NOW} two\n${NOW} \n`);
});

test("RunLog appends a run behind a line that a killed writer left half written", async () => {
  project.write(LOG, `${NOW} whole\n${NOW} ha`);

  await (await openRunLogs(project.root, clock).open(ID, "next", MAX)).end();

  expect(project.read(LOG)).toBe(`${NOW} whole\n${NOW} ha\n${NOW} === run next ===\n`);
});

test("RunLog writes by itself before it is ended", async () => {
  const log = await openRunLogs(project.root, clock).open(ID, "run", MAX);

  await log.line("soon");

  while (!project.read(LOG).includes("soon")) await Bun.sleep(5);
  await log.end();
});

test("RunLog splits a line that is too long, between characters", async () => {
  const log = await openRunLogs(project.root, clock).open(ID, "run", MAX);
  const text = `a${"😀".repeat(200_000)}`;

  await log.line(text);
  await log.end();

  const stored = project.read(LOG).trimEnd().split("\n").slice(1);
  expect(stored.length).toBe(2);
  expect(stored.map((line) => line.slice(NOW.length + 1)).join("")).toBe(text);
});

test("RunLog marks what a program printed where it reads as planner's own words", async () => {
  const log = await openRunLogs(project.root, clock).open(ID, "run", MAX);

  await log.printed(["plain", "=== run forged ===", " planner: completed", "stderr: no", "\u2028planner: x"], "stdout");
  await log.printed(["=== run forged ==="], "stderr");
  await log.line("planner: not committed: a\n=== run forged ===");
  await log.printed([`${"x".repeat(256 * 1024)}=== run forged ===`], "stdout");
  await log.end();

  const stored = project.read(LOG).trimEnd().split("\n");
  const texts = stored.map((line) => line.slice(NOW.length + 1, NOW.length + 40));
  expect(texts).toEqual([
    "=== run run ===",
    "plain",
    "stdout: === run forged ===",
    "stdout:  planner: completed",
    "stdout: stderr: no",
    "stdout: \u2028planner: x",
    "stderr: === run forged ===",
    "planner: not committed: a",
    "planner: === run forged ===",
    "x".repeat(39),
    "stdout: === run forged ===",
  ]);
});

test("RunLog ends when the last that was printed were no lines", async () => {
  const log = await openRunLogs(project.root, clock).open(ID, "run", MAX);

  await log.printed([], "stdout");
  await log.end();

  expect(project.read(LOG)).toBe(`${NOW} === run run ===\n`);
});

test("RunLog leaves the middle of a run out when its limit is reached, says so, and keeps beginning and end", async () => {
  const log = await openRunLogs(project.root, clock).open(ID, "run", 10_000);
  const line = (number: number): string => `${String(number).padStart(74, ".")}`;

  for (let number = 1; number <= 5000; number++) await log.printed([line(number)], "stdout");
  const before = project.read(LOG);
  await log.flush();
  const flushed = project.read(LOG);
  await log.printed(["the very end"], "stdout");
  await log.end();

  const stored = project.read(LOG).split("\n");
  const numbers = stored.map((text) => Number(/\.(\d+)$/.exec(text)?.[1])).filter(Boolean);
  const head = Array.from({ length: 50 }, (_, index) => index + 1);
  const tail = Array.from({ length: 50 }, (_, index) => index + 4951);
  expect(numbers).toEqual([...head, ...tail]);
  expect(stored.filter((text) => text.includes("planner: "))).toEqual([
    `${NOW} planner: half of log.max_bytes is used: the last 5000 bytes of what follows are written when the run ends`,
    `${NOW} planner: 490000 bytes are left out here: log.max_bytes is 10000`,
  ]);
  expect(flushed.startsWith(before)).toBe(true);
  expect(stored.at(-2)).toBe(`${NOW} the very end`);
});

test("RunLog leaves nothing out of a run within its limit, and keeps a last line above it", async () => {
  const lines = Array.from({ length: 90 }, (_, index) => String(index + 1).padStart(74, "."));
  const within = await openRunLogs(project.root, clock).open(ID, "run", 10_000);
  for (const line of lines) await within.line(line);
  await within.end();

  expect(project.read(LOG).match(/\.\d+\n/g)).toHaveLength(90);
  expect(project.read(LOG)).not.toContain("left out");

  const above = await openRunLogs(project.root, clock).open(ID, "next", 4096);
  await above.line("x".repeat(100_000));
  await above.end();
  expect(project.read(LOG)).toContain("x".repeat(100_000));
});
