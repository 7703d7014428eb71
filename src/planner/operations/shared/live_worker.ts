import { createPreconditionError } from "#kernel/errors.ts";
import type { NewProcessRecord } from "#planner/work/records/process_record.ts";
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

/** Environment variable that passes the task to the background process: `spec_id`, `mode` and `started_at` as JSON. */
export const BACKGROUND_START_VARIABLE = "PLANNER_BACKGROUND_START";

interface BackgroundWork {
  readonly spec_id: SpecId;
  readonly mode: string;
  readonly commandArguments: readonly string[];
}

/** Starts this program in the background to work on a spec, without waiting for it, and stores a process record. */
export async function startBackgroundWork(
  context: PlannerContext,
  { spec_id, mode, commandArguments }: BackgroundWork,
): Promise<NewProcessRecord> {
  const started_at = context.clock.now().toISOString();
  const task = { spec_id, mode, started_at };
  const pid = await context.startInBackground(commandArguments, {
    [BACKGROUND_START_VARIABLE]: JSON.stringify(task),
  });
  const record = { process_id: `${spec_id}-${pid}`, spec_id, pid, started_at, mode };
  const { records } = await context.openRuns();
  await records.announceRecord(record);
  return record;
}

/** Formats the local day as ids contain it, `YYYY-MM-DD`. */
export function formatLocalDay(time: Date): string {
  return `${time.getFullYear()}-${padTwoDigits(time.getMonth() + 1)}-${padTwoDigits(time.getDate())}`;
}

/** Formats local time as planner_status prints it, `YYYY-MM-DD HH:MM:SS`. */
export function formatLocalTime(time: Date): string {
  return `${formatLocalDay(time)} ${padTwoDigits(time.getHours())}:${padTwoDigits(time.getMinutes())}:${padTwoDigits(time.getSeconds())}`;
}

function padTwoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
