import {
  accessSync,
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
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describeError, OperationError } from "#kernel/errors.ts";
import { reportNotice } from "#kernel/notices.ts";
import { convertToDiskError, getErrorCode } from "../files/disk_error.ts";
import { type OpenFolder, openParentFolder } from "../files/open_folder.ts";
import { LOCKS_FOLDER } from "../project/places.ts";

/** The empty SQLite database of a lock, in a folder that stays open while a caller waits for the lock. */
class LockDatabase {
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

interface LockSettings {
  readonly file: string;
  /** Maximum wait for one holder, in milliseconds. */
  readonly waitMs: number;
}

/** Lock for changes of specs. Wait chosen by planner: a write takes some milliseconds, so longer means a hang. */
const EDIT_LOCK: LockSettings = { file: `${LOCKS_FOLDER}/edit.db`, waitMs: 10_000 };

/** Lock for merges. Wait chosen by planner: long rebases in a large repository take minutes, and others may precede. */
const MERGE_LOCK: LockSettings = { file: `${LOCKS_FOLDER}/merge.db`, waitMs: 15 * 60_000 };

/** Lock for shared claims. Wait chosen by planner: some calls to the remote, each killed after 20 seconds. */
const REMOTE_LOCK: LockSettings = { file: `${LOCKS_FOLDER}/remote.db`, waitMs: 5 * 60_000 };

/** Maximum of the first random pause between tries, in ms. Each try raises it by 1 ms, to slow the holder less. */
const PAUSE_MS = 12;
const MAX_PAUSE_MS = 100;

/** Promise of the last holder of each lock in this process, for which the next holder waits. */
const lastHolders = new Map<string, Promise<unknown>>();

/**
 * Runs `task` while no other process and no other task of this process changes the project's specs.
 *
 * The lock is SQLite's on an empty database. The kernel releases it when its holder dies, so it never becomes stale.
 *
 * @throws OperationError `aborted` if a holder keeps the lock longer than `waitMs`, and any error of `task`
 */
export function runWithProjectLock<Result>(
  root: string,
  task: () => Promise<Result>,
  waitMs: number = EDIT_LOCK.waitMs,
): Promise<Result> {
  return runWithLock(root, { ...EDIT_LOCK, waitMs }, task);
}

/**
 * Runs `task` while no other process changes the main branch; specs may be changed meanwhile.
 *
 * @param commonFolder git's folder of the repository, because another project of it merges into the same checkout
 */
export function runWithMergeLock<Result>(
  root: string,
  commonFolder: string,
  task: () => Promise<Result>,
): Promise<Result> {
  const lock = { ...MERGE_LOCK, file: "planner-merge.db" };
  return runWithLock(root, MERGE_LOCK, () => runWithLock(commonFolder, lock, task));
}

/** Runs `task` while no other process changes this clone's claims at a remote. */
export function runWithRemoteLock<Result>(
  root: string,
  task: () => Promise<Result>,
  waitMs: number = REMOTE_LOCK.waitMs,
): Promise<Result> {
  return runWithLock(root, { ...REMOTE_LOCK, waitMs }, task);
}

function runWithLock<Result>(root: string, lock: LockSettings, task: () => Promise<Result>): Promise<Result> {
  const key = join(root, lock.file);
  const before = lastHolders.get(key) ?? Promise.resolve();
  const result = before.then(async () => {
    const database = await acquireLock(root, lock);
    try {
      return await task();
    } finally {
      database.exec("ROLLBACK");
      database.close();
    }
  });
  const settled = result.catch(() => {});
  lastHolders.set(key, settled);
  return result;
}

async function acquireLock(root: string, { file, waitMs }: LockSettings): Promise<DatabaseSync> {
  const place = openLockDatabase(root, file);
  try {
    // Loaded only when needed, because most processes only read.
    const sqlite = await import("node:sqlite");
    let deadline = performance.now() + waitMs;
    let taken = place.readLastTakenMs();
    for (let pause = PAUSE_MS; ; pause = Math.min(pause + 1, MAX_PAUSE_MS)) {
      const database = tryAcquireLock(root, file, () => place.open(sqlite.DatabaseSync));
      if (database !== undefined) {
        place.recordTakenTime();
        return database;
      }
      const now = performance.now();
      const last = place.readLastTakenMs();
      // Waiters are not queued, so one of many may wait for several holders, none of which hangs.
      if (last !== taken) [taken, deadline] = [last, now + waitMs];
      if (now > deadline) {
        throw new OperationError(
          "aborted",
          `Cannot lock "${file}": another process held it for ${waitMs / 1000} seconds`,
        );
      }
      await sleep(1 + Math.random() * pause);
    }
  } finally {
    place.close();
  }
}

function openLockDatabase(root: string, file: string): LockDatabase {
  try {
    return new LockDatabase(root, file);
  } catch (error) {
    throw convertToDiskError(`make "${LOCKS_FOLDER}"`, error);
  }
}

/** Tries to take the lock. Returns undefined when another process holds it. */
function tryAcquireLock(root: string, file: string, open: () => DatabaseSync): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = open();
    // SQLite would open a read-only database without an error, and it would lock out no process.
    accessSync(join(root, file), constants.W_OK);
    // The journal is in memory, because a full disk must not prevent a file from shrinking.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE");
    return database;
  } catch (error) {
    database?.close();
    // Bun and Deno agree on the error's text but not on its code.
    if (error instanceof Error && error.message.includes("database is locked")) return undefined;
    throw buildLockError(root, file, error);
  }
}

function buildLockError(root: string, file: string, error: unknown): unknown {
  const refusal = convertToDiskError(`lock "${file}"`, error);
  if (refusal !== error) return refusal;
  try {
    // SQLite does not report why it cannot create a file, but the system does.
    accessSync(join(root, LOCKS_FOLDER), constants.W_OK);
  } catch (cause) {
    return convertToDiskError(`lock "${file}"`, cause);
  }
  const why = describeError(error);
  return new OperationError("unavailable", `Cannot lock "${file}": ${why}: remove the file if no planner runs`, {
    cause: error,
  });
}
