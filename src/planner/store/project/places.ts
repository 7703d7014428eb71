import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { parseSpecIdParts, type SpecId } from "../../spec/spec_id.ts";

/**
 * Returns the absolute path of the nearest folder, from `cwd` upwards, that has a `.planner` folder; undefined when
 * none has. A git worktree's own `.planner` is nearer than the one of the checkout around it. Source:
 * docs/decisions.md#s-02.
 */
export function findRoot(cwd: string): string | undefined {
  let folder = resolve(cwd);
  for (;;) {
    if (isFolder(join(folder, ".planner"))) return folder;
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
}

/** Returns whether `root` has a project: a folder `.planner/specs`. Source: docs/contract/spec-tool.md#tool-errors. */
export function isInitialisedProject(root: string): boolean {
  return isFolder(join(root, ".planner", "specs"));
}

function isFolder(path: string): boolean {
  // existsSync never throws, so a folder that may not be entered counts as absent instead of ending the search.
  return existsSync(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Returns whether `path` is inside `folder`, by name only; both are absolute. */
export function isInsideFolder(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Returns whether the name is a symbolic link; false if that cannot be determined. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // Reading the file then fails too and reports the reason.
    return false;
  }
}

/**
 * Returns whether `path` is a link to a target outside the project at `root`. A `.planner` that is itself a link is
 * part of the project. Cost: one system call for a file that is not a link. Source:
 * docs/contract/spec-tool.md#authentication.
 */
export function isLinkOutside(root: string, path: string): boolean {
  if (!isLink(path)) return false;
  try {
    const target = realpathSync(path);
    return ![root, join(root, ".planner")].some((folder) => isInsideFolder(realpathSync(folder), target));
  } catch {
    // The target does not exist; reading the file reports that.
    return false;
  }
}

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
interface WorktreePath {
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
