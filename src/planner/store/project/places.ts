import { parseSpecIdParts, type SpecId } from "../../spec/spec_id.ts";

/** Folder of active specs. Paths start at the project's root, with forward slashes. Source: docs/decisions.md#s-01. */
export const SPECS_FOLDER = ".planner/specs";
export const ARCHIVE_FOLDER = ".planner/archive";
export const LOGS_FOLDER = ".planner/logs";
export const PROCESSES_FOLDER = ".planner/processes";
export const LOCKS_FOLDER = ".planner/locks";
export const WORKTREES_FOLDER = ".planner/worktrees";
export const WATCH_PID_FILE = ".planner/watch.pid";

export function buildActivePath(id: SpecId): string {
  return `${SPECS_FOLDER}/${id}.md`;
}

/** Returns an archived spec's path: in the folder of its id's day, or directly in the archive without a day. */
export function buildArchivePath(id: SpecId): string {
  const day = parseSpecIdParts(id)?.day;
  return day === undefined ? `${ARCHIVE_FOLDER}/${id}.md` : `${ARCHIVE_FOLDER}/${day}/${id}.md`;
}
