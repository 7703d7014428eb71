import type { SourceKind } from "#planner/exchange/source.ts";

/** A small source of one tool, and what its specs must say. */
export interface TaskSource {
  readonly kind: SourceKind;
  /** Files by their path in a project of that tool. */
  readonly files: Readonly<Record<string, string>>;
  /** What to import, from the project. */
  readonly path: string;
  /** By the tool's id: status, depends_on as ids of the tool, labels, priority, criteria checked of all, ready. */
  readonly expected: Readonly<Record<string, Expected>>;
}

export interface Expected {
  readonly status: string;
  readonly dependsOn?: readonly string[];
  readonly labels?: readonly string[];
  readonly priority?: string;
  readonly assignee?: string;
  /** Checked and all. */
  readonly criteria?: readonly [number, number];
  readonly isReady?: true;
  readonly isArchived?: true;
  readonly parent?: string;
}

const backlogTask = (id: string, fields: string, criteria = "") =>
  `---\nid: ${id}\ntitle: Task ${id}\n${fields}\n---\n\n## Description\n\nText\n${criteria === "" ? "" : `\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n${criteria}\n<!-- AC:END -->\n`}`;

const backlog: TaskSource = {
  kind: "backlog",
  path: ".",
  files: {
    "backlog/config.yml": 'statuses: ["To Do", "In Progress", "Done"]\n',
    "backlog/tasks/t-1 - a.md": backlogTask(
      "t-1",
      "status: To Do\npriority: high\nlabels: [x, y]\nassignee: [@ada]",
      "- [x] #1 a\n- [ ] #2 b",
    ),
    "backlog/tasks/t-2 - b.md": backlogTask("t-2", "status: To Do\ndependencies: [T-1]"),
    "backlog/tasks/t-2.1 - c.md": backlogTask("t-2.1", "status: In Progress\nparent_task_id: t-2"),
    "backlog/completed/t-3 - d.md": backlogTask("t-3", "status: Done"),
    "backlog/drafts/draft-4 - e.md": backlogTask("draft-4", "status: Draft"),
  },
  expected: {
    "t-1": {
      status: "pending",
      labels: ["x", "y"],
      priority: "high",
      assignee: "@ada",
      criteria: [1, 2],
      isReady: true,
    },
    "t-2": { status: "blocked", dependsOn: ["t-1"] },
    "t-2.1": { status: "in_progress", parent: "t-2" },
    "t-3": { status: "completed", isArchived: true },
    "draft-4": { status: "pending" },
  },
};

const openspec: TaskSource = {
  kind: "openspec",
  path: "openspec",
  files: {
    "openspec/changes/add-rope/proposal.md": "# Change: Sell rope\n\n## Why\n\nPeople ask.\n",
    "openspec/changes/add-rope/tasks.md": "## 1. Shop\n- [x] 1.1 Price\n  - [ ] 1.1.1 Tax\n* [ ] 1.2 Page\n",
    "openspec/changes/add-rope/specs/shop/spec.md": "## ADDED Requirements\n\n### Requirement: Rope\n",
    "openspec/changes/add-knot/tasks.md": "- [ ] Tie\n",
    "openspec/changes/add-knot/.openspec.yaml": "schema: spec-driven\ncreated: 2026-02-03\ndependsOn: [add-rope]\n",
    "openspec/changes/archive/2026-01-02-add-shop/tasks.md": "- [x] Open\n",
  },
  expected: {
    "add-rope": { status: "in_progress", criteria: [1, 3] },
    "add-knot": { status: "blocked", dependsOn: ["add-rope"], criteria: [0, 1] },
    "add-shop": { status: "completed", criteria: [1, 1], isArchived: true },
  },
};

