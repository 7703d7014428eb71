import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { errorCode, reason } from "#planner/store/files/disk_error.ts";
import { openFolderOf, refuseLinkOut } from "#planner/store/files/open_folder.ts";
import { isLink } from "#planner/store/project/project_bounds.ts";

const NEW_FILE_MODE = 0o666;
const PRIVATE_MODE = 0o600;

/**
 * Writes a file that is not there yet, whole or not at all, its folders included. Returns false, touching nothing, when
 * something of that name exists.
 */
export function createFile(path: string, text: string | Uint8Array, mode: number = NEW_FILE_MODE): boolean {
  return onDisk(path, () => {
    const folder = openFolderOf(path);
    try {
      return createIn(join(folder.path, basename(path)), text, mode);
    } finally {
      folder.close();
    }
  });
}

function createIn(path: string, text: string | Uint8Array, mode: number): boolean {
  return withTemporary(dirname(path), text, mode, (temporary) => {
    try {
      // Unlike a rename, a link never takes the place of a file that appeared meanwhile.
      linkSync(temporary, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      return createWithoutLink(path, text);
    }
  });
}

/** Replaces a file as a whole: a reader sees the old text or the new one. A link stays a link, the mode stays the mode. */
export function replaceFile(path: string, text: string | Uint8Array): void {
  onDisk(path, () => {
    refuseLinkOut(path);
    const folder = openFolderOf(path);
    try {
      const inside = join(folder.path, basename(path));
      const target = isLink(inside) ? realpathSync(path) : inside;
      const { mode } = statSync(target);
      withTemporary(dirname(target), text, mode, (temporary) => renameSync(temporary, target));
    } finally {
      folder.close();
    }
  });
}

/** Writes a file that a person named, whether it is there or not; what is no file (`/dev/stdout`) is written through. */
export function writeFile(path: string, text: string | Uint8Array): void {
  const there = onDisk(path, () => statSync(path, { throwIfNoEntry: false }));
  if (there !== undefined && !there.isFile()) onDisk(path, () => writeFileSync(path, text));
  else if (!createFile(path, text)) replaceFile(path, text);
}

/** Writes a file that only its owner may read, whole or not at all, whatever its mode was before. */
export function writePrivateFile(path: string, text: string): void {
  if (createFile(path, text, PRIVATE_MODE)) return;
  onDisk(path, () => {
    const target = realpathSync(path);
    withTemporary(dirname(target), text, PRIVATE_MODE, (temporary) => renameSync(temporary, target));
  });
}

function withTemporary<Result>(
  folder: string,
  text: string | Uint8Array,
  mode: number,
  use: (path: string) => Result,
): Result {
  const temporary = join(folder, `.planner-${randomUUID()}.tmp`);
  try {
    const descriptor = openSync(temporary, "wx", mode);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    return use(temporary);
  } finally {
    rmSync(temporary, { force: true });
  }
}

// For file systems without hard links.
function createWithoutLink(path: string, text: string | Uint8Array): boolean {
  try {
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function onDisk<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    const kind = code === "EACCES" || code === "EPERM" || code === "EROFS" ? "permission_denied" : "unavailable";
    throw new OperationError(kind, `Cannot write "${path}": ${reason(error)}`, { cause: error });
  }
}
