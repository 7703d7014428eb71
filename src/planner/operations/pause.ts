import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { agentsAbsent } from "./agents_absent.ts";
import { findSpecId } from "./find_spec.ts";
import { liveWorker } from "./live_worker.ts";
import { specIdParam } from "./params.ts";

export const pause = defineTool<PlannerContext>()({
  name: "planner_pause",
  summary: "Stop the agent that works on a spec; the spec stays in_progress",
  effect: "destroy",
  idempotent: true,
  slow: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id: text }) {
    const id = await findSpecId(context, text, { archived: false });
    const refused = `Failed to pause work for spec '${id}'`;
    if ((await liveWorker(context, id)) !== null) throw agentsAbsent(refused);
    throw new OperationError("failed_precondition", `${refused}: No running process found`);
  },
});
