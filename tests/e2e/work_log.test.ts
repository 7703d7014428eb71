import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { McpLines } from "../support/mcp_lines.ts";
import { PLANNER } from "../support/planner_command.ts";
import { isRunning, workProject } from "../support/work_project.ts";

const A = "2026-11-01-001-aaa";

interface LogAnswer {
  readonly content: string;
  readonly byte_offset: number;
  readonly has_more: boolean;
}

test("planner_log by offset loses and repeats none of 100,000 lines that a run writes meanwhile", async () => {
  const count = 100_000;
  using project = await workProject({ plan: { "*": [`flood:${count}`, "tick", "commit"] } });
  await project.add(A);
  await using client = new McpLines(project.root);
  await using work = new LinesOfProcess([...PLANNER, "work", A], project.root);
  let ended = false;
  const end = work.ended.then(({ code }) => {
    ended = true;
    return code;
  });
  while (!existsSync(join(project.root, ".planner/logs", `${A}.log`))) await sleep(10);

  let [text, offset, reads] = ["", 0, 0];
  for (;;) {
    const last = ended;
    const answer = await client.json<LogAnswer>("planner_log", { id: A, offset, lines: 1_000 });
    text += answer.content;
    offset = answer.byte_offset;
    reads++;
    if (last && !answer.has_more) break;
  }

  expect(await end).toBe(0);
  expect(text).toBe(project.read(`.planner/logs/${A}.log`));
  const lines = text.split("\n").filter((line) => /Z line \d+$/.test(line));
  expect(lines.length).toBe(count);
  expect(lines.every((line, index) => line.endsWith(`Z line ${index}`))).toBe(true);
  expect(reads).toBeGreaterThan(100);
});

test("a run's log ends at log.max_bytes without its middle, also for who reads it by offset", async () => {
  using project = await workProject({
    plan: { "*": ["flood:100000", "say:the last words", "tick", "commit"] },
    config: "log: {max_bytes: 20000}\n",
  });
  await project.add(A);

  expect((await project.planner(["work", A])).code).toBe(0);

  const text = project.read(`.planner/logs/${A}.log`);
  expect(text.length).toBeLessThan(25_000);
  expect(text).toMatch(
    / line 100\n[\s\S]* planner: \d+ bytes are left out here: log.max_bytes is 20000\n[\s\S]* line 99999\n/,
  );
  expect(text).toContain(" the last words\n");
  await using client = new McpLines(project.root);
  let [read, offset] = ["", 0];
  for (let more = true; more; ) {
    const answer = await client.json<LogAnswer>("planner_log", { id: A, offset, lines: 50 });
    read += answer.content;
    [offset, more] = [answer.byte_offset, answer.has_more];
  }
  expect(read).toBe(text);
});

test("planner_takeover tells analysis and the end of a log that is written at full speed", async () => {
  using project = await workProject({ plan: { "*": ["say:at work", "flood:1000000000"] } });
  await project.add(A);
  await using client = new McpLines(project.root);
  await using work = new LinesOfProcess([...PLANNER, "work", A], project.root);
  const log = join(project.root, ".planner/logs", `${A}.log`);
  while (!existsSync(log) || !project.read(`.planner/logs/${A}.log`).includes("line 20000\n")) await sleep(20);

  const answer = await client.json<Record<string, string>>("planner_takeover", { id: A });

  expect(answer["analysis"]).toMatch(/^\d{5,} log lines in the last run\n/);
  const tail = (answer["log_tail"] ?? "").split("\n");
  expect(tail.length).toBe(50);
  expect(tail.filter((line) => !/^\S{24} (?:line \d+|planner: .*)$/.test(line))).toEqual([]);
  await work.ended;
  expect(project.pids().filter(isRunning)).toEqual([]);
  expect(project.field(A, "status")).toBe("in_progress");
  expect(project.records()).toMatchObject([{ status: "failed" }]);
});
