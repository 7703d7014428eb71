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
import { refuseUnavailable } from "#dc/model/refusal.ts";

/** Free space below which a disk counts as full, in bytes. A small change may still fit into the log's old pages. */
const LEAST_FREE_BYTES = 1024 * 1024;

/** How a connection may use the file; `alone` reads it without its log and without locks. */
export type FileUse = "create" | "write" | "read" | "alone";

/** What a path names. */
export interface FileLook {
  /** Whether it is the file that was opened. */
  readonly isOpened: boolean;
  readonly bytes: number;
  /** When it was written last, in nanoseconds. */
  readonly writtenAt: bigint;
}

/** The file of a database, as it was when it was opened. */
export class SqliteFile {
  readonly path: string;
  #identity = "";
  /** The size that it had last, in bytes. */
  #bytes = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Whether this process may not change the file, on read-only media for example. */
  get isReadOnly(): boolean {
    return existsSync(this.path) && !(canChange(this.path) && canAddTo(dirname(this.path)));
  }

  /** The address of the file for SQLite. Only `create` makes a file that does not exist. */
  address(use: FileUse): string {
    const modes = { create: "mode=rwc", write: "mode=rw", read: "mode=ro", alone: "mode=ro" };
    // Without a log beside it no process writes the file, and SQLite need not make one.
    const isAlone = use === "alone" || (use === "read" && !existsSync(`${this.path}-wal`));
    return `${pathToFileURL(this.path).href}?${modes[use]}${isAlone ? "&immutable=1" : ""}`;
  }

  /** Remembers which file the path names. */
  remember(): void {
    this.#identity = identityOf(statSync(this.path, { bigint: true }));
  }

  /** The file that the path names now; undefined for none. */
  look(): FileLook | undefined {
    const stat = statSync(this.path, { throwIfNoEntry: false, bigint: true });
    if (stat === undefined) return undefined;
    return { isOpened: identityOf(stat) === this.#identity, bytes: Number(stat.size), writtenAt: stat.mtimeNs };
  }

  /** Whether the file lost bytes since the last call, and has fewer than `least`, to which SQLite may shorten it. */
  isShorter({ bytes }: FileLook, least: () => number): boolean {
    const isShorter = bytes < this.#bytes && bytes < least();
    if (!isShorter) this.#bytes = bytes;
    return isShorter;
  }

  /** Which version of the file is there: differs after each change, as far as the file's time shows. */
  version(): { readonly hasLog: boolean; readonly text: string } {
    const stat = statSync(this.path, { throwIfNoEntry: false, bigint: true });
    const hasLog = existsSync(`${this.path}-wal`);
    return { hasLog, text: `${hasLog} ${stat?.size} ${stat?.mtimeNs}` };
  }

  /**
   * Checks that the path still names the opened file: data written to a removed file is lost.
   * @throws Refusal unavailable
   */
  demandSame(): FileLook {
    const look = this.look();
    if (look?.isOpened === true) return look;
    const why = look === undefined ? "was removed" : "was replaced by another";
    const message = `The database file no longer exists, it ${why}: changes are refused`;
    throw refuseUnavailable(message, new Error(`the file "${this.path}" ${why} while it was open`));
  }

  /** @throws Refusal unavailable when the disk has no space for more than the smallest changes */
  demandSpace(): void {
    const { bavail, bsize } = statfsSync(dirname(this.path));
    if (bavail * bsize >= LEAST_FREE_BYTES) return;
    throw refuseUnavailable("The disk of the database is full", new Error(`the disk of "${this.path}" is full`));
  }
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function canAddTo(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** By opening it: rights alone say nothing of a file system that is mounted read-only, in Deno at least. */
function canChange(path: string): boolean {
  try {
    closeSync(openSync(path, "r+"));
    return true;
  } catch (error) {
    return !["EROFS", "EACCES", "EPERM"].includes(String((error as NodeJS.ErrnoException).code));
  }
}
