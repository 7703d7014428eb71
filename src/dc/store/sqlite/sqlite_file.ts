import { accessSync, closeSync, constants, existsSync, openSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { refuse } from "#dc/model/refusal.ts";

/** Free space below which a disk counts as full, in bytes. A small change may still fit into the log's old pages. */
const LEAST_FREE_BYTES = 1024 * 1024;

/** How a connection may use the file. */
export type FileUse = "create" | "write" | "read";

/** The file of a database, as it was when it was opened. */
export class SqliteFile {
  readonly path: string;
  #identity = "";

  constructor(path: string) {
    this.path = path;
  }

  /** Whether this process may not change the file, on read-only media for example. */
  get isReadOnly(): boolean {
    return existsSync(this.path) && !(canChange(this.path) && canAddTo(dirname(this.path)));
  }

  /** The address of the file for SQLite. Only `create` makes a file that does not exist. */
  address(use: FileUse): string {
    const modes = { create: "mode=rwc", write: "mode=rw", read: "mode=ro" };
    // Without a log beside it no process writes the file, and SQLite need not make one.
    const isAlone = use === "read" && !existsSync(`${this.path}-wal`);
    return `${pathToFileURL(this.path).href}?${modes[use]}${isAlone ? "&immutable=1" : ""}`;
  }

  /** Remembers which file the path names. */
  remember(): void {
    this.#identity = this.#present();
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
  demandSame(): void {
    const present = this.#present();
    if (present === this.#identity) return;
    const why = present === "" ? "was removed" : "was replaced by another";
    const refusal = refuse("DB_UNAVAILABLE", "The database file no longer exists: changes are refused");
    refusal.cause = new Error(`the file "${this.path}" ${why} while it was open`);
    throw refusal;
  }

  /** @throws Refusal unavailable when the disk has no space for more than the smallest changes */
  demandSpace(): void {
    const { bavail, bsize } = statfsSync(dirname(this.path));
    if (bavail * bsize >= LEAST_FREE_BYTES) return;
    const refusal = refuse("DB_UNAVAILABLE", "The disk of the database is full");
    refusal.cause = new Error(`the disk of "${this.path}" is full`);
    throw refusal;
  }

  #present(): string {
    const stat = statSync(this.path, { throwIfNoEntry: false, bigint: true });
    return stat === undefined ? "" : `${stat.dev}:${stat.ino}`;
  }
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
