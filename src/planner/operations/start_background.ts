import type { PlannerContext } from "../context.ts";
import type { NewProcessRecord } from "../run_ports.ts";
import type { SpecId } from "../spec/spec_id.ts";

export interface BackgroundWork {
  readonly spec_id: SpecId;
  readonly mode: string;
  /** The command and its arguments. */
  readonly words: readonly string[];
}

/** Starts this program in the background on a spec and keeps a record of it; does not wait for anything it does. */
export async function startInBackground(
  context: PlannerContext,
  { spec_id, mode, words }: BackgroundWork,
): Promise<NewProcessRecord> {
  const started_at = context.clock.now().toISOString();
  const { pid } = await context.background.start(words, { PLANNER_STARTED_AT: started_at });
  const record = { process_id: `${spec_id}-${pid}`, spec_id, pid, started_at, mode };
  const { records } = await context.runs();
  // The child writes the same record when its run begins; until then it is to be seen all the same.
  const known = (await context.work.processes()).some(({ process_id }) => process_id === record.process_id);
  if (!known) await records.start(record);
  return record;
}
