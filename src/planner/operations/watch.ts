import { Type } from "@sinclair/typebox";
import { createPreconditionError, type OperationError } from "#kernel/errors.ts";
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

/** Milliseconds to wait for the new process to write its PID file. */
const PID_WAIT_MS = 1_000;

const CHECK_INTERVAL_MS = 20;

export const watchStartTool = defineTool<PlannerContext>()({
  name: "planner_watch_start",
  summary:
    "Start the watch, which merges and finalizes finished work, if a person asks; answers its PID. planner_watch_stop ends it.",
  resultDescription: "`Started watch process (PID: <pid>)`, or `Watch is already running`.",
  effect: "write",
  idempotent: true,
  slow: true,
  params: Type.Object({}),
  async run(context) {
    if ((await context.work.readWatchPid()) !== null) throw createWatchRunningError();
    const pid = await context.startInBackground(["watch"], {});
    const holder = await waitForWatchPid(context);
    // If another process started first, the process that this call started exits.
    if (holder !== null && holder !== pid) throw createWatchRunningError();
    return { value: { pid }, text: `Started watch process (PID: ${pid})` };
  },
});

/** Waits for the watch to write its PID, and returns the PID; null after `PID_WAIT_MS`. */
async function waitForWatchPid({ work }: PlannerContext): Promise<number | null> {
  for (let waited = 0; waited < PID_WAIT_MS; waited += CHECK_INTERVAL_MS) {
    const pid = await work.readWatchPid();
    if (pid !== null) return pid;
    await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
  }
  return null;
}

function createWatchRunningError(): OperationError {
  return createPreconditionError("Watch is already running");
}

export const watchStopTool = defineTool<PlannerContext>()({
  name: "planner_watch_stop",
  summary: "Stop the watch process; answers its PID. To stop the agent of one spec use planner_pause.",
  resultDescription: "`Sent stop signal to watch process (PID: <pid>)`, or `Watch is not running`.",
  effect: "destroy",
  idempotent: true,
  params: Type.Object({}),
  async run({ work, terminateProcess }) {
    const pid = await work.readWatchPid();
    // The process may exit between the two calls.
    if (pid === null || !(await terminateProcess(pid))) {
      throw createPreconditionError("Watch is not running");
    }
    return { value: { pid }, text: `Sent stop signal to watch process (PID: ${pid})` };
  },
});
