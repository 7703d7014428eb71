import { lstatSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";

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
