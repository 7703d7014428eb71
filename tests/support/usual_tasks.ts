import { type TempProject, tempProject } from "./temp_project.ts";

/** What agents usually want, and the one call that does it. */
export interface UsualTask {
  readonly task: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** What its reply must hold, so that the call did the task. */
  readonly says: string;
  /** Most tokens of request and reply. */
  readonly tokens: number;
}

const OPEN = "2026-11-01-001-aaa";
const FAILED = "2026-11-01-002-bbb";
const DONE = "2026-11-01-003-ccc";

/** The sixteen tasks in an order in which `usualProject` can be worked. */
export const USUAL_TASKS: readonly UsualTask[] = [
  { task: "Count the specs", tool: "planner_status", args: { brief: true }, says: "pending |", tokens: 40 },
  { task: "Take the most urgent ready spec", tool: "planner_ready", args: { limit: 1 }, says: OPEN, tokens: 90 },
  { task: "Read it", tool: "planner_spec_get", args: { id: OPEN }, says: "The rope is blunt", tokens: 200 },
  {
    task: "List one person's urgent specs",
    tool: "planner_spec_list",
    args: { assignee: "ada", priority: "high", limit: 10 },
    says: OPEN,
    tokens: 100,
  },
  {
    task: "Turn to the second page of a label",
    tool: "planner_spec_list",
    args: { label: "shop", limit: 10, offset: 10 },
    says: '"offset":10',
    tokens: 500,
  },
  {
    task: "Find related specs",
    tool: "planner_search",
    args: { query: "rope", limit: 5 },
    says: '"snippet"',
    tokens: 370,
  },
  {
    task: "Write a spec that waits for it, with criteria and fields",
    tool: "planner_add",
    args: {
      description: "Sell the rope by the metre",
      criteria: ["The price of a metre is shown", "Half a metre is refused"],
      labels: ["shop"],
      priority: "high",
      depends_on: [OPEN],
    },
    says: "Created spec:",
    tokens: 80,
  },
  {
    task: "Begin the work",
    tool: "planner_spec_update",
    args: { id: OPEN, status: "in_progress" },
    says: "Updated spec:",
    tokens: 50,
  },
  {
    task: "Check a criterion",
    tool: "planner_spec_update",
    args: { id: OPEN, check: "2" },
    says: "Updated spec:",
    tokens: 50,
  },
  { task: "See what is open", tool: "planner_verify", args: { id: OPEN }, says: '"unchecked":1', tokens: 90 },
  {
    task: "Check the last criterion and record the result",
    tool: "planner_spec_update",
    args: { id: OPEN, check: "cut", output: "Sharpened; 40 cuts of 40 are clean." },
    says: "Updated spec:",
    tokens: 60,
  },
  { task: "Complete the spec", tool: "planner_finalize", args: { id: OPEN }, says: "Finalized spec:", tokens: 50 },
  { task: "Find mistakes in a spec", tool: "planner_lint", args: { id: FAILED }, says: '"diagnostics"', tokens: 160 },
  { task: "See why a spec is stuck", tool: "planner_diagnose", args: { id: FAILED }, says: '"diagnosis"', tokens: 240 },
  {
    task: "Give a failed spec another try",
    tool: "planner_reset",
    args: { id: FAILED },
    says: "Reset spec:",
    tokens: 40,
  },
  { task: "Archive a completed spec", tool: "planner_archive", args: { id: DONE }, says: "Archived spec:", tokens: 60 },
];

/** A project of 60 specs in which the tasks can be done once. */
export function usualProject(): TempProject {
  const project = tempProject();
  const spec = (id: string, fields: string, title: string): void => {
    const text = `The rope is blunt where it is cut. ${"It frays, and customers bring it back. ".repeat(6)}`;
    const box = fields.includes("completed") ? "x" : " ";
    const criteria = `- [${box}] A cut is clean\n- [${box}] The knife is oiled`;
    project.spec(
      id,
      `---\n${fields}labels: [shop]\ntype: code\n---\n\n# ${title}\n\n${text}\n\n## Acceptance Criteria\n\n${criteria}\n`,
    );
  };
  spec(OPEN, "status: pending\npriority: high\nassignee: ada\n", "Sharpen the knife of the rope cutter");
  spec(FAILED, "status: failed\n", "Count the rope on the reels");
  spec(DONE, "status: completed\n", "Order new reels of rope");
  for (let number = 4; number <= 60; number += 1) {
    const counter = String(number).padStart(3, "0");
    spec(
      `2026-11-02-${counter}-x${counter.slice(1)}`,
      "status: pending\npriority: low\nassignee: ben\n",
      `Label shelf ${number} of the shop`,
    );
  }
  return project;
}

/** The table of the tasks in docs/mcp.md. */
export function tasksTable(): string {
  const rows = USUAL_TASKS.map(({ task, tool, args, tokens }) => {
    const named = Object.keys(args).filter((name) => name !== "id");
    const given = named.length === 0 ? "" : ` with ${named.map((name) => `\`${name}\``).join(", ")}`;
    return `| ${task} | \`${tool}\`${given} | ${tokens} |\n`;
  });
  return `| Task | Call | Tokens at most |\n| --- | --- | --- |\n${rows.join("")}`;
}
