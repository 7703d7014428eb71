import { SYSTEM_CLOCK } from "#kernel/clock.ts";
import { getErrorMessage } from "#kernel/errors.ts";
import { BACKGROUND_START_VARIABLE } from "#planner/operations/shared/live_worker.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import type { ProcessRecords } from "#planner/store/processes/process_records.ts";
import type { NewProcessRecord } from "#planner/work/records/process_record.ts";

export type BackgroundStart = Pick<NewProcessRecord, "spec_id" | "mode" | "started_at">;

/** Returns the task of a background process, or null. Removes it from the environment, which agents inherit. */
export function takeBackgroundStart(): BackgroundStart | null {
  const text = process.env[BACKGROUND_START_VARIABLE];
  delete process.env[BACKGROUND_START_VARIABLE];
  if (text === undefined) return null;
  const { spec_id, mode, started_at } = JSON.parse(text) as Record<string, unknown>;
  return { spec_id: String(spec_id) as SpecId, mode: String(mode), started_at: String(started_at) };
}

/** Records a background process whose run never began as failed. */
export async function recordUnbegunRun(records: ProcessRecords, start: BackgroundStart, error: string): Promise<void> {
  const process_id = `${start.spec_id}-${process.pid}`;
  // The tool that started the process may not have written the record yet.
  await records.announceRecord({ ...start, process_id, pid: process.pid });
  await records.finishRecord(process_id, { status: "failed", error }, new Date());
}

/** Records an error that occurred before the project was opened, such as invalid settings. Never rejects. */
export async function recordEarlyError(root: string, error: unknown): Promise<void> {
  const start = takeBackgroundStart();
  if (start === null) return;
  try {
    const { openProcessRecords } = await import("#planner/store/processes/process_records.ts");
    await recordUnbegunRun(openProcessRecords(root, SYSTEM_CLOCK), start, getErrorMessage(error));
  } catch {
    // The failure is still reported in the background log.
  }
}
