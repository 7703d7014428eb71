import { createPreconditionError } from "#kernel/errors.ts";
import type { PlannerContext } from "../../context.ts";
import type { SpecId } from "../../spec/spec_id.ts";

/** Returns the process that works on a spec now, or null: the living holder of its lock, otherwise a running record. */
export async function findLiveWorker(context: PlannerContext, id: SpecId): Promise<{ readonly pid: number } | null> {
  const holder = await context.work.readLockHolder(id);
  if (holder?.alive === true) return { pid: holder.pid };
  const records = await context.work.readProcesses();
  return records.find(({ spec_id, status }) => spec_id === id && status === "running") ?? null;
}

/** Rejects an action while a process works on the spec. */
export async function refuseSpecInWork(context: PlannerContext, id: SpecId, action: string): Promise<void> {
  const worker = await findLiveWorker(context, id);
  if (worker === null) return;
  throw createPreconditionError(`Cannot ${action} spec '${id}': process ${worker.pid} is working on it`);
}
