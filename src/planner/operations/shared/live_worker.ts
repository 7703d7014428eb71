import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "../../context.ts";
import type { SpecId } from "../../spec/spec_id.ts";

/** The process that works on a spec just now, or null: the living holder of its lock, else a running record. */
export async function liveWorker(context: PlannerContext, id: SpecId): Promise<{ readonly pid: number } | null> {
  const holder = await context.work.lockHolder(id);
  if (holder?.alive === true) return { pid: holder.pid };
  const records = await context.work.processes();
  return records.find(({ spec_id, status }) => spec_id === id && status === "running") ?? null;
}

/** Refuses while a process works on the spec. */
export async function refuseWhileWorked(context: PlannerContext, id: SpecId, action: string): Promise<void> {
  const worker = await liveWorker(context, id);
  if (worker === null) return;
  throw new OperationError(
    "failed_precondition",
    `Cannot ${action} spec '${id}': process ${worker.pid} is working on it`,
  );
}
