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

function usual(task: string, name: string, args: UsualTask["args"], says: string, tokens: number): UsualTask {
  return { task, tool: `planner_${name}`, args, says, tokens };
}

/** The sixteen tasks in an order in which `usualProject` can be worked. */
export const USUAL_TASKS: readonly UsualTask[] = [
  usual("Count the specs", "status", { brief: true }, "pending |", 40),
  usual("Take the most urgent ready spec", "ready", { limit: 1 }, OPEN, 90),
  usual("Read it", "spec_get", { id: OPEN }, "The rope is blunt", 200),
  usual("List one person's urgent specs", "spec_list", { assignee: "ada", priority: "high", limit: 10 }, OPEN, 100),
  usual(
    "Turn to the second page of a label",
    "spec_list",
    { label: "shop", limit: 10, offset: 10 },
    '"offset":10',
    345,
  ),
  usual("Find related specs", "search", { query: "rope", limit: 5 }, '"snippet"', 370),
  usual(
    "Write a spec that waits for it, with criteria and fields",
    "add",
    {
      description: "Sell the rope by the metre",
      criteria: ["The price of a metre is shown", "Half a metre is refused"],
      labels: ["shop"],
      priority: "high",
      depends_on: [OPEN],
    },
    "Created spec:",
    80,
  ),
  usual("Begin the work", "spec_update", { id: OPEN, status: "in_progress" }, "Updated spec:", 50),
  usual("Check a criterion", "spec_update", { id: OPEN, check: "2" }, "Updated spec:", 50),
  usual("See what is open", "verify", { id: OPEN }, '"unchecked":1', 90),
  usual(
    "Check the last criterion and record the result",
    "spec_update",
    { id: OPEN, check: "cut", output: "Sharpened; 40 cuts of 40 are clean." },
    "Updated spec:",
    60,
  ),
  usual("Complete the spec", "finalize", { id: OPEN }, "Finalized spec:", 50),
  usual("Find mistakes in a spec", "lint", { id: FAILED }, '"diagnostics"', 160),
  usual("See why a spec is stuck", "diagnose", { id: FAILED }, '"diagnosis"', 240),
  usual("Give a failed spec another try", "reset", { id: FAILED }, "Reset spec:", 40),
  usual("Archive a completed spec", "archive", { id: DONE }, "Archived spec:", 60),
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
