import { renameSync } from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import { createRandomId } from "#kernel/random.ts";
import type {
  NewProcessRecord,
  ProcessRecord,
  ProcessResult,
  RunReport,
} from "#planner/work/records/process_record.ts";
import { buildSpec, parseDocument } from "../../spec/document.ts";
import type { Spec, UnreadableFile } from "../../spec/spec.ts";
import { parseSpecId, type SpecId } from "../../spec/spec_id.ts";
import { convertToDiskError } from "../files/disk_error.ts";
import { readFolderEntries, removeFileInOpenFolder, runInOpenFolder } from "../files/open_folder.ts";
import {
  createFile,
  removeLeftoverFiles,
  replaceFile,
  tryRemoveFile,
  writeTemporaryFile,
} from "../files/place_file.ts";
import { getTextField, getTimeField, type JsonReadResult, readJsonFile, readProjectText } from "../files/read_text.ts";
import { parseLockHolder } from "../locks/local_claims.ts";
import { runWithProjectLock } from "../locks/project_lock.ts";
import { buildActivePath, buildArchivePath, PROCESSES_FOLDER, WATCH_PID_FILE } from "../project/places.ts";
import { findPendingSplit } from "../specs/edit_spec.ts";
import {
  canHaveWrittenFile,
  isProcessAlive,
  isProcessRunning,
  readCommandLine,
  readProcessMark,
} from "./run_processes.ts";

type JsonFile = Extract<JsonReadResult, { readonly kind: "object" }>;

