import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { parseSpecIdParts, type SpecId } from "../../spec/spec_id.ts";

/** Folder of active specs. Paths start at the project's root, with forward slashes. Source: docs/decisions.md#s-01. */
export const SPECS_FOLDER = ".planner/specs";
export const ARCHIVE_FOLDER = ".planner/archive";
export const LOGS_FOLDER = ".planner/logs";
export const PROCESSES_FOLDER = ".planner/processes";
export const LOCKS_FOLDER = ".planner/locks";
/** Folder of records about worktrees; earlier versions also created the worktrees in it. */
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

/** Returns the folder in which programs of this user store their state; planner's part is the folder `planner` in it. */
export function findStateFolder(env: NodeJS.ProcessEnv): string {
  if (process.platform === "win32") return env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local");
  const given = env["XDG_STATE_HOME"];
  // The XDG specification ignores a path that is not absolute.
  return given?.startsWith("/") ? given : join(env["HOME"] ?? homedir(), ".local", "state");
}

/** A path within a worktree, see `splitWorktreePath`. */
export interface WorktreePath {
  /** Folder of the project's worktrees. */
  readonly folder: string;
  /** The worktree's spec. */
  readonly id: string;
  /** The project around the folder, for a worktree of an earlier version; else null. */
  readonly project: string | null;
}

const WORKTREE_PATH_PATTERN =
  /^(.+[\\/](?:[^\\/]+-[0-9a-f]{8}\.worktrees|(\.planner[\\/]worktrees)))[\\/]([^\\/]+)(?:[\\/].*)?$/;

/** Parses an absolute path by its names alone; null for a path outside of worktrees. */
export function splitWorktreePath(path: string): WorktreePath | null {
  const [, folder, inner, id] = WORKTREE_PATH_PATTERN.exec(path) ?? [];
  if (folder === undefined || id === undefined) return null;
  return { folder, id, project: inner === undefined ? null : dirname(dirname(folder)) };
}