const specKit: TaskSource = {
  kind: "spec-kit",
  path: ".",
  files: {
    "specs/001-rope/spec.md":
      "# Feature Specification: Rope\n\n**Created**: 2026-01-05\n\n### User Story 1 - Buy (Priority: P1)\n\n**Acceptance Scenarios**:\n\n1. **Given** a shop, **When** I buy, **Then** I have rope\n",
    "specs/001-rope/plan.md": "# Plan\n\n## Summary\n\nDo it.\n",
    "specs/001-rope/tasks.md":
      "# Tasks\n\n## Phase 1: Setup\n\n- [X] T001 Create project\n- [ ] T002 [P] Add src/lint/rules.ts\n- [ ] T003 [P] Add docs\n\n## Phase 2: User Story 1 (Priority: P1)\n\n- [ ] T004 [US1] Sell (depends on T002)\n",
  },
  expected: {
    "001-rope": { status: "in_progress", criteria: [0, 1] },
    "001-rope/T001": { status: "completed", parent: "001-rope" },
    "001-rope/T002": { status: "pending", parent: "001-rope", isReady: true },
    "001-rope/T003": { status: "pending", dependsOn: ["001-rope/T001"], parent: "001-rope", isReady: true },
    "001-rope/T004": {
      status: "blocked",
      dependsOn: ["001-rope/T002", "001-rope/T003"],
      labels: ["US1"],
      priority: "high",
      parent: "001-rope",
    },
  },
};

const kiro: TaskSource = {
  kind: "kiro",
  path: ".",
  files: {
    ".kiro/specs/rope/requirements.md":
      "# Requirements Document\n\n### Requirement 1: Buy\n\n#### Acceptance Criteria\n\n1. WHEN I buy THEN I have rope\n2. IF none is left THEN I am told\n",
    ".kiro/specs/rope/design.md": "# Design\n\nText\n",
    ".kiro/specs/rope/tasks.md":
      "# Implementation Plan\n\n- [x] 1. Set up\n- [ ] 2. Sell\n  - [ ]* 2.1 Test the price\n    - by hand\n  - [ ] 2.2 Show the price\n    - _Requirements: 1.1_\n- [ ] 3. Check\n",
  },
  expected: {
    rope: { status: "in_progress", criteria: [0, 2] },
    "rope/1": { status: "completed", parent: "rope" },
    "rope/2": { status: "pending", parent: "rope" },
    "rope/2.1": { status: "pending", labels: ["optional"], parent: "rope/2" },
    "rope/2.2": { status: "pending", parent: "rope/2", isReady: true },
    "rope/3": { status: "pending", parent: "rope" },
  },
};

const issue = (fields: Record<string, unknown>) =>
  JSON.stringify({ title: "Issue", status: "open", issue_type: "task", ...fields });

const beads: TaskSource = {
  kind: "beads",
  path: ".",
  files: {
    ".beads/issues.jsonl": [
      issue({ id: "bd-1", issue_type: "epic", priority: 0, acceptance_criteria: "- Rope is sold\n- Knots hold" }),
      issue({
        id: "bd-2",
        priority: 2,
        labels: ["shop"],
        assignee: "ada",
        dependencies: [{ depends_on_id: "bd-1", type: "parent-child" }],
      }),
      issue({
        id: "bd-3",
        priority: 4,
        dependencies: [
          { depends_on_id: "bd-2", type: "blocks" },
          { depends_on_id: "bd-1", type: "related" },
        ],
      }),
      issue({ id: "bd-4", status: "closed", closed_at: "2026-02-03T04:05:06Z" }),
      issue({ id: "bd-5", ephemeral: true }),
      issue({ id: "bd-6", status: "tombstone" }),
      issue({ id: "bd-7", defer_until: "2999-01-01T00:00:00Z" }),
      issue({ id: "bd-8", defer_until: "2026-01-01T00:00:00Z" }),
    ].join("\n"),
  },
  expected: {
    "bd-1": { status: "pending", priority: "critical", criteria: [0, 2] },
    "bd-2": { status: "pending", priority: "medium", labels: ["shop"], assignee: "ada", parent: "bd-1", isReady: true },
    "bd-3": { status: "blocked", priority: "low", dependsOn: ["bd-2"] },
    "bd-4": { status: "completed" },
    "bd-5": { status: "pending" },
    "bd-7": { status: "blocked" },
    "bd-8": { status: "pending", isReady: true },
  },
};

