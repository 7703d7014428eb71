import { Type } from "@sinclair/typebox";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { ClaimHolder } from "#planner/store/locks/lock_file.ts";
import type { ProcessRecord } from "#planner/work/records/process_record.ts";
import type { PlannerContext } from "../context.ts";
import { AGENT_GRACE_MS, CLAIM_RELEASE_LIMIT_MS } from "../limits.ts";
import { editFields } from "../spec/edit/edit_fields.ts";
import type { Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { changeSpec } from "./shared/change_spec.ts";
import { findSpec, findSpecId } from "./shared/find_spec.ts";
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

const CHECK_INTERVAL_MS = 25;

interface StoppedRun {
  /** True if the agent only split the spec, so that work on the spec had not begun. */
  readonly wasSplit: boolean;
}

/**
 * Stops the run that works on a spec: ends its record, its agent and all programs that the agent started, and waits
 * until the process releases the spec. The process reads in its record that it was ended, and does not change the spec.
 * @param errorPrefix beginning of the error message
 * @returns null if no process works on the spec; a running merge of its finished work is awaited first
 * @throws OperationError `deadline_exceeded` if the process does not release the spec, `failed_precondition` if it runs
 * on another machine or belongs to another program
 */
export async function stopRun(context: PlannerContext, id: SpecId, errorPrefix: string): Promise<StoppedRun | null> {
  const { claims } = await context.openRuns();
  const holder = await claims.readHolder(id);
  const running = (await context.work.readProcesses()).filter(
    ({ spec_id, status }) => spec_id === id && status === "running",
  );
  if (holder?.alive !== true && running.length === 0) return null;
  const processIds = [...listProcessIds(holder, running)];
  const found = await Promise.all(processIds.map((processId) => endRecord(context, processId)));
  await Promise.all(processIds.map((processId) => endRunAgent(context, processId, holder)));
  // Terminates a process that has not claimed the spec yet, so that it never begins.
  if (holder?.alive !== true) for (const { pid } of running) await context.terminateProcess(pid);
  const ended = new Set(processIds.filter((_, index) => found[index]));
  if (!(await waitForRelease(context, id, ended))) throw createTimeoutError(errorPrefix, await claims.readHolder(id));
  if (ended.size === 0 && holder?.agent == null) return null;
  const records = (await context.work.readProcesses()).filter(({ process_id }) => ended.has(process_id));
  return { wasSplit: records.length > 0 && records.every(({ mode }) => mode === "split") };
}

/** Sets a stopped spec to in_progress, unless it was completed or only split. Returns its status. */
export async function leaveSpecInProgress(
  context: PlannerContext,
  id: SpecId,
  { wasSplit }: StoppedRun,
): Promise<string> {
  let status = "in_progress";
  await changeSpec(context, id, (before, spec) => {
    const keepsStatus = wasSplit || spec.status === "completed";
    status = keepsStatus ? spec.status : "in_progress";
    return keepsStatus ? before : editFields(before, { status });
  });
  return status;
}

function listProcessIds(holder: ClaimHolder | null, running: readonly ProcessRecord[]): ReadonlySet<string> {
  const ids = new Set(running.map(({ process_id }) => process_id));
  if (holder?.process_id != null) ids.add(holder.process_id);
  return ids;
}

/** Ends the record before the agent: a run reads it before starting its agent. Returns false without a record. */
async function endRecord(context: PlannerContext, processId: string): Promise<boolean> {
  const { records } = await context.openRuns();
  return records.finishRecord(processId, { status: "failed", error: "ended from outside" }, context.clock.now());
}

async function endRunAgent(context: PlannerContext, processId: string, holder: ClaimHolder | null): Promise<void> {
  const { agents } = await context.openRuns();
  const agent = holder?.process_id === processId ? holder.agent : null;
  await agents.endRun({ processId, agent }, AGENT_GRACE_MS);
}

/**
 * Waits until the run releases the spec; false after a timeout. Adds to `ended` a run that had claimed the spec but not
 * yet written its record.
 */
async function waitForRelease(context: PlannerContext, id: SpecId, ended: Set<string>): Promise<boolean> {
  const { claims } = await context.openRuns();
  for (let waited = 0; waited <= CLAIM_RELEASE_LIMIT_MS; waited += CHECK_INTERVAL_MS) {
    const holder = await claims.readHolder(id);
    if (holder === null) return true;
    if (!holder.alive) {
      await claims.clearStale(id);
      return true;
    }
    const processId = holder.process_id;
    if (processId !== null && !ended.has(processId) && (await endRecord(context, processId))) {
      ended.add(processId);
      await endRunAgent(context, processId, holder);
    }
    await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
  }
  return false;
}

function createTimeoutError(refused: string, holder: ClaimHolder | null): OperationError {
  const who = holder === null ? "its process" : `process ${holder.pid} on ${holder.host}`;
  return new OperationError("deadline_exceeded", `${refused}: ${who} does not give the spec up`);
}
