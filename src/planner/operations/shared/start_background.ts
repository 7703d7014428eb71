import type { NewProcessRecord } from "#planner/run_ports/process_records.ts";
import type { PlannerContext } from "../../context.ts";
import type { SpecId } from "../../spec/spec_id.ts";

/** Environment variable that passes the task to the background process: `spec_id`, `mode` and `started_at` as JSON. */
export const BACKGROUND_START_VARIABLE = "PLANNER_BACKGROUND_START";

export interface BackgroundWork {
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
  const { pid } = await context.background.start(commandArguments, {
    [BACKGROUND_START_VARIABLE]: JSON.stringify(task),
  });
  const record = { process_id: `${spec_id}-${pid}`, spec_id, pid, started_at, mode };
  const { records } = await context.openRuns();
  await records.announceRecord(record);
  return record;
}
