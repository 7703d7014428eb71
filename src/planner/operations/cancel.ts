import { Type } from "@sinclair/typebox";
import { createPreconditionError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { editFields } from "../spec/edit/edit_fields.ts";
import type { Spec } from "../spec/spec.ts";
import { changeSpec } from "./shared/change_spec.ts";
import { findSpec } from "./shared/find_spec.ts";
import { changeSharedClaim } from "./shared/finish_shared.ts";
import { specIdParam } from "./shared/params.ts";
import { stopRun } from "./shared/stop_run.ts";

export const cancel = defineTool<PlannerContext>()({
  name: "planner_cancel",
  summary:
    "Give up a spec: stop its agent, unblock its dependents. To stop for now use planner_pause; if done, planner_archive.",
  resultDescription: "`Cancelled spec: <id>`",
  effect: "destroy",
  idempotent: true,
  slow: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id: text }) {
    const spec = await findSpec(context, text, { archived: false });
    refuseCancellingEndedSpec(spec);
    await stopRun(context, spec.id, `Cannot cancel spec '${spec.id}'`);
    await changeSpec(context, spec.id, (before, current) => {
      refuseCancellingEndedSpec(current);
      return editFields(before, { status: "cancelled" });
    });
    const notes = await changeSharedClaim(context, spec.id, "give up");
    return {
      value: { spec_id: spec.id, status: "cancelled", ...(notes.length === 0 ? {} : { notes }) },
      text: [`Cancelled spec: ${spec.id}`, ...notes].join("\n"),
    };
  },
});

function refuseCancellingEndedSpec({ id, status }: Spec): void {
  if (status === "cancelled") {
    throw createPreconditionError(`Spec '${id}' is already cancelled`);
  }
  if (status === "completed") {
    throw createPreconditionError(`Spec '${id}' is completed and cannot be cancelled`);
  }
}
