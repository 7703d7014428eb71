import { parseSpecIdParts, type SpecId } from "../../spec/spec_id.ts";

/** Paths from the project's root, with forward slashes. Source: docs/decisions.md#s-01. */
export const SPECS = ".planner/specs";
export const ARCHIVE = ".planner/archive";
export const LOGS = ".planner/logs";
export const PROCESSES = ".planner/processes";
export const LOCKS = ".planner/locks";
export const WORKTREES = ".planner/worktrees";
export const WATCH_PID = ".planner/watch.pid";

export function activeFile(id: SpecId): string {
  return `${SPECS}/${id}.md`;
}

/**
 * Returns the path of an archived spec: in the folder of the day in its id, or directly in the archive if the id has no
 * day.
 */
export function archiveFile(id: SpecId): string {
  const day = parseSpecIdParts(id)?.day;
  return day === undefined ? `${ARCHIVE}/${id}.md` : `${ARCHIVE}/${day}/${id}.md`;
}
