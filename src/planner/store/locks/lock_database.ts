import {
  closeSync,
  constants,
  copyFileSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  truncateSync,
  utimesSync,
} from "node:fs";
import { basename, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { OperationError } from "#kernel/errors.ts";
import { reportNotice } from "#kernel/notices.ts";
import { getErrorCode } from "../files/disk_error.ts";
import { type OpenFolder, openParentFolder } from "../files/open_folder.ts";

/** The empty SQLite database of a lock, in a folder that stays open while a caller waits for the lock. */
export class LockDatabase {
  readonly #folder: OpenFolder;
  readonly #path: string;
  readonly #file: string;

  /** `file` is a path from the project's root. Throws an error of the system, or OperationError for a link. */
  constructor(root: string, file: string) {
    this.#folder = openParentFolder(join(root, file));
    this.#path = join(this.#folder.path, basename(file));
    this.#file = file;
  }

  /** Opens the database. Each lock needs a new call, because a lock on a deleted file excludes no process. */
  open(Database: typeof DatabaseSync): DatabaseSync {
    const inode = this.#prepareFile();
    // SQLite must not create a file here, because the name may have become a link.
    const url = pathToFileURL(this.#path);
    url.searchParams.set("mode", "rw");
    const database = new Database(url, { timeout: 0 });
    if (this.#readStats()?.ino === inode) return database;
    database.close();
    throw new OperationError("aborted", `Cannot lock "${this.#file}": another program replaced it`);
  }

  /** Returns when a process last took the lock, in milliseconds since 1970. */
  readLastTakenMs(): number | undefined {
    return this.#readStats()?.mtimeMs;
  }

  recordTakenTime(): void {
    const now = new Date();
    try {
      utimesSync(this.#path, now, now);
    } catch {
      // The file belongs to another user. Waiters then apply one time limit to all holders together.
    }
  }

  close(): void {
    this.#folder.close();
  }

  #readStats(): Stats | undefined {
    return lstatSync(this.#path, { throwIfNoEntry: false });
  }

  /**
   * Creates the file, or empties a file that is not a lock of planner. Returns the file's inode. Does not open an
   * existing lock, because closing it would release the locks that this process holds on it.
   */
  #prepareFile(): number {
    let stats = this.#readStats();
    if (stats !== undefined && !stats.isFile()) {
      renameSync(this.#path, `${this.#path}.spoilt-${Date.now()}`);
      this.#reportSpoilt();
      stats = undefined;
    }
    if (stats === undefined) {
      createEmptyFile(this.#path);
      stats = this.#readStats();
    }
    if (stats !== undefined && stats.size > 0) {
      // Empties the file in place, because another process may hold the lock of the same file by now.
      copyFileSync(this.#path, `${this.#path}.spoilt-${Date.now()}`, constants.COPYFILE_EXCL);
      truncateSync(this.#path, 0);
      this.#reportSpoilt();
    }
    return stats?.ino ?? 0;
  }

  #reportSpoilt(): void {
    reportNotice(`"${this.#file}" was no lock of planner: it was renamed to "${this.#file}.spoilt-…"`);
  }
}

function createEmptyFile(path: string): void {
  try {
    closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL));
  } catch (error) {
    if (getErrorCode(error) !== "EEXIST") throw error;
  }
}
