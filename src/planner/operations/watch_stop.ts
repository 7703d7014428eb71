import { Type } from "@sinclair/typebox";
import { createPreconditionError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";

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
