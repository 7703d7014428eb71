import { Type } from "@sinclair/typebox";
import { createPreconditionError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { editFields } from "../spec/edit/edit_fields.ts";
import type { Spec } from "../spec/spec.ts";
import { changeSpec } from "./shared/change_spec.ts";
import { findSpec, findSpecId } from "./shared/find_spec.ts";
import { changeSharedClaim } from "./shared/finish_shared.ts";
import { refuseSpecInWork } from "./shared/live_worker.ts";
import { specIdParam } from "./shared/params.ts";
import { leaveSpecInProgress, stopRun } from "./shared/stop_run.ts";

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
