import { Type } from "@sinclair/typebox";
import { createPreconditionError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import type { Spec } from "../spec/spec.ts";
import { findSpec } from "./shared/find_spec.ts";
import { refuseSpecInWork } from "./shared/live_worker.ts";
import { specIdParam } from "./shared/params.ts";

export const archive = defineTool<PlannerContext>()({
  name: "planner_archive",
  summary: "Move a completed spec to the archive; its id stays valid. To give it up instead use planner_cancel.",
  resultDescription: "`Archived spec: <id> -> <path>`. The id stays valid for reading and as a dependency.",
  effect: "destroy",
  idempotent: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id: text }) {
    const spec = await findSpec(context, text, { archived: false });
    const { id } = spec;
    refuseUncompletedSpec(spec);
    await refuseSpecInWork(context, id, "archive");
    const file = await context.specs.moveToArchive(id, refuseUncompletedSpec);
    return { value: { spec_id: id, file }, text: `Archived spec: ${id} -> ${file}` };
  },
});

function refuseUncompletedSpec({ id, status }: Spec): void {
  if (status === "completed") return;
  throw createPreconditionError(`Spec '${id}' must be completed to archive (current: ${status})`);
}
