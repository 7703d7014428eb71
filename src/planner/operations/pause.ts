import { Type } from "@sinclair/typebox";
import { createPreconditionError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { findSpecId } from "./shared/find_spec.ts";
import { specIdParam } from "./shared/params.ts";
import { leaveSpecInProgress, stopRun } from "./shared/stop_run.ts";

export const pause = defineTool<PlannerContext>()({
  name: "planner_pause",
  summary:
    "Stop the agent of a spec, which stays in_progress. To go on by hand use planner_takeover, to give up planner_cancel.",
  resultDescription:
    "`Successfully paused work for spec '<id>'`, or `Failed to pause work for spec '<id>': No running process found`.",
  effect: "destroy",
  idempotent: true,
  slow: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id: text }) {
    const id = await findSpecId(context, text, { archived: false });
    const refused = `Failed to pause work for spec '${id}'`;
    const stopped = await stopRun(context, id, refused);
    if (stopped === null) throw createPreconditionError(`${refused}: No running process found`);
    const status = await leaveSpecInProgress(context, id, stopped);
    return { value: { spec_id: id, status }, text: `Successfully paused work for spec '${id}'` };
  },
});
