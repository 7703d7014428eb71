import type { NewProcessRecord } from "#planner/run_ports/process_records.ts";
import type { PlannerContext } from "../../context.ts";
import type { SpecId } from "../../spec/spec_id.ts";

/** Environment variable that passes the task to the background process: `spec_id`, `mode` and `started_at` as JSON. */
export const BACKGROUND_START = "PLANNER_BACKGROUND_START";

export interface BackgroundWork {
  readonly spec_id: SpecId;
  readonly mode: string;
  readonly words: readonly string[];
}

/** Starts this program in the background to work on a spec, without waiting for it, and stores a process record. */
export async function startBackgroundWork(
  context: PlannerContext,
  { spec_id, mode, words }: BackgroundWork,
): Promise<NewProcessRecord> {
  const started_at = context.clock.now().toISOString();
  const told = { spec_id, mode, started_at };
  const { pid } = await context.background.start(words, { [BACKGROUND_START]: JSON.stringify(told) });
  const record = { process_id: `${spec_id}-${pid}`, spec_id, pid, started_at, mode };
  const { records } = await context.runs();
  await records.announce(record);
  return record;
}
