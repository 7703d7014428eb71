import { expect, test } from "bun:test";
import { backlogFormat } from "#planner/exchange/readers/backlog.ts";
import { beadsFormat } from "#planner/exchange/readers/beads.ts";
import { githubFormat } from "#planner/exchange/readers/github.ts";
import { taskMasterFormat } from "#planner/exchange/readers/task_master.ts";
import type { SourceFormat } from "#planner/exchange/source.ts";

const NOW = new Date("2026-01-01T00:00:00Z");

/** What is said of a source of one file: reason and detail. */
function notesOf(format: SourceFormat, path: string, content: unknown) {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return format.readTasks([{ path, text }], NOW).notes.map(({ reason, detail }) => [reason, detail]);
}

test("beads names dates and priorities that are none", () => {
  const issue = { id: "bd-1", title: "A", status: "closed", priority: 9, due_at: "tomorrow", closed_at: "2026-02-30" };

  expect(notesOf(beadsFormat, "issues.jsonl", issue)).toEqual([
    ["unknown priority", "9"],
    ["unknown date", "due_at: tomorrow"],
    ["unknown date", "closed_at: 2026-02-30"],
  ]);
});

test("github names dates and states that are none", () => {
  const issue = { number: 1, title: "A", state: "DRAFT", createdAt: "never", milestone: { title: "M", dueOn: "soon" } };

  expect(notesOf(githubFormat, "issues.json", [issue])).toEqual([
    ["unknown status, imported as pending", "draft"],
    ["unknown date", "dueOn: soon"],
    ["unknown date", "createdAt: never"],
  ]);
  expect(notesOf(githubFormat, "issues.json", [{ number: 1, title: "A", state: "OPEN" }])).toEqual([]);
});

test("task-master names a tag whose tasks are no list, and imports the others", () => {
  const text = JSON.stringify({ bad: { tasks: 7 }, good: { tasks: [{ id: 1, title: "A" }] }, metadata: {} });
  const read = taskMasterFormat.readTasks([{ path: "tasks.json", text }], NOW);

  expect(read.tasks.map(({ key }) => key)).toEqual(["good/1"]);
  expect(read.notes).toEqual([
    { file: "tasks.json", line: 1, reason: "cannot be parsed", detail: "bad: expected tasks in a list", refused: true },
  ]);
});

test("backlog keeps and names a due date that is none", () => {
  const path = "tasks/back-1 - A.md";
  const read = backlogFormat.readTasks([{ path, text: "---\nid: BACK-1\ntitle: A\ndue_date: next week\n---\n" }], NOW);

  expect(read.tasks[0]?.fields).toMatchObject({ origin_due_date: "next week" });
  expect(read.notes).toMatchObject([{ reason: "unknown due_date", detail: "next week", line: 4 }]);
});
