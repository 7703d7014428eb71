import { existsSync, linkSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { link } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { getErrorCode, toDiskError } from "./disk_error.ts";
import { type OpenFolder, openParentFolder, withOpenFolder } from "./open_folder.ts";
import { buildTemporaryPath, removeIfExists, syncFolder, writeTemporaryFile } from "./temporary_file.ts";

/** Replaces the file at `path` atomically; creates the folder. `file` is the path as error messages print it. */
export async function replaceFile(path: string, file: string, text: string | Uint8Array): Promise<void> {
  await placeFileAt(path, `write "${file}"`, async (target) => {
    const temporary = await writeTemporaryFile(target, text);
    try {
      renameSync(temporary, target);
    } catch (error) {
      await removeIfExists(temporary);
      throw error;
    }
    return true;
  });
}

/** Creates a file atomically. Returns false if it exists. */
export function createFile(path: string, file: string, text: string): Promise<boolean> {
  return placeFileAt(path, `create "${file}"`, (target) => createNamedFile(target, text));
}

async function createNamedFile(target: string, text: string): Promise<boolean> {
  const temporary = await writeTemporaryFile(target, text);
  try {
    return await linkToName(temporary, target);
  } finally {
    await removeIfExists(temporary);
  }
}

/** A file to create. `file` is the path as error messages print it. */
export interface NewFile {
  readonly path: string;
  readonly file: string;
  readonly text: string;
}

/**
 * Maximum number of files that wait for the disk at once. Chosen by planner: the disk flushes so many nearly as fast as
 * one, and more no faster.
 */
const MAX_WAITING = 16;

/** Creates files atomically, much faster than one by one. Results: true, false for a taken name, or a disk error. */
export async function createFiles(files: readonly NewFile[]): Promise<readonly (boolean | OperationError)[]> {
  const outcomes: (boolean | OperationError)[] = [];
  const folders = new Map<string, OpenFolder>();
  const left = files.entries();
  const work = async (): Promise<void> => {
    for (const [index, file] of left) {
      try {
        outcomes[index] = await createUnsyncedFile(file, folders);
      } catch (error) {
        const refusal = toDiskError(`create "${file.file}"`, error);
        if (!(refusal instanceof OperationError)) throw refusal;
        outcomes[index] = refusal;
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: MAX_WAITING }, work));
    for (const folder of folders.values()) await syncFolder(folder.path);
  } finally {
    for (const folder of folders.values()) folder.close();
  }
  return outcomes;
}

async function createUnsyncedFile({ path, text }: NewFile, folders: Map<string, OpenFolder>): Promise<boolean> {
  const folder = folders.get(dirname(path)) ?? openParentFolder(path);
  folders.set(dirname(path), folder);
  return createNamedFile(join(folder.path, basename(path)), text);
}

/** Creates a file atomically without waiting for the disk: only for files that may be lost in a power failure. */
export function createFileAtOnce(path: string, file: string, text: string): boolean {
  let folder: OpenFolder | undefined;
  try {
    folder = openParentFolder(path);
    return createFileIn(join(folder.path, basename(path)), text);
  } catch (error) {
    throw toDiskError(`create "${file}"`, error);
  } finally {
    folder?.close();
  }
}

function createFileIn(path: string, text: string): boolean {
  const temporary = buildTemporaryPath(path);
  try {
    writeFileSync(temporary, text, { flag: "wx" });
    return linkToNameAtOnce(temporary, path);
  } finally {
    // The file is absent if it was renamed, on file systems without links.
    if (existsSync(temporary)) unlinkSync(temporary);
  }
}

async function placeFileAt(
  path: string,
  action: string,
  write: (target: string) => Promise<boolean>,
): Promise<boolean> {
  try {
    return await withOpenFolder(path, async (target) => {
      const written = await write(target);
      if (written) await syncFolder(dirname(target));
      return written;
    });
  } catch (error) {
    throw toDiskError(action, error);
  }
}

/** Links the file to its name, because linking, unlike renaming, never replaces another file. */
async function linkToName(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    return renameWithoutLink(error, temporary, path);
  }
}

function linkToNameAtOnce(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    return renameWithoutLink(error, temporary, path);
  }
}

/** Renames without hard links, where only the project lock prevents races. Returns false if the name exists. */
function renameWithoutLink(error: unknown, temporary: string, path: string): boolean {
  if (getErrorCode(error) === "EEXIST") return false;
  if (!WITHOUT_LINKS.has(getErrorCode(error) ?? "")) throw error;
  if (existsSync(path)) return false;
  renameSync(temporary, path);
  return true;
}

const WITHOUT_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
