import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

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