/** Records of `.planner/processes/`, oldest first, and unreadable files in that folder. */
interface RecordSet {
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

/** Fields that make a record terminal. */
export interface RecordEnd {
  readonly status: "completed" | "failed";
  /** End of the process, in ISO 8601 UTC. */
  readonly completed_at: string;
}

/**
 * Returns the end of a run whose process died without recording it. The spec decides: a run writes its spec first and
 * its record last, so a run killed in between has completed. Any other run failed, at the time of discovery. Source:
 * docs/decisions.md#s-26.
 */
function decideDeadRunEnd(root: string, { spec_id, started_at, mode }: ProcessRecord, now: Date): RecordEnd {
  const failed = { status: "failed", completed_at: now.toISOString() } as const;
  const id = parseSpecId(spec_id);
  const spec = id === undefined ? null : readSpec(root, id);
  if (spec === null) return failed;
  if (mode === "split") {
    // A split keeps the spec's status, and its last step makes the spec a driver. Other processes can finish a split.
    const split = spec.members.length > 0 || findPendingSplit(root) === id;
    return split ? { ...failed, status: "completed" } : failed;
  }
  const at = spec.status === "completed" ? spec.frontmatter["completed_at"] : undefined;
  const since = typeof at === "string" ? new Date(at).getTime() : Number.NaN;
  // A spec completed before this run began is the result of another run. Without a time, this run did not complete
  // it.
  if (Number.isNaN(since) || since < Date.parse(started_at)) return failed;
  return { status: "completed", completed_at: new Date(since).toISOString() };
}

function readSpec(root: string, id: SpecId): Spec | null {
  for (const [file, archived] of [[buildActivePath(id), false] as const, [buildArchivePath(id), true] as const]) {
    const read = readProjectText(root, file);
    if (read.kind !== "text") continue;
    const document = parseDocument(read.text);
    return document.ok ? buildSpec({ id, file, archived }, document) : null;
  }
  return null;
}

export type ProcessRecords = ReturnType<typeof openProcessRecords>;

/**
 * Opens `.planner/processes/` for writing. Files contain the documented fields and `host`, because only its own machine
 * can check whether a process has ended. Source: docs/contract/spec-tool.md#work-process-record;
 * docs/decisions.md#s-26.
 */
export function openProcessRecords(root: string, clock: Clock) {
  return {
    startRecord: (record: NewProcessRecord, begun?: { readonly report: RunReport; readonly base: string | null }) =>
      runWithProjectLock(root, () => startProcessRecord(root, record, begun)),
    /** Writes a `running` record, unless the process itself has already written a record, running or ended. */
    announceRecord: (record: NewProcessRecord) => announceRecord(root, record),
    /** Makes a record terminal and adds the report. Returns false if the record was terminal before or does not exist. */
    finishRecord: (processId: string, end: ProcessResult, at: Date, report?: RunReport) =>
      runWithProjectLock(root, () =>
        finishProcessRecord(root, processId, { end: { ...end, completed_at: at.toISOString() }, report }),
      ),
    /** Replaces the stored report, which survives if the process is killed. Does nothing if the record does not exist. */
    storeReport: async (processId: string, report: RunReport) => {
      await runWithProjectLock(root, () => finishProcessRecord(root, processId, { end: {}, report }));
    },
    /** Returns false once a record is terminal or deleted. Cost: reads one file. */
    isRunning: async (processId: string) => {
      const read = readJsonFile(join(root, buildRecordPath(processId)));
      return read.kind === "object" && read.object["status"] === "running";
    },
    /** Returns every `running` record whose process has ended, as stored. */
    listDeadRecords: () => listDeadRecords(root),
    /** Ends a `running` record whose process has ended, as `decideDeadRunEnd` decides; null for any other record. */
    endDeadRecord: (processId: string) => endDeadRecord(root, processId, clock.now()),
    /** Ends every `running` record whose process has ended, and returns those records. */
    repairRecords: async () => (await readProcessRecords(root, clock.now())).repaired,
  };
}

async function startProcessRecord(root: string, given: NewProcessRecord, begun: object = {}): Promise<ProcessRecord> {
  await removeLeftoverFiles(join(root, PROCESSES_FOLDER));
  const record = createRunningRecord(given);
  const file = buildRecordPath(record.process_id);
  await replaceFile(join(root, file), file, formatRecord({ ...record, host: hostname(), ...begun }));
  return record;
}

function createRunningRecord({ process_id, spec_id, pid, started_at, mode }: NewProcessRecord): ProcessRecord {
  return { process_id, spec_id, pid, status: "running", started_at, completed_at: null, mode };
}

async function announceRecord(root: string, given: NewProcessRecord): Promise<void> {
  const file = buildRecordPath(given.process_id);
  const text = formatRecord({ ...createRunningRecord(given), host: hostname() });
  // Without the lock, which another process may hold for long: the agent's process has been started already.
  if (await createFile(join(root, file), file, text)) return;
  await runWithProjectLock(root, async () => {
    const read = readJsonFile(join(root, file));
    const own = read.kind === "object" && read.object["started_at"] === given.started_at;
    // Otherwise an earlier process had the same number.
    if (!own) await startProcessRecord(root, given);
  });
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

function formatRecord(record: object): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

export interface WatchFileHold {
  /** Returns whether the file still names this process; a person may have deleted it. */
  isHeld(): Promise<boolean>;
  /** Removes the file, unless it names another process. */
  release(): Promise<void>;
}

/**
 * Opens `.planner/watch.pid`: the pid as a number in the first line, then JSON `{pid, host, started_at, began, token}`.
 * Earlier versions wrote the JSON alone. Every change holds the
 * project's lock, so of several processes that start at once only one gets the file. Source: docs/decisions.md#s-27;
 * docs/contract/spec-tool.md#rule-7, docs/contract/spec-tool.md#rule-8.
 */
export function openWatchFile(root: string) {
  return {
    /** Acquires the file for this process, replacing a dead process's file; null if another running process holds it. */
    acquire: () => runWithProjectLock(root, () => acquireWatchFile(root)),
    /** Returns the process that the file names; null without a file. */
    readHolder: async () => readWatchHolder(root),
    /** Removes the file of a dead holder. Returns false if there is no file or its holder is running. */
    clearStale: () =>
      runWithProjectLock(root, async () => {
        const holder = readWatchHolder(root);
        if (holder === null || holder.alive) return false;
        await removeWatchFile(root);
        return true;
      }),
  };
}

async function acquireWatchFile(root: string): Promise<WatchFileHold | null> {
  const holder = readWatchHolder(root);
  if (holder?.alive === true) return null;
  if (holder !== null) await removeWatchFile(root);
  const token = createRandomId();
  const { pid, began } = readProcessMark(process.pid);
  const mark = { pid, host: hostname(), started_at: new Date(performance.timeOrigin).toISOString(), began, token };
  const text = `${pid}\n${JSON.stringify(mark, null, 2)}\n`;
  if (!(await createFile(join(root, WATCH_PID_FILE), WATCH_PID_FILE, text))) return null;
  const isHeld = (): boolean => {
    const read = readWatchFile(root);
    return read.kind === "object" && read.object["token"] === token;
  };
  return {
    isHeld: async () => isHeld(),
    release: () =>
      runWithProjectLock(root, async () => {
        if (isHeld()) await removeWatchFile(root);
      }),
  };
}

/** Returns the watching process, alive or ended; pid 0 if the file names no process, null without a file. */
export function readWatchHolder(
  root: string,
): { readonly pid: number; readonly here: boolean; readonly alive: boolean } | null {
  const read = readWatchFile(root);
  if (read.kind === "missing") return null;
  const named = parseLockHolder(read);
  if (named === null) return { pid: 0, here: true, alive: false };
  const { pid, host, since } = named;
  // A process of another machine cannot be checked, so it counts as alive until it is ended there.
  if (host !== null && host !== hostname()) return { pid, here: false, alive: true };
  const began = read.kind === "object" ? getTextField(read.object, "began") : null;
  // A bare number does not identify a process: another one may have the number of a killed watch.
  const runs = read.kind === "object" || isWatchProcess(pid);
  const alive = runs && (began === null ? isProcessAlive(pid, since) : isProcessRunning({ pid, began }));
  return { pid, here: true, alive: alive && canHaveWrittenFile(pid, join(root, WATCH_PID_FILE)) };
}

/** Returns whether the process was started as `planner watch`, by any path. */
function isWatchProcess(pid: number): boolean {
  const words = readCommandLine(pid);
  const at = words.indexOf("watch");
  return words.slice(0, Math.max(at, 0)).some((word) => /^planner/i.test(basename(word)));
}

function readWatchFile(root: string): JsonReadResult {
  // Other programs read the number in the first line.
  return readJsonFile(join(root, WATCH_PID_FILE), { omits: /^\d+\r?\n(?=\{)/ });
}

async function removeWatchFile(root: string): Promise<void> {
  try {
    await removeFileInOpenFolder(join(root, WATCH_PID_FILE));
  } catch (error) {
    throw convertToDiskError(`remove "${WATCH_PID_FILE}"`, error);
  }
}
