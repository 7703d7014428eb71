import { expect, test } from "bun:test";
import { backlogFormat } from "../../../../src/planner/exchange/readers/backlog.ts";

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