const taskMaster: TaskSource = {
  kind: "task-master",
  path: ".",
  files: {
    ".taskmaster/tasks/tasks.json": JSON.stringify({
      master: {
        tasks: [
          { id: 1, title: "One", status: "done", priority: "high", dependencies: [] },
          {
            id: 2,
            title: "Two",
            status: "in-progress",
            priority: "low",
            dependencies: [1],
            subtasks: [
              { id: 1, title: "A", status: "done", dependencies: [], acceptanceCriteria: "- it holds" },
              { id: 2, title: "B", status: "pending", dependencies: [1] },
              { id: 3, title: "C", status: "pending", dependencies: ["2.2"] },
            ],
          },
          { id: "3", title: "Three", status: "deferred", dependencies: ["2"] },
        ],
      },
    }),
  },
  expected: {
    "1": { status: "completed", priority: "high" },
    "2": { status: "in_progress", priority: "low", dependsOn: ["1"] },
    "2.1": { status: "completed", criteria: [0, 1], parent: "2" },
    "2.2": { status: "pending", dependsOn: ["2.1"], parent: "2", isReady: true },
    "2.3": { status: "blocked", dependsOn: ["2.2"], parent: "2" },
    "3": { status: "blocked", dependsOn: ["2"] },
  },
};

const chant: TaskSource = {
  kind: "chant",
  path: ".",
  files: {
    ".chant/specs/2026-01-02-001-abc.md":
      "---\ntype: code\nstatus: pending\nlabels: [shop]\ntarget_files:\n- src/rope.ts\n---\n# Sell rope\n\n## Acceptance Criteria\n\n- [x] a\n- [ ] b\n",
    ".chant/specs/2026-01-02-002-def.md": "---\nstatus: paused\ndepends_on: [2026-01-02-001-abc]\n---\n# Tie\n",
    ".chant/archive/2026-01-01/2026-01-01-001-old.md":
      "---\nstatus: completed\ncompleted_at: 2026-01-01T02:03:04Z\n---\n# Old\n",
  },
  expected: {
    "2026-01-02-001-abc": { status: "pending", labels: ["shop"], criteria: [1, 2], isReady: true },
    "2026-01-02-002-def": { status: "in_progress", dependsOn: ["2026-01-02-001-abc"] },
    "2026-01-01-001-old": { status: "completed", isArchived: true },
  },
};

const github: TaskSource = {
  kind: "github",
  path: "issues.json",
  files: {
    "issues.json": JSON.stringify([
      {
        number: 1,
        title: "Sell rope",
        body: "- [x] price\n- [ ] page",
        state: "OPEN",
        labels: [{ name: "bug" }, { name: "priority: high" }],
        assignees: [{ login: "ada" }],
        url: "https://github.com/shop/rope/issues/1",
      },
      {
        number: 2,
        title: "Tie",
        body: "Blocked by #1",
        state: "open",
        html_url: "https://github.com/shop/rope/issues/2",
        labels: [],
      },
      {
        number: 3,
        title: "No",
        body: null,
        state: "closed",
        state_reason: "not_planned",
        html_url: "https://github.com/shop/rope/issues/3",
      },
      {
        number: 4,
        title: "A pull request",
        state: "open",
        pull_request: {},
        html_url: "https://github.com/shop/rope/pull/4",
      },
    ]),
  },
  expected: {
    "shop/rope#1": {
      status: "pending",
      labels: ["bug", "priority: high"],
      priority: "high",
      assignee: "ada",
      criteria: [1, 2],
      isReady: true,
    },
    "shop/rope#2": { status: "blocked", dependsOn: ["shop/rope#1"] },
    "shop/rope#3": { status: "cancelled" },
  },
};

export const TASK_SOURCES: readonly TaskSource[] = [backlog, openspec, specKit, kiro, beads, taskMaster, chant, github];
