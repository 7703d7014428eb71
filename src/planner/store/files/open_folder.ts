import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { readdir, rm, unlink } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { createPreconditionError, type OperationError } from "#kernel/errors.ts";
import { isInsideFolder, isLink, isLinkOutside, splitWorktreePath } from "../project/places.ts";
import { convertToDiskError, getErrorCode, isMissingError } from "./disk_error.ts";

/**
 * A folder that is open for writing. On Linux `path` refers to the open folder itself, so that files are created in it
 * even if a link replaces the folder meanwhile. On other systems it is the real path that was checked.
 */
export interface OpenFolder {
  readonly path: string;
  close(): void;
}

/** Whether `/proc/self/fd/<n>` refers to an open folder. */
const HAS_DESCRIPTOR_PATHS = process.platform === "linux" && canSeePath("/proc/self/fd");

const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);
const NO_LINK_FLAG = constants.O_NOFOLLOW ?? 0;

/** Calls `use` with a path to the same file through its open folder, see `openParentFolder`. */
export async function runInOpenFolder<Result>(path: string, use: (path: string) => Promise<Result>): Promise<Result> {
  const folder = openParentFolder(path);
  try {
    return await use(join(folder.path, basename(path)));
  } finally {
    folder.close();
  }
}

/** Removes a file through its open folder. A missing file counts as removed. */
export async function removeFileInOpenFolder(path: string): Promise<void> {
  if (!existsSync(dirname(path))) return;
  try {
    await runInOpenFolder(path, unlink);
  } catch (error) {
    if (!isMissingError(error)) throw error;
  }
}

/** Removes a folder and its contents through the open folder around it; removes a link without its target. */
export async function removeFolderThroughOpenParent(path: string): Promise<void> {
  if (existsSync(dirname(path))) await runInOpenFolder(path, (inside) => rm(inside, { recursive: true, force: true }));
}

/**
 * Creates and opens the folder of a file that will be written. Follows links below the file's project only within the
 * project, because another person may have created the checkout.
 *
 * @throws OperationError `failed_precondition` that names the link that leads out of the project
 */
export function openParentFolder(path: string): OpenFolder {
  const folder = dirname(path);
  const root = findProjectRoot(path);
  if (root !== null) return openFolderInProject(root, relative(root, folder).split(sep).filter(Boolean));
  mkdirSync(folder, { recursive: true });
  return { path: folder, close: () => {} };
}

/** @throws OperationError `failed_precondition` if a file of a project is a link out of the project. */
export function assertNoOutsideLink(path: string): void {
  const root = findProjectRoot(path);
  if (root !== null && isLinkOutside(root, path))
    throw buildOutsideLinkError(formatMessagePath(root, [relative(root, path)]));
}

/**
 * Returns the folder around the innermost `.planner` of a path, or that around the worktrees of a project; null for a
 * file outside of any project.
 */
function findProjectRoot(path: string): string | null {
  const at = path.lastIndexOf(`${sep}.planner${sep}`);
  const root = at < 0 ? null : path.slice(0, at) || sep;
  const around = splitWorktreePath(path);
  return around !== null && around.folder.length > (root?.length ?? 0) && around.project === null
    ? around.folder
    : root;
}

/** Returns the path as error messages print it: from the project's root, also for a file of an inner worktree. */
function formatMessagePath(root: string, names: readonly string[]): string {
  if (splitWorktreePath(join(root, ...names))?.project === null) return join(root, ...names);
  const at = root.indexOf(`${sep}.planner${sep}`);
  return [...(at < 0 ? [] : root.slice(at + 1).split(sep)), ...names].join("/");
}

function openFolderInProject(root: string, names: readonly string[]): OpenFolder {
  const realRoot = realpathSync(root);
  if (!HAS_DESCRIPTOR_PATHS) return openFolderByName(root, realRoot, names);
  let open = openSync(realRoot, FOLDER_FLAGS);
  for (const [index, name] of names.entries()) {
    try {
      const next = openChildFolder(open, name, { realRoot, shown: formatMessagePath(root, names.slice(0, index + 1)) });
      closeSync(open);
      open = next;
    } catch (error) {
      closeSync(open);
      throw error;
    }
  }
  return { path: getDescriptorPath(open), close: () => closeSync(open) };
}

interface ChildFolderOptions {
  readonly realRoot: string;
  /** The folder's path as error messages print it. */
  readonly shown: string;
}

function openChildFolder(parent: number, name: string, { realRoot, shown }: ChildFolderOptions): number {
  const path = join(getDescriptorPath(parent), name);
  try {
    return openSync(path, FOLDER_FLAGS | NO_LINK_FLAG);
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") {
      makeFolder(path);
      return openSync(path, FOLDER_FLAGS | NO_LINK_FLAG);
    }
    if (!isLink(path)) throw error;
  }
  assertNoDanglingLink(path, shown);
  const followed = openSync(path, FOLDER_FLAGS);
  if (isInsideFolder(realRoot, readlinkSync(getDescriptorPath(followed)))) return followed;
  closeSync(followed);
  throw buildOutsideLinkError(shown);
}

/** Opens a folder on systems without paths to open folders. A link may replace it between check and write. */
function openFolderByName(root: string, realRoot: string, names: readonly string[]): OpenFolder {
  let path = realRoot;
  for (const [index, name] of names.entries()) {
    const shown = formatMessagePath(root, names.slice(0, index + 1));
    path = join(path, name);
    if (isLink(path)) {
      assertNoDanglingLink(path, shown);
      path = realpathSync(path);
      if (!isInsideFolder(realRoot, path)) throw buildOutsideLinkError(shown);
    } else makeFolder(path);
  }
  return { path, close: () => {} };
}

/** Returns whether a path exists. Deno throws for `/proc/self/fd` unless it runs with all permissions. */
function canSeePath(path: string): boolean {
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
    if (getErrorCode(error) !== "EEXIST") throw error;
  }
}

function getDescriptorPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

function assertNoDanglingLink(path: string, shown: string): void {
  if (existsSync(path)) return;
  throw buildLinkError(shown, "to nothing");
}

function buildOutsideLinkError(shown: string): OperationError {
  return buildLinkError(shown, "out of the project");
}

function buildLinkError(shown: string, where: string): OperationError {
  return createPreconditionError(`Cannot write "${shown}": it is a symbolic link that leads ${where}: remove the link`);
}

/** Returns the entries of a project's folder, in no order; empty if it does not exist. @throws OperationError */
export async function readFolderEntries(root: string, folder: string, recursive = false): Promise<readonly Dirent[]> {
  try {
    return await readdir(join(root, folder), { withFileTypes: true, recursive });
  } catch (error) {
    if (isMissingError(error)) return [];
    throw convertToDiskError(`read "${folder}"`, error);
  }
}
