import { OperationError } from "#kernel/errors.ts";
import type { ClaimHolder } from "#planner/run_ports/claims.ts";
import type { PlannerContext } from "../../context.ts";
import { AGENT_GRACE_MS, GIVE_UP_MS } from "../../limits.ts";
import type { ProcessRecord } from "../../ports.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { changeSpec } from "./change_spec.ts";

const LOOK_EVERY_MS = 25;

export interface StoppedRun {
  /** Whether an agent was only asked how to split the spec: the spec had not been begun. */
  readonly split: boolean;
}

/**
 * Ends the run that works on a spec: its record becomes terminal, its agent and all that it started are gone, and the
 * spec is given up. The process behind it sees by its record that others decide about the spec now, and leaves it alone.
 *
 * @param refused begins the refusal
 * @returns null when nothing works on the spec; a merge of its finished work is waited for first
 * @throws OperationError `deadline_exceeded` when the process does not give the spec up, `failed_precondition` when it
 *   runs on another machine or belongs to another program
 */
export async function stopRun(context: PlannerContext, id: SpecId, refused: string): Promise<StoppedRun | null> {
  const { claims } = await context.runs();
  const holder = await claims.holder(id);
  const running = (await context.work.processes()).filter(
    ({ spec_id, status }) => spec_id === id && status === "running",
  );
  if (holder?.alive !== true && running.length === 0) return null;
  const known = [...processIds(holder, running)];
  const found = await Promise.all(known.map((processId) => endRecord(context, processId)));
  await Promise.all(known.map((processId) => endAgent(context, processId, holder)));
  // A process that has not claimed the spec yet has not begun, and is to be kept from it.
  if (holder?.alive !== true) for (const { pid } of running) await context.processes.terminate(pid);
  const ended = new Set(known.filter((_, index) => found[index]));
  if (!(await givenUp(context, id, ended))) throw notGivenUp(refused, await claims.holder(id));
  if (ended.size === 0 && holder?.agent == null) return null;
  const records = (await context.work.processes()).filter(({ process_id }) => ended.has(process_id));
  return { split: records.length > 0 && records.every(({ mode }) => mode === "split") };
}

/** Sets a spec whose work was stopped in_progress; one that its agent had just completed, or that was only to be split, stays. */
export async function leaveInProgress(context: PlannerContext, id: SpecId, { split }: StoppedRun): Promise<string> {
  let status = "in_progress";
  await changeSpec(context, id, (before, spec) => {
    const stays = split || spec.status === "completed";
    status = stays ? spec.status : "in_progress";
    return stays ? before : editFields(before, { status });
  });
  return status;
}

function processIds(holder: ClaimHolder | null, running: readonly ProcessRecord[]): ReadonlySet<string> {
  const ids = new Set(running.map(({ process_id }) => process_id));
  if (holder?.process_id != null) ids.add(holder.process_id);
  return ids;
}

/** Writes the record first: a run that is about to start its agent reads it afterwards. False without a record. */
async function endRecord(context: PlannerContext, processId: string): Promise<boolean> {
  const { records } = await context.runs();
  return records.finish(processId, { status: "failed", error: "ended from outside" }, context.clock.now());
}

async function endAgent(context: PlannerContext, processId: string, holder: ClaimHolder | null): Promise<void> {
  const { agents } = await context.runs();
  const agent = holder?.process_id === processId ? holder.agent : null;
  await agents.endRun({ processId, agent }, AGENT_GRACE_MS);
}

/** Adds to `ended` a run that had claimed the spec and not yet written its record. */
async function givenUp(context: PlannerContext, id: SpecId, ended: Set<string>): Promise<boolean> {
  const { claims } = await context.runs();
  for (let waited = 0; waited <= GIVE_UP_MS; waited += LOOK_EVERY_MS) {
    const holder = await claims.holder(id);
    if (holder === null) return true;
    if (!holder.alive) {
      await claims.clearStale(id);
      return true;
    }
    const processId = holder.process_id;
    if (processId !== null && !ended.has(processId) && (await endRecord(context, processId))) {
      ended.add(processId);
      await endAgent(context, processId, holder);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return false;
}

function notGivenUp(refused: string, holder: ClaimHolder | null): OperationError {
  const who = holder === null ? "its process" : `process ${holder.pid} on ${holder.host}`;
  return new OperationError("deadline_exceeded", `${refused}: ${who} does not give the spec up`);
}
