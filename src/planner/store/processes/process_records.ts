import { renameSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { ProcessRecord } from "../../ports.ts";
import type { UnreadableFile } from "../../spec/spec.ts";
import { getTextField, getTimeField, type JsonReadResult, readJsonFile } from "../files/json_file.ts";
import { runInOpenFolder } from "../files/open_folder.ts";
import { readFolderEntries } from "../files/read_folder.ts";
import { tryRemoveFile, writeTemporaryFile } from "../files/temporary_file.ts";
import { PROCESSES_FOLDER } from "../project/places.ts";
import { decideDeadRunEnd, type RecordEnd } from "./dead_record.ts";
import { isProcessAlive } from "./process_life.ts";

type JsonFile = Extract<JsonReadResult, { readonly kind: "object" }>;

/** Records of `.planner/processes/`, oldest first, and unreadable files in that folder. */
export interface RecordSet {
  readonly records: readonly ProcessRecord[];
  readonly broken: readonly UnreadableFile[];
  /** Records that were `running` without a process until this read. */
  readonly repaired: readonly ProcessRecord[];
}

/**
 * Reads every record. Ends each `running` record whose process is gone, as `decideDeadRunEnd` decides, and writes the
 * end into its file if the file can be written. Source: docs/decisions.md#s-26;
 * docs/contract/spec-tool.md#work-process-record.
 */
export async function readProcessRecords(root: string, now: Date): Promise<RecordSet> {
  const records: ProcessRecord[] = [];
  const broken: UnreadableFile[] = [];
  const repaired: ProcessRecord[] = [];
  for (const name of await listRecordNames(root)) {
    const file = `${PROCESSES_FOLDER}/${name}`;
    const read = readJsonFile(join(root, file));
    if (read.kind === "missing") continue;
    const problem = read.kind === "broken" ? read.message : findRecordProblem(read.object);
    if (read.kind === "broken" || problem !== null) {
      broken.push({ file, line: null, column: null, message: problem ?? "" });
      continue;
    }
    const record = parseProcessRecord(read);
    if (hasProcessEnded(record, read.object)) {
      const ended = await endProcessRecord(join(root, file), read, {
        record,
        end: decideDeadRunEnd(root, record, now),
      });
      records.push(ended);
      repaired.push(ended);
    } else records.push(record);
  }
  return { records: records.sort(compareRecordsByStart), broken, repaired };
}

/** Ends one `running` record whose process is gone, and returns it; null for any other record. */
export async function endDeadRecord(root: string, processId: string, now: Date): Promise<ProcessRecord | null> {
  const path = join(root, buildRecordPath(processId));
  const read = readJsonFile(path);
  if (read.kind !== "object" || findRecordProblem(read.object) !== null) return null;
  const record = parseProcessRecord(read);
  if (!hasProcessEnded(record, read.object)) return null;
  return endProcessRecord(path, read, { record, end: decideDeadRunEnd(root, record, now) });
}

/** Returns the path of a record from the project's root, with forward slashes. */
export function buildRecordPath(processId: string): string {
  return `${PROCESSES_FOLDER}/${processId}.json`;
}

/** Returns records that are `running` without a process. Changes no file. */
export async function listDeadRecords(root: string): Promise<readonly ProcessRecord[]> {
  const dead: ProcessRecord[] = [];
  for (const name of await listRecordNames(root)) {
    const read = readJsonFile(join(root, PROCESSES_FOLDER, name));
    if (read.kind !== "object" || findRecordProblem(read.object) !== null) continue;
    const record = parseProcessRecord(read);
    if (hasProcessEnded(record, read.object)) dead.push(record);
  }
  return dead.sort(compareRecordsByStart);
}

async function listRecordNames(root: string): Promise<readonly string[]> {
  const names = (await readFolderEntries(root, PROCESSES_FOLDER)).map(({ name }) => name);
  return names.filter((name) => name.endsWith(".json") && !name.startsWith(".")).sort();
}

const RECORD_STATUSES: readonly unknown[] = ["running", "completed", "failed"];

function findRecordProblem(object: Readonly<Record<string, unknown>>): string | null {
  for (const name of ["process_id", "spec_id", "started_at", "mode"]) {
    if (getTextField(object, name) === null) return `Invalid "${name}": expected a text`;
  }
  if (!Number.isSafeInteger(object["pid"])) return 'Invalid "pid": expected an integer';
  return RECORD_STATUSES.includes(object["status"])
    ? null
    : `Invalid "status": expected one of ${RECORD_STATUSES.join(", ")}`;
}

function parseProcessRecord({ object, modified }: JsonFile): ProcessRecord {
  const text = (name: string): string => getTextField(object, name) ?? "";
  const base = {
    process_id: text("process_id"),
    spec_id: text("spec_id"),
    pid: Number(object["pid"]),
    started_at: text("started_at"),
    mode: text("mode"),
  };
  const status = object["status"] as ProcessRecord["status"];
  if (status === "running") return { ...base, status, completed_at: null };
  // The last write of a record is the end of its process.
  const completed_at = getTextField(object, "completed_at") ?? modified.toISOString();
  const error = getTextField(object, "error");
  return { ...base, status, completed_at, ...(error === null ? {} : { error }) };
}

function hasProcessEnded({ status, pid }: ProcessRecord, object: Readonly<Record<string, unknown>>): boolean {
  if (status !== "running") return false;
  // Only the machine of a process can check whether it runs.
  const host = getTextField(object, "host");
  return (host === null || host === hostname()) && !isProcessAlive(pid, getTimeField(object, "started_at"));
}

async function endProcessRecord(
  path: string,
  read: JsonFile,
  { record, end }: { readonly record: ProcessRecord; readonly end: RecordEnd },
): Promise<ProcessRecord> {
  const ended = { ...record, ...end };
  try {
    return await runInOpenFolder(path, async (inside) => {
      const temporary = await writeTemporaryFile(inside, `${JSON.stringify({ ...read.object, ...end }, null, 2)}\n`);
      try {
        const current = readJsonFile(inside);
        if (current.kind !== "object") return ended;
        // Another reader has already written an end, and all readers return that one.
        if (current.text !== read.text)
          return findRecordProblem(current.object) === null ? parseProcessRecord(current) : ended;
        renameSync(temporary, inside);
        return ended;
      } finally {
        await tryRemoveFile(temporary);
      }
    });
  } catch {
    // The result is valid even if the file cannot be written.
    return ended;
  }
}

function compareRecordsByStart(a: ProcessRecord, b: ProcessRecord): number {
  const [left, right] = [Date.parse(a.started_at), Date.parse(b.started_at)];
  return left - right || (a.process_id < b.process_id ? -1 : 1);
}
