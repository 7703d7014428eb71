import { expect, test } from "bun:test";
import { beadsFormat } from "#planner/exchange/readers/beads.ts";

const UNTIL = "2026-03-01T12:00:00Z";

function statusAt(now: string, status = "open"): readonly unknown[] {
  const text = JSON.stringify({ id: "bd-1", title: "Later", status, issue_type: "task", defer_until: UNTIL });
  const { tasks } = beadsFormat.readTasks([{ path: "issues.jsonl", text }], new Date(now));
  return tasks.map((task) => [task.status, task.originStatus]);
}

test("an open issue is blocked until the moment that it is deferred to", () => {
  expect(statusAt("2026-03-01T11:59:59Z")).toEqual([["blocked", "deferred"]]);
  expect(statusAt(UNTIL)).toEqual([["pending", undefined]]);
});

test("a deferred issue that is at work or done keeps its status", () => {
  expect(statusAt("2026-01-01T00:00:00Z", "in_progress")).toEqual([["in_progress", undefined]]);
  expect(statusAt("2026-01-01T00:00:00Z", "closed")).toEqual([["completed", undefined]]);
});
