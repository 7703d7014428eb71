import { hostname } from "node:os";
import { join } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import type { NewProcessRecord, ProcessRecords, RunReport } from "#planner/run_ports/process_records.ts";
import type { ProcessRecord } from "../../ports.ts";
import { readJsonFile } from "../files/json_file.ts";
import { createFileWithoutSync, replaceFile } from "../files/place_file.ts";
import { removeLeftoverFiles } from "../files/temporary_file.ts";
import { runWithProjectLock } from "../locks/project_lock.ts";
import { PROCESSES_FOLDER } from "../project/places.ts";
import type { RecordEnd } from "./dead_record.ts";
import { buildRecordPath, endDeadRecord, listDeadRecords, readProcessRecords } from "./process_records.ts";
import { readRunReports } from "./run_reports.ts";

/**
 * Opens `.planner/processes/` for writing. Files contain the documented fields and `host`, because only its own machine
 * can check whether a process has ended. Source: docs/contract/spec-tool.md#work-process-record;
 * docs/decisions.md#s-26.
 */
export function openProcessRecords(root: string, clock: Clock): ProcessRecords {
  return {
    startRecord: (record, begun) => runWithProjectLock(root, () => startProcessRecord(root, record, begun)),
    announceRecord: (record) => announceRecord(root, record),
    finishRecord: (processId, end, at, report) =>
      runWithProjectLock(root, () =>
        finishProcessRecord(root, processId, { end: { ...end, completed_at: at.toISOString() }, report }),
      ),
    storeReport: async (processId, report) => {
      await runWithProjectLock(root, () => finishProcessRecord(root, processId, { end: {}, report }));
    },
    readReports: () => readRunReports(root),
    isRunning: async (processId) => {
      const read = readJsonFile(join(root, buildRecordPath(processId)));
      return read.kind === "object" && read.object["status"] === "running";
    },
    listDeadRecords: () => listDeadRecords(root),
    endDeadRecord: (processId) => endDeadRecord(root, processId, clock.now()),
    repairRecords: async () => (await readProcessRecords(root, clock.now())).repaired,
  };
}

async function startProcessRecord(root: string, given: NewProcessRecord, begun: object = {}): Promise<ProcessRecord> {
  await removeLeftoverFiles(join(root, PROCESSES_FOLDER));
  const record = buildRunningRecord(given);
  const file = buildRecordPath(given.process_id);
  await replaceFile(join(root, file), file, formatRecord({ ...addHostField(record), ...begun }));
  return record;
}

/** Writes a record without a lock or a wait for the disk: the process writes it again when its run begins. */
async function announceRecord(root: string, given: NewProcessRecord): Promise<void> {
  const file = buildRecordPath(given.process_id);
  const record = buildRunningRecord(given);
  if (createFileWithoutSync(join(root, file), file, formatRecord(addHostField(record)))) return;
  await runWithProjectLock(root, async () => {
    const read = readJsonFile(join(root, file));
    const own = read.kind === "object" && read.object["started_at"] === given.started_at;
    // Otherwise an earlier process had the same number.
    if (!own) await startProcessRecord(root, given);
  });
}

function buildRunningRecord({ process_id, spec_id, pid, started_at, mode }: NewProcessRecord): ProcessRecord {
  return { process_id, spec_id, pid, status: "running", started_at, completed_at: null, mode };
}

interface RecordChanges {
  /** Fields of the end; empty while the run continues. */
  readonly end: RecordEnd | Record<string, never>;
  readonly report: RunReport | undefined;
}

async function finishProcessRecord(root: string, processId: string, { end, report }: RecordChanges): Promise<boolean> {
  const read = readJsonFile(join(root, buildRecordPath(processId)));
  if (read.kind !== "object") return false;
  const isRunning = read.object["status"] === "running";
  if (!isRunning && report === undefined) return false;
  const file = buildRecordPath(processId);
  // A process that ended the run from outside does not have the agent's report.
  const changes = { ...(report === undefined ? {} : { report }), ...(isRunning ? end : {}) };
  await replaceFile(join(root, file), file, formatRecord({ ...read.object, ...changes }));
  return isRunning;
}

function addHostField(record: ProcessRecord): object {
  return { ...record, host: hostname() };
}

function formatRecord(record: object): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}
