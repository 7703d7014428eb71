import { type TempProject, tempProject } from "./temp_project.ts";

/** A call of one tool, and whether it is refused there; null where that depends on what is installed. */
export interface Stop {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly refused: boolean | null;
}

const A = "2026-11-01-001-aaa";
const B = "2026-11-01-002-bbb";
const C = "2026-11-01-003-ccc";
const D = "2026-11-01-004-ddd";

/** Every tool once, in an order that a project can be worked in, for a fresh `tourProject`. */
export const TOUR: readonly Stop[] = [
  { tool: "planner_spec_list", args: { limit: 2 }, refused: false },
  { tool: "planner_spec_get", args: { id: A }, refused: false },
  { tool: "planner_ready", args: {}, refused: false },
  { tool: "planner_status", args: { brief: true }, refused: false },
  { tool: "planner_log", args: { id: A, lines: 5 }, refused: false },
  { tool: "planner_search", args: { query: "first" }, refused: false },
  { tool: "planner_diagnose", args: { id: A }, refused: false },
  { tool: "planner_lint", args: {}, refused: false },
  { tool: "planner_spec_update", args: { id: A, status: "in_progress", labels: ["x", "y"] }, refused: false },
  { tool: "planner_add", args: { description: "One more" }, refused: false },
  { tool: "planner_verify", args: { id: A }, refused: false },
  { tool: "planner_finalize", args: { id: A }, refused: false },
  { tool: "planner_archive", args: { id: A }, refused: false },
  { tool: "planner_reset", args: { id: B }, refused: false },
  { tool: "planner_cancel", args: { id: C }, refused: false },
  { tool: "planner_work_list", args: { include_completed: true }, refused: false },
  { tool: "planner_pause", args: { id: D }, refused: true },
  { tool: "planner_takeover", args: { id: D, force: false }, refused: true },
  { tool: "planner_watch_status", args: {}, refused: false },
  { tool: "planner_split", args: { id: "no-such-spec" }, refused: true },
  { tool: "planner_work_start", args: { id: "no-such-spec" }, refused: true },
  { tool: "planner_watch_start", args: {}, refused: null },
  // Last, so that a watch that could be started does not outlive the tour.
  { tool: "planner_watch_stop", args: {}, refused: null },
];

/** A small project in which the tour can be made once. */
export function tourProject(): TempProject {
  const project = tempProject();
  const spec = (id: string, status: string, title: string): void => {
    const fields = `status: ${status}\ntype: code\nlabels: [tour]\n`;
    project.spec(id, `---\n${fields}---\n\n# ${title}\n\n## Acceptance Criteria\n\n- [x] It is done\n`);
  };
  spec(A, "pending", "The first one");
  spec(B, "failed", "The second one");
  spec(C, "pending", "The third one");
  spec(D, "pending", "The fourth one");
  project.write(`.planner/logs/${A}.log`, "2026-11-01T10:00:00Z begun\n");
  return project;
}
