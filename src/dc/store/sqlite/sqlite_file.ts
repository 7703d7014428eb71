import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  openSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { createUnavailableRefusal } from "#dc/model/refusal.ts";

/** Free bytes below which a disk counts as full. A small change may still fit into old pages of the log. */
const MIN_FREE_BYTES = 1024 * 1024;

/** How a connection uses the file; `alone` reads it without its log and without locks. */
export type FileUse = "create" | "write" | "read" | "alone";

/** Properties of the file at a path. */
export interface FileProperties {
  /** Whether the path names the file that was opened. */
  readonly isOpened: boolean;
  readonly bytes: number;
  /** Time of the last modification, in nanoseconds. */
  readonly writtenAt: bigint;
}

/** The file of a database, with its identity when it was opened. */
export class SqliteFile {
  readonly path: string;
  #identity = "";
  /** Size in bytes at the last check. */
  #bytes = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Whether this process may not change the file, for example on read-only media. */
  get isReadOnly(): boolean {
    return existsSync(this.path) && !(isFileWritable(this.path) && isFolderWritable(dirname(this.path)));
  }

  /** Returns the address of the file for SQLite. Only `create` creates a missing file. */
  formatAddress(use: FileUse): string {
    const modes = { create: "mode=rwc", write: "mode=rw", read: "mode=ro", alone: "mode=ro" };
    // Without a log next to it, no process writes the file, and SQLite need not create a log.
    const isAlone = use === "alone" || (use === "read" && !existsSync(`${this.path}-wal`));
    return `${pathToFileURL(this.path).href}?${modes[use]}${isAlone ? "&immutable=1" : ""}`;
  }

  /** Records the identity of the file at the path. */
  recordIdentity(): void {
    this.#identity = formatFileIdentity(statSync(this.path, { bigint: true }));
  }

  /** Returns properties of the file at the path now; undefined if it is missing. */
  readProperties(): FileProperties | undefined {
    const stat = statSync(this.path, { throwIfNoEntry: false, bigint: true });
    if (stat === undefined) return undefined;
    return { isOpened: formatFileIdentity(stat) === this.#identity, bytes: Number(stat.size), writtenAt: stat.mtimeNs };
  }

  /** Whether the file shrank since the last call, and is below `least`, the size to which SQLite may shorten it. */
  hasShrunk({ bytes }: FileProperties, least: () => number): boolean {
    const isShorter = bytes < this.#bytes && bytes < least();
    if (!isShorter) this.#bytes = bytes;
    return isShorter;
  }

  /** Returns whether there is a log, and a text that differs after each change that the modification time shows. */
  readVersion(): { readonly hasLog: boolean; readonly text: string } {
    const stat = statSync(this.path, { throwIfNoEntry: false, bigint: true });
    const hasLog = existsSync(`${this.path}-wal`);
    return { hasLog, text: `${hasLog} ${stat?.size} ${stat?.mtimeNs}` };
  }

  /** Requires that the path names the opened file: data in a removed file is lost. @throws Refusal unavailable. */
  requireSameFile(): FileProperties {
    const look = this.readProperties();
    if (look?.isOpened === true) return look;
    const why = look === undefined ? "was removed" : "was replaced by another";
    const message = `The database file no longer exists, it ${why}: changes are refused`;
    throw createUnavailableRefusal(message, new Error(`the file "${this.path}" ${why} while it was open`));
  }

  /** Requires at least `MIN_FREE_BYTES` of free disk space. @throws Refusal unavailable */
  requireFreeSpace(): void {
    const { bavail, bsize } = statfsSync(dirname(this.path));
    if (bavail * bsize >= MIN_FREE_BYTES) return;
    throw createUnavailableRefusal("The disk of the database is full", new Error(`the disk of "${this.path}" is full`));
  }
}

function formatFileIdentity({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function isFolderWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether the file can be opened for writing. Opens it, because in Deno the rights ignore a read-only file system. */
function isFileWritable(path: string): boolean {
  try {
    closeSync(openSync(path, "r+"));
    return true;
  } catch (error) {
    return !["EROFS", "EACCES", "EPERM"].includes(String((error as NodeJS.ErrnoException).code));
  }
}
