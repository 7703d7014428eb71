import { existsSync, linkSync, renameSync } from "node:fs";
import { type FileHandle, open, readdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { createRandomHex } from "#kernel/random.ts";
import { isProcessAlive } from "../processes/run_processes.ts";
import { convertToDiskError, getErrorCode } from "./disk_error.ts";
import { type OpenFolder, openParentFolder, removeFileInOpenFolder, runInOpenFolder } from "./open_folder.ts";

const TEMPORARY_NAME_PATTERN = /^\.planner-([0-9a-z]+)-[0-9a-f]+\.tmp$/;

/** Names of temporary files in the format of a .gitignore. */
export const TEMPORARY_PATTERN = ".planner-*.tmp";

/** Permission bits of a new file and, if this process may set it, its owner. */
export interface FileOwnership {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Writes `text` to a new file beside `target` and waits for the disk. Its name begins with a dot, so it is no spec.
 *
 * @param like permissions and owner of the new file; by default those of any new file
 * @returns the new file's path
 * @throws an error of the system; no file is left then
 */
export async function writeTemporaryFile(
  target: string,
  text: string | Uint8Array,
  like?: FileOwnership,
): Promise<string> {
  const path = buildTemporaryPath(target);
  const handle = await open(path, "wx", like?.mode);
  try {
    if (like !== undefined) await applyOwnership(handle, like);
    await handle.writeFile(text);
    await handle.sync();
    await handle.close();
  } catch (error) {
    await handle.close().catch(() => {});
    await tryRemoveFile(path);
    throw error;
  }
  return path;
}

/** Returns the path of an unused temporary file beside `target`. */
function buildTemporaryPath(target: string): string {
  return join(dirname(target), `.planner-${process.pid.toString(36)}-${createRandomHex(6)}.tmp`);
}

async function applyOwnership(handle: FileHandle, { mode, uid, gid }: FileOwnership): Promise<void> {
  const own = await handle.stat();
  // Only a privileged process may change a file's owner; otherwise the file belongs to the writer, as with any editor.
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid).catch(() => {});
  // Creation removes the bits of the process's mask, and a change of owner removes special bits.
  if ((own.mode & 0o7777) !== mode) await handle.chmod(mode);
}

/** Removes a file. Ignores every error. */
export async function tryRemoveFile(path: string): Promise<void> {
  await unlink(path).catch(() => {});
}

/** Returns the number of the process that wrote the temporary file of this name; null for any other name. */
export function parseTemporaryPid(name: string): number | null {
  const digits = TEMPORARY_NAME_PATTERN.exec(name)?.[1];
  return digits === undefined ? null : Number.parseInt(digits, 36);
}

/** Removes temporary files of killed writers. Keeps those of running processes, as not every writer holds a lock. */
export async function removeLeftoverFiles(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const pid = parseTemporaryPid(name);
    if (pid !== null && !isProcessAlive(pid, null)) await removeFileInOpenFolder(join(folder, name)).catch(() => {});
  }
}

/** Waits until the disk has stored the folder's names. Ignores errors except EIO: not every system can sync folders. */
export async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, "r");
    await handle.sync();
  } catch (error) {
    if (getErrorCode(error) === "EIO") throw error;
  } finally {
    await handle?.close();
  }
}

/** Replaces the file at `path` atomically; creates the folder. `file` is the path as error messages print it. */
export async function replaceFile(path: string, file: string, text: string | Uint8Array): Promise<void> {
  await writeAndSyncFolder(path, `write "${file}"`, async (target) => {
    const temporary = await writeTemporaryFile(target, text);
    try {
      renameSync(temporary, target);
    } catch (error) {
      await tryRemoveFile(temporary);
      throw error;
    }
    return true;
  });
}

/** Creates a file atomically. Returns false if it exists. */
export function createFile(path: string, file: string, text: string): Promise<boolean> {
  return writeAndSyncFolder(path, `create "${file}"`, (target) => createFileByLink(target, text));
}

async function createFileByLink(target: string, text: string): Promise<boolean> {
  const temporary = await writeTemporaryFile(target, text);
  try {
    return linkFileToName(temporary, target);
  } finally {
    await tryRemoveFile(temporary);
  }
}

/** A file to create. `file` is the path as error messages print it. */
interface NewFile {
  readonly path: string;
  readonly file: string;
  readonly text: string;
}

/** Maximum number of concurrent writes. Chosen by planner: a disk flushes 16 files nearly as fast as one. */
const MAX_CONCURRENT_WRITES = 16;

/** Creates files atomically and concurrently. Returns per file true, false if its name is taken, or the error. */
export async function createFiles(files: readonly NewFile[]): Promise<readonly (boolean | OperationError)[]> {
  const outcomes: (boolean | OperationError)[] = [];
  const folders = new Map<string, OpenFolder>();
  const pendingFiles = files.entries();
  const createPendingFiles = async (): Promise<void> => {
    for (const [index, { path, file, text }] of pendingFiles) {
      try {
        const folder = folders.get(dirname(path)) ?? openParentFolder(path);
        folders.set(dirname(path), folder);
        outcomes[index] = await createFileByLink(join(folder.path, basename(path)), text);
      } catch (error) {
        const refusal = convertToDiskError(`create "${file}"`, error);
        if (!(refusal instanceof OperationError)) throw refusal;
        outcomes[index] = refusal;
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: MAX_CONCURRENT_WRITES }, createPendingFiles));
    for (const folder of folders.values()) await syncFolder(folder.path);
  } finally {
    for (const folder of folders.values()) folder.close();
  }
  return outcomes;
}

async function writeAndSyncFolder(
  path: string,
  action: string,
  write: (target: string) => Promise<boolean>,
): Promise<boolean> {
  try {
    return await runInOpenFolder(path, async (target) => {
      const written = await write(target);
      if (written) await syncFolder(dirname(target));
      return written;
    });
  } catch (error) {
    throw convertToDiskError(action, error);
  }
}

/**
 * Links the file to its name; returns false if the name exists. Linking, unlike renaming, never replaces another file.
 * Where hard links fail, renames; then only the project lock prevents races.
 */
function linkFileToName(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (getErrorCode(error) === "EEXIST") return false;
    if (!NO_HARD_LINK_CODES.has(getErrorCode(error) ?? "")) throw error;
    if (existsSync(path)) return false;
    renameSync(temporary, path);
    return true;
  }
}

const NO_HARD_LINK_CODES: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
