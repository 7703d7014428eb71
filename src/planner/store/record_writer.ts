import { hostname } from "node:os";
import { join } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import type { ProcessRecord } from "../ports.ts";
import type { NewProcessRecord, ProcessRecords } from "../run_ports.ts";
import type { RecordEnd } from "./dead_record.ts";
import { readJson } from "./json_file.ts";
import { replaceFile } from "./place_file.ts";
import { PROCESSES } from "./places.ts";
import { deadRecords, endDeadRecord, readProcessRecords, recordFile } from "./process_records.ts";
import { withProjectLock } from "./project_lock.ts";
import { removeLeftovers } from "./temporary_file.ts";

/**
 * Opens the writing side of `.planner/processes/`. Files hold the contract's fields and `host`: only its own machine can
 * say whether a process is gone.
 *
 * Source: contract, Work process record; decision S-26.
 */
export function openProcessRecords(root: string, clock: Clock): ProcessRecords {
  return {
    start: (record) => withProjectLock(root, () => start(root, record)),
    finish: (processId, end, at) =>
      withProjectLock(root, () => finish(root, processId, { ...end, completed_at: at.toISOString() })),
    dead: () => deadRecords(root),
    endDead: (processId) => endDeadRecord(root, processId, clock.now()),
    repair: async () => (await readProcessRecords(root, clock.now())).repaired,
  };
}

async function start(root: string, given: NewProcessRecord): Promise<ProcessRecord> {
  await removeLeftovers(join(root, PROCESSES));
  const { process_id, spec_id, pid, started_at, mode } = given;
  const record = { process_id, spec_id, pid, status: "running", started_at, completed_at: null, mode } as const;
  await write(root, process_id, { ...record, host: hostname() });
  return record;
}

async function finish(root: string, processId: string, end: RecordEnd): Promise<boolean> {
  const read = readJson(join(root, recordFile(processId)));
  if (read.kind !== "object" || read.object["status"] !== "running") return false;
  await write(root, processId, { ...read.object, ...end });
  return true;
}

function write(root: string, processId: string, record: object): Promise<void> {
  const file = recordFile(processId);
  return replaceFile(join(root, file), file, `${JSON.stringify(record, null, 2)}\n`);
}
