import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import type { WorktreeStatus } from "#planner/work/records/process_record.ts";
import { parseFailedCommands, parseRecordTexts } from "../../work/records/read_record.ts";
import { getTextField, readFileMark, readJsonFile } from "../files/read_text.ts";
import { readLockHolder } from "../locks/local_claims.ts";
import { PROCESSES_FOLDER, WORKTREES_FOLDER } from "../project/places.ts";
import { listWorktreeIds, locateWorktree } from "../worktrees/worktree_files.ts";
import { readProcessRecords, readWatchHolder } from "./process_records.ts";

export type WorkStore = ReturnType<typeof openWorkStore>;

/** Opens records and worktree states of running work below `root`, an absolute path. */
export function openWorkStore(root: string, clock: Clock) {
  return {
    /** Returns every record, oldest first; a record whose process has ended is read as failed. */
    readProcesses: async () => (await readProcessRecords(root, clock.now())).records,
    /** Returns files in the folder of records that cannot be read as a record. */
    listBrokenRecords: async () => (await readProcessRecords(root, clock.now())).broken,
    readLockHolder: async (id: SpecId) => readLockHolder(root, id, clock.now()),
    /**
     * Reads the status that its process wrote into `.planner/worktrees/<id>.status.json` for each worktree that exists.
     * Paths are absolute, because the caller's working directory may differ. Source:
     * docs/contract/spec-tool.md#worktree-status.
     */
    async worktrees(): Promise<readonly WorktreeStatus[]> {
      const ids = await listWorktreeIds(root);
      return ids.filter((id) => existsSync(locateWorktree(root, id))).map((id) => readWorktreeStatus(root, id));
    },
    // Records and states of worktrees are replaced by renaming, which changes their folder.
    /** Returns a value that changes when a record or a worktree's state is written. Cheap, because it reads no file. */
    readMark: async () =>
      JSON.stringify([PROCESSES_FOLDER, WORKTREES_FOLDER].map((folder) => readFileMark(join(root, folder)))),
    /** The pid of the watch process that runs on this machine, or null. */
    async readWatchPid(): Promise<number | null> {
      const holder = readWatchHolder(root);
      return holder?.here && holder.alive ? holder.pid : null;
    },
  };
}

const WORKTREE_STATUSES: readonly unknown[] = ["working", "done", "failed"];

function readWorktreeStatus(root: string, id: string): WorktreeStatus {
  const base = { spec_id: id, path: locateWorktree(root, id) };
  const file = `${WORKTREES_FOLDER}/${id}.status.json`;
  const read = readJsonFile(join(root, file));
  if (read.kind !== "object") {
    const error = read.kind === "broken" ? `Cannot read "${file}": ${read.message}` : null;
    return { ...base, status: "unknown", updated_at: null, error, commits: [] };
  }
  const { object } = read;
  const failed = parseFailedCommands(object["failed_checks"]);
  return {
    ...base,
    status: WORKTREE_STATUSES.includes(object["status"]) ? (object["status"] as WorktreeStatus["status"]) : "unknown",
    updated_at: getTextField(object, "updated_at"),
    error: getTextField(object, "error"),
    commits: parseRecordTexts(object["commits"]),
    ...(failed.length === 0 ? {} : { failed_checks: failed }),
  };
}
