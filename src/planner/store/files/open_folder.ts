import { closeSync, constants, existsSync, mkdirSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { rm, unlink } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { folderContains, isLink, leadsOutside } from "../project/project_bounds.ts";
import { errorCode, isMissing } from "./disk_error.ts";

/**
 * A folder to write in. On Linux `path` names the open folder itself, so that what is made below it is made there even
 * if a link takes the folder's place meanwhile. Elsewhere it is the real path that was checked.
 */
export interface OpenFolder {
  readonly path: string;
  close(): void;
}

/** Whether `/proc/self/fd/<n>` stands for an open folder. */
const HAS_OPEN_PATHS = process.platform === "linux" && exists("/proc/self/fd");

const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** Runs `use` with a path of the same file in its open folder, see `openFolderOf`. */
export async function inFolderOf<Result>(path: string, use: (path: string) => Promise<Result>): Promise<Result> {
  const folder = openFolderOf(path);
  try {
    return await use(join(folder.path, basename(path)));
  } finally {
    folder.close();
  }
}

/** Removes a file in its open folder; one that is gone counts as removed. */
export async function removeInside(path: string): Promise<void> {
  if (!existsSync(dirname(path))) return;
  try {
    await inFolderOf(path, unlink);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Removes a folder with all that is in it, in the open folder around it; a link of its name goes without what it names. */
export async function removeFolderInside(path: string): Promise<void> {
  if (existsSync(dirname(path))) await inFolderOf(path, (inside) => rm(inside, { recursive: true, force: true }));
}

/**
 * Makes and opens the folder of a file that is to be written. Links below the file's project are followed only inside of
 * the project: another person may have made the checkout.
 *
 * @throws OperationError `failed_precondition` that names the link that leads out of the project
 */
export function openFolderOf(path: string): OpenFolder {
  const folder = dirname(path);
  const root = projectOf(path);
  if (root !== null) return openInside(root, relative(root, folder).split(sep).filter(Boolean));
  mkdirSync(folder, { recursive: true });
  return { path: folder, close: () => {} };
}

/** @throws OperationError `failed_precondition` for a file of a project that is a link out of the project */
export function refuseLinkOut(path: string): void {
  const root = projectOf(path);
  if (root !== null && leadsOutside(root, path)) throw leadsOut(shownPath(root, [relative(root, path)]));
}

/** The folder around the innermost `.planner` of a path; null for a file of no project. */
function projectOf(path: string): string | null {
  const at = path.lastIndexOf(`${sep}.planner${sep}`);
  return at < 0 ? null : path.slice(0, at) || sep;
}

/** The path as refusals name it: from the project, for a file of a worktree too. */
function shownPath(root: string, names: readonly string[]): string {
  const at = root.indexOf(`${sep}.planner${sep}`);
  return [...(at < 0 ? [] : root.slice(at + 1).split(sep)), ...names].join("/");
}

function openInside(root: string, names: readonly string[]): OpenFolder {
  const realRoot = realpathSync(root);
  if (!HAS_OPEN_PATHS) return openByName(root, realRoot, names);
  let open = openSync(realRoot, FOLDER);
  for (const [index, name] of names.entries()) {
    try {
      const next = openChild(open, name, { realRoot, shown: shownPath(root, names.slice(0, index + 1)) });
      closeSync(open);
      open = next;
    } catch (error) {
      closeSync(open);
      throw error;
    }
  }
  return { path: openPath(open), close: () => closeSync(open) };
}

interface Bounds {
  readonly realRoot: string;
  /** The folder as refusals name it. */
  readonly shown: string;
}

function openChild(parent: number, name: string, { realRoot, shown }: Bounds): number {
  const path = join(openPath(parent), name);
  try {
    return openSync(path, FOLDER | NO_LINK);
  } catch (error) {
    if (errorCode(error) === "ENOENT") {
      makeFolder(path);
      return openSync(path, FOLDER | NO_LINK);
    }
    if (!isLink(path)) throw error;
  }
  refuseDangling(path, shown);
  const followed = openSync(path, FOLDER);
  if (folderContains(realRoot, readlinkSync(openPath(followed)))) return followed;
  closeSync(followed);
  throw leadsOut(shown);
}

/** Without open folders the check and the writing are two steps, between which a link could still be put. */
function openByName(root: string, realRoot: string, names: readonly string[]): OpenFolder {
  let path = realRoot;
  for (const [index, name] of names.entries()) {
    const shown = shownPath(root, names.slice(0, index + 1));
    path = join(path, name);
    if (isLink(path)) {
      refuseDangling(path, shown);
      path = realpathSync(path);
      if (!folderContains(realRoot, path)) throw leadsOut(shown);
    } else makeFolder(path);
  }
  return { path, close: () => {} };
}

/** Deno throws for what it was not allowed to see: it gives `/proc/self/fd` only with all permissions. */
function exists(path: string): boolean {
  try {
    return existsSync(path);
  } catch {
    return false;
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function openPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

function refuseDangling(path: string, shown: string): void {
  if (existsSync(path)) return;
  throw refusal(shown, "to nothing");
}

function leadsOut(shown: string): OperationError {
  return refusal(shown, "out of the project");
}

function refusal(shown: string, where: string): OperationError {
  return new OperationError(
    "failed_precondition",
    `Cannot write "${shown}": it is a symbolic link that leads ${where}: remove the link`,
  );
}
