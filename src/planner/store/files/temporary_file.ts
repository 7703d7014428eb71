import { type FileHandle, open, readdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createRandomHex } from "#kernel/random.ts";
import { isProcessAlive } from "../processes/process_life.ts";
import { getErrorCode } from "./disk_error.ts";
import { removeFileInOpenFolder } from "./open_folder.ts";

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
export function buildTemporaryPath(target: string): string {
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
