import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

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
