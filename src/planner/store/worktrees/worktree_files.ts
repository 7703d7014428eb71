import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, readdirSync, realpathSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { describeSystemError } from "../files/disk_error.ts";
import { readFolderEntries } from "../files/open_folder.ts";
import { replaceFile } from "../files/place_file.ts";
import { getTextField, readJsonFile } from "../files/read_text.ts";
import { findStateFolder, isInsideFolder, splitWorktreePath, WORKTREES_FOLDER } from "../project/places.ts";
import { findGitFolder, isLinkedBack, isOthersWorktree } from "./admin_folder.ts";

/** Paths of the files about one worktree, from the project's root. */
export const worktreeFiles = {
  status: (id: string) => `${WORKTREES_FOLDER}/${id}.status.json`,
  origin: (id: string) => `${WORKTREES_FOLDER}/${id}.origin.json`,
  /** The spec's text as it was brought into the worktree: the common origin when both versions are merged. */
  base: (id: string) => `${WORKTREES_FOLDER}/${id}.base.md`,
  /** Files that git ignores in the worktree, in the format of a .gitignore. */
  exclude: (id: string) => `${WORKTREES_FOLDER}/${id}.exclude`,
  /** Snapshot of the repository when the run began, see snapshot.ts. */
  snapshot: (id: string) => `${WORKTREES_FOLDER}/${id}.git.json`,
} as const;

/** Name of the file beside a project's worktrees that names the project's root. */
const PROJECT_MARK = "project.json";

/**
 * Returns the absolute path of the folder for new worktrees of the project in `root`. It is outside of the repository
 * unless `directory` is inside, because programs look for packages and settings in all folders above their own.
 *
 * @param directory the setting `worktree.directory`, from the project's root; null for the user's state folder
 */
export function buildWorktreesFolder(root: string, directory: string | null): string {
  const real = existsSync(root) ? realpathSync(root) : resolve(root);
  // Short, because Windows limits whole paths to 260 characters by default.
  const name = basename(real)
    .replace(/[^\w.-]+/g, "-")
    .slice(0, 30);
  const parent =
    directory === null
      ? join(findStateFolder(process.env), "planner")
      : resolve(
          real,
          directory.replace(/^~(?=[\\/]|$)/, () => process.env["HOME"] ?? homedir()),
        );
  for (let number = 0; ; number++) {
    const text = number === 0 ? real : `${real}\0${number}`;
    const folder = join(parent, `${name}-${createHash("sha256").update(text).digest("hex").slice(0, 8)}.worktrees`);
    if (!holdsForeignWorktrees(root, folder)) return folder;
  }
}

/** Returns whether a folder holds worktrees of a repository that was at this path before. */
function holdsForeignWorktrees(root: string, folder: string): boolean {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.some((name) => {
    const path = join(folder, name);
    const gitFolder = findGitFolder(path);
    const isForeign = gitFolder !== null && (!isLinkedBack(gitFolder, path) || isOthersWorktree(root, path));
    return isForeign && readWorktreePath(root, name) === null;
  });
}

/**
 * Returns the recorded path of a spec's worktree. Without a record, returns its path in the default folder if that
 * exists, else its path of earlier versions; neither folder may exist.
 */
export function locateWorktree(root: string, id: string): string {
  const recorded = readWorktreePath(root, id);
  if (recorded !== null) return recorded;
  const outer = join(buildWorktreesFolder(root, null), id);
  return existsSync(outer) ? outer : join(root, WORKTREES_FOLDER, id);
}

/**
 * Returns the recorded path of a spec's worktree, or where it is after it was moved together with the project or the
 * user's state folder. Null for a worktree of an earlier version, without a record, and for the record of a repository of
 * which this one is a copy.
 */
export function readWorktreePath(root: string, id: string): string | null {
  const read = readJsonFile(join(root, worktreeFiles.origin(id)));
  const recorded = read.kind === "object" ? getTextField(read.object, "path") : null;
  if (read.kind !== "object" || recorded === null) return null;
  const from = getTextField(read.object, "root") ?? "";
  const real = existsSync(root) ? realpathSync(root) : root;
  const beside = from === "" || from === real ? recorded : resolve(real, relative(from, recorded));
  const state = join(findStateFolder(process.env), "planner", basename(dirname(recorded)), id);
  const path = [beside, recorded, state].find(existsSync) ?? recorded;
  return isOthersWorktree(root, path) ? null : path;
}

/**
 * Returns the existing worktree's path, or the path at which it will be created.
 *
 * @param directory the setting `worktree.directory`
 */
export function planWorktreePath(root: string, id: string, directory: string | null): string {
  const located = locateWorktree(root, id);
  return existsSync(located)
    ? located
    : (readWorktreePath(root, id) ?? join(buildWorktreesFolder(root, directory), id));
}

/**
 * Creates the folder of a worktree with the file that names the project, and hides it from git if the project contains
 * it.
 *
 * @param path as `planWorktreePath` returns it
 * @returns the real path of the worktree
 */
export async function makeWorktreesFolder(root: string, top: string, path: string): Promise<string> {
  const folder = dirname(path);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw createFolderError(folder, error);
  }
  if (splitWorktreePath(path)?.project === null) {
    const text = `${JSON.stringify({ root: existsSync(root) ? realpathSync(root) : root })}\n`;
    const [mark, ignore] = [join(folder, PROJECT_MARK), join(folder, ".gitignore")];
    const read = readJsonFile(mark);
    if (read.kind !== "object" || read.text !== text) await replaceFile(mark, mark, text);
    if (isInsideFolder(top, realpathSync(folder)) && !existsSync(ignore)) await replaceFile(ignore, ignore, "*\n");
  }
  return join(realpathSync(folder), basename(path));
}

/** Returns the sorted ids of every stored origin and status, and of every folder in the folders of worktrees. */
export async function listWorktreeIds(root: string): Promise<readonly SpecId[]> {
  const outer = buildWorktreesFolder(root, null);
  // Only needed after the records were deleted, so a folder that cannot be read counts as empty.
  const listed = await readFolderEntries(dirname(outer), basename(outer)).catch(() => []);
  const ids = [...(await readFolderEntries(root, WORKTREES_FOLDER)), ...listed]
    .filter(({ name }) => !/^\.|\.worktrees$/.test(name))
    .map((entry) => (entry.isDirectory() ? entry.name : /^(.+)\.(?:origin|status)\.json$/.exec(entry.name)?.[1]))
    .filter((id) => id !== undefined);
  return [...new Set(ids as SpecId[])].sort();
}

/** @throws OperationError `failed_precondition` if the folder cannot be created or written */
export function requireWritableFolder(folder: string): void {
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK);
  } catch (error) {
    throw createFolderError(folder, error);
  }
}

function createFolderError(folder: string, error: unknown): OperationError {
  return new OperationError(
    "failed_precondition",
    `Cannot create worktrees in "${folder}": ${describeSystemError(error)}: set "worktree.directory" in .planner/config.md to a folder that can be written, outside of the repository`,
    { cause: error },
  );
}

/** Returns the project of the worktree around a path, and its spec; null for any other path. */
export function findProjectOfPath(path: string): { readonly project: string; readonly id: string } | null {
  const around = splitWorktreePath(path);
  if (around === null) return null;
  if (around.project !== null) return { project: around.project, id: around.id };
  const read = readJsonFile(join(around.folder, PROJECT_MARK));
  const project = read.kind === "object" ? getTextField(read.object, "root") : null;
  return project === null ? null : { project, id: around.id };
}
