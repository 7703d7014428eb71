import { Type } from "@sinclair/typebox";
import { createPreconditionError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { editFields } from "../spec/edit/edit_fields.ts";
import { changeSpec } from "./shared/change_spec.ts";
import { findSpecId } from "./shared/find_spec.ts";
import { changeSharedClaim } from "./shared/finish_shared.ts";
import { refuseSpecInWork } from "./shared/live_worker.ts";
import { specIdParam } from "./shared/params.ts";

const RESETTABLE_STATUSES: readonly string[] = ["failed", "needs_attention", "in_progress"];

export const reset = defineTool<PlannerContext>()({
  name: "planner_reset",
  summary:
    "Set a failed or stranded spec back to pending, to be worked on again. Stop a running agent with planner_pause first.",
  resultDescription:
    "`Reset spec: <id>`, also of needs_attention; `completed_at` is removed. Refused while a process works on it.",
  effect: "destroy",
  idempotent: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id: text }) {
    const id = await findSpecId(context, text, { archived: false });
    await refuseSpecInWork(context, id, "reset");
    await changeSpec(context, id, (before, { status }) => {
      if (!RESETTABLE_STATUSES.includes(status)) {
        throw createPreconditionError(
          `Spec '${id}' is not in failed, needs_attention, or in_progress state (current: ${status}). Only such specs can be reset.`,
        );
      }
      return editFields(before, { status: "pending", completed_at: undefined });
    });
    const notes = await changeSharedClaim(context, id, "give up");
    return {
      value: { spec_id: id, status: "pending", ...(notes.length === 0 ? {} : { notes }) },
      text: [`Reset spec: ${id}`, ...notes].join("\n"),
    };
  },
});
