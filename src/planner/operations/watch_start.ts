import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { agentsAbsent } from "./agents_absent.ts";

export const watchStart = defineTool<PlannerContext>()({
  name: "planner_watch_start",
  summary: "Start the watch process, which merges and finalizes finished work, in the background",
  effect: "write",
  idempotent: true,
  slow: true,
  params: Type.Object({}),
  async run({ work }) {
    if ((await work.watchPid()) !== null) {
      throw new OperationError("failed_precondition", "Watch is already running");
    }
    throw agentsAbsent("Cannot start the watch process");
  },
});
