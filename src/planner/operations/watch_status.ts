import { Type } from "@sinclair/typebox";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";

export const watchStatusTool = defineTool<PlannerContext>()({
  name: "planner_watch_status",
  summary: "Report whether the watch runs, and each worktree's status. For agents' processes use planner_work_list.",
  resultDescription: "`{watch_running, worktrees, worktree_count}`",
  effect: "read",
  idempotent: true,
  params: Type.Object({}),
  async run({ work }) {
    const [pid, worktrees] = await Promise.all([work.readWatchPid(), work.worktrees()]);
    return { value: { watch_running: pid !== null, worktrees, worktree_count: worktrees.length } };
  },
});
