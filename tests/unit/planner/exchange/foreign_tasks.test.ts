import { expect, test } from "bun:test";
import { readForeignMarkdown } from "#planner/exchange/foreign_yaml.ts";
import { backlogFormat } from "#planner/exchange/readers/backlog.ts";
import { beadsFormat } from "#planner/exchange/readers/beads.ts";
import { githubFormat } from "#planner/exchange/readers/github.ts";
import { taskMasterFormat } from "#planner/exchange/readers/task_master.ts";
import type { SourceFormat } from "#planner/exchange/source.ts";

const TASK = `---
id: shop-12
title: Sell by the metre
status: In Progress
assignee:
  - @ada
  - '@bob'
created_date: '2026-02-03 10:20'
labels: [rope, web]
dependencies: [SHOP-3]
parent_task_id: shop-10
priority: high
due_date: 2026-05-01
type: bug
modified_files: [src/rope.ts]
ordinal: 2000
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
Rope is sold by the piece.
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [x] #1 A length can be entered
- [ ] #2 The price follows
<!-- AC:END -->
`;

const NOW = new Date("2026-03-01T12:00:00Z");

test("reads a task with every field, an unquoted @name included", () => {
  const { tasks, notes } = backlogFormat.readTasks([{ path: "tasks/shop-12 - Sell.md", text: TASK }], NOW);

  expect(tasks).toEqual([
    expect.objectContaining({
      key: "shop-12",
      file: "tasks/shop-12 - Sell.md",
      line: 2,
      title: "Sell by the metre",
      status: "in_progress",
      type: "fix",
      priority: "high",
      assignees: ["@ada", "@bob"],
      due: "2026-05-01",
      created: "2026-02-03",
      labels: ["rope", "web"],
      dependsOn: ["SHOP-3"],
      parent: "shop-10",
      targetFiles: ["src/rope.ts"],
      archived: false,
      isDraft: false,
      body: "## Description\n\nRope is sold by the piece.\n\n## Acceptance Criteria\n- [x] #1 A length can be entered\n- [ ] #2 The price follows",
    }),
  ]);
  expect(notes).toEqual([{ file: "tasks/shop-12 - Sell.md", line: 16, reason: "place on the board", detail: "2000" }]);
});

test("takes statuses of the project's own by their place in the configuration", () => {
  const config = { path: "config.yml", text: 'statuses: ["Idea", "Cutting", "Shipped to all"]\n' };
  const task = (id: string, status: string) => ({
    path: `tasks/${id} - x.md`,
    text: `---\nid: ${id}\ntitle: x\nstatus: ${status}\n---\n`,
  });
  const files = [
    config,
    task("a-1", "Idea"),
    task("a-2", "Cutting"),
    task("a-3", "Shipped to all"),
    task("a-4", "Lost"),
  ];

  const { tasks, notes } = backlogFormat.readTasks(files, NOW);

  expect(tasks.map(({ status, originStatus }) => [status, originStatus])).toEqual([
    ["pending", "Idea"],
    ["in_progress", "Cutting"],
    ["completed", "Shipped to all"],
    ["pending", "Lost"],
  ]);
  expect(notes).toEqual([
    { file: "tasks/a-4 - x.md", line: 4, reason: "unknown status, imported as pending", detail: "Lost" },
  ]);
});

test("keeps an archived task whose id was given again, and reports files that do not parse", () => {
  const { tasks, notes } = backlogFormat.readTasks(
    [
      { path: "archive/tasks/a-1 - old.md", text: "---\nid: A-1\ntitle: old\n---\n" },
      { path: "tasks/a-1 - new.md", text: "---\nid: a-1\ntitle: new\n---\n" },
      { path: "tasks/a-2 - bad.md", text: "---\nid: a-2\ntitle: [open\n---\n" },
      { path: "drafts/draft-1 - later.md", text: "---\nid: draft-1\ntitle: later\n---\n" },
    ],
    NOW,
  );

  expect(tasks.map(({ key, archived, isDraft }) => [key, archived, isDraft])).toEqual([
    ["a-1", false, false],
    ["draft-1", false, true],
    ["A-1@archive/tasks", true, false],
  ]);
  expect(notes).toEqual([
    expect.objectContaining({ file: "tasks/a-2 - bad.md", line: 4, reason: "cannot be parsed", refused: true }),
  ]);
});

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

const ODD_VALUES_NOW = new Date("2026-01-01T00:00:00Z");

/** What is said of a source of one file: reason and detail. */
function notesOf(format: SourceFormat, path: string, content: unknown) {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return format.readTasks([{ path, text }], ODD_VALUES_NOW).notes.map(({ reason, detail }) => [reason, detail]);
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
  const read = taskMasterFormat.readTasks([{ path: "tasks.json", text }], ODD_VALUES_NOW);

  expect(read.tasks.map(({ key }) => key)).toEqual(["good/1"]);
  expect(read.notes).toEqual([
    { file: "tasks.json", line: 1, reason: "cannot be parsed", detail: "bad: expected tasks in a list", refused: true },
  ]);
});

test("backlog keeps and names a due date that is none", () => {
  const path = "tasks/back-1 - A.md";
  const read = backlogFormat.readTasks(
    [{ path, text: "---\nid: BACK-1\ntitle: A\ndue_date: next week\n---\n" }],
    ODD_VALUES_NOW,
  );

  expect(read.tasks[0]?.fields).toMatchObject({ origin_due_date: "next week" });
  expect(read.notes).toMatchObject([{ reason: "unknown due_date", detail: "next week", line: 4 }]);
});

function valuesOf(yaml: string): Record<string, unknown> {
  const read = readForeignMarkdown(`---\n${yaml}\n---\nbody\n`);
  return read.ok ? Object.fromEntries(read.values) : { problem: read.problem };
}

test("scalars stay the text that was written", () => {
  expect(valuesOf("id: 4.10\ndone: yes\nlist: [1.0, null]\nempty:")).toEqual({
    id: "4.10",
    done: "yes",
    list: ["1.0", "null"],
    empty: "",
  });
});

test("names that begin with a sign of YAML are read as people mean them", () => {
  expect(valuesOf("who: @ada\nlist:\n  - @bob's")).toEqual({ who: "@ada", list: ["@bob's"] });
});

test("an alias bomb, a tag, a duplicate key and deep nesting are problems with their line", () => {
  const bomb = [
    "a: &a [x, x]",
    ...Array.from("bcdefghi", (name, at) => `${name}: &${name} [*${"abcdefghi"[at]}, *${"abcdefghi"[at]}]`),
  ];
  expect(valuesOf(bomb.join("\n"))).toEqual({ problem: expect.objectContaining({ line: expect.any(Number) }) });
  expect(valuesOf("a: 1\nb: 2\na: 3")).toEqual({ problem: { line: 4, column: 1, message: 'Duplicate key "a"' } });
  expect(valuesOf(`a: ${"[".repeat(100)}`)).toEqual({ problem: expect.objectContaining({ line: 2 }) });
  expect(readForeignMarkdown("---js\nprocess.exit()\n---\n").ok).toBe(false);
});

test("frontmatter that gray-matter ends at another line is a problem at that line, and one without a field is empty", () => {
  expect(readForeignMarkdown("---\na: 1\n---more\n---\nbody\n")).toMatchObject({ ok: false, problem: { line: 3 } });
  expect(readForeignMarkdown("---\n# nothing\n---\nbody\n")).toMatchObject({ ok: true, body: "body\n", bodyLine: 4 });
});
