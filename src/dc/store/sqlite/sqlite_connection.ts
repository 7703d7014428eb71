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
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { OperationError } from "#kernel/errors.ts";
import { createUnavailableRefusal } from "../../model/refusal.ts";
import { createClosedError } from "../queue.ts";
import type { OnStatement, SqlRow, SqlRunner, SqlValue } from "../sql/sql_runner.ts";

/** Maximum number of prepared statements of a connection. */
const MAX_PREPARED = 500;

interface SqliteConnectionOptions {
  /** Address of the file, including its mode. */
  readonly address: string;
  /** Page cache in KiB. */
  readonly cacheKib: number;
  readonly onStatement?: OnStatement;
  /** Called with every error of SQLite before it is converted to a refusal. */
  readonly onError?: (error: unknown) => void;
}

/** One connection to a file. It never waits for locks; `retryWhileLocked` waits without blocking the process. */
export class SqliteRunner implements SqlRunner {
  readonly #database: DatabaseSync;
  readonly #connection: SqliteConnectionOptions;
  readonly #statements = new Map<string, StatementSync>();

  /** Opens the file. @throws SQLite's error as a refusal if the file cannot be opened */
  constructor(connection: SqliteConnectionOptions) {
    this.#connection = connection;
    const { address, cacheKib } = connection;
    this.#database = this.#translateErrors(() => new DatabaseSync(address, { timeout: 0 }));
    try {
      this.#translateErrors(() => {
        this.#database.exec("PRAGMA busy_timeout = 0");
        if (!address.includes("?mode=ro")) this.#database.exec("PRAGMA journal_mode = WAL");
        // FULL: a committed write is on disk, which is required before it is acknowledged.
        this.#database.exec("PRAGMA synchronous = FULL");
        this.#database.exec("PRAGMA foreign_keys = ON");
        // The store copies the log itself, after it has checked the files.
        this.#database.exec("PRAGMA wal_autocheckpoint = 0");
        this.#database.exec(`PRAGMA cache_size = -${cacheKib}`);
      });
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  async all(sql: string, params: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
    return this.#translateErrors(() => this.#prepareStatement(sql).all(...params) as SqlRow[]);
  }

  async run(sql: string, params: readonly SqlValue[] = []): Promise<void> {
    this.#translateErrors(() => this.#prepareStatement(sql).run(...params));
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepareStatement(sql: string): StatementSync {
    this.#connection.onStatement?.(sql);
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    // Searches have too many different texts to keep all statements.
    if (this.#statements.size >= MAX_PREPARED) this.#statements.clear();
    const prepared = this.#database.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #translateErrors<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      this.#connection.onError?.(error);
      throw translateSqliteError(error);
    }
  }
}

const UNUSABLE_DATABASE = /disk (?:is full|I\/O)|full|readonly database|unable to open|malformed|not a database/i;

/** Converts errors of disk and other processes to refusals; any other error is a defect and is returned unchanged. */
function translateSqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof OperationError) return error;
  if (isLockError(error)) return createUnavailableRefusal("The database is locked by another process", error);
  if (UNUSABLE_DATABASE.test(error.message))
    return createUnavailableRefusal(`The database cannot be used: ${error.message}`, error);
  return error;
}

/** Converts an error of opening a file to one whose message names the file. */
export function convertFileOpenError(file: string, error: unknown): unknown {
  const refusal = translateSqliteError(error);
  if (!(refusal instanceof OperationError)) return error;
  if (refusal.kind !== "unavailable") {
    return new OperationError(refusal.kind, `Cannot open the database "${file}": ${refusal.message}`, { cause: error });
  }
  const { message } = refusal.cause instanceof Error ? refusal.cause : refusal;
  return createUnavailableRefusal(`Cannot open the database "${file}": ${formatFailureReason(message, file)}`, refusal);
}

/** Whether a full disk or an I/O error of the disk caused the error. */
export function isDiskFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /disk (?:is full|I\/O)/i.test(error.message) || isDiskFailure(error.cause);
}

function formatFailureReason(message: string, file: string): string {
  if (/unable to open/i.test(message)) return findOpenFailure(file);
  if (/disk is full/i.test(message)) return "its disk is full: free space or choose another path";
  if (!/disk I\/O/i.test(message)) return message;
  return `${message}: check the disk, its free space and the limit of file sizes (ulimit -f)`;
}

/** Returns why a file cannot be opened, because SQLite reports only that opening failed. */
function findOpenFailure(file: string): string {
  if (isExistingFolder(file)) return "it is a folder";
  if (!isExistingFolder(dirname(file))) return "its folder does not exist";
  if (isFolderReadOnly(dirname(file))) return "its file system is read-only: choose another path";
  return "no right to read and write it: choose another path, or run planner as a user who has it";
}

/** Whether the file system of the folder is read-only, regardless of the user's rights. */
function isFolderReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EROFS";
  }
}

function isExistingFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Maximum wait for another process's lock, in milliseconds. */
const MAX_LOCK_WAIT_MS = 10_000;
/** Longest pause before another attempt, in milliseconds; the first pauses are shorter. */
const MAX_PAUSE_MS = 25;

const LOCK_MESSAGE = /database (?:table |schema )?is locked|SQLITE_BUSY|due to lock timeout/i;

/** Whether a database rejected a statement because another process holds a lock. */
export function isLockError(error: unknown): boolean {
  if (error instanceof OperationError) return isLockError(error.cause);
  return error instanceof Error && LOCK_MESSAGE.test(error.message);
}

/**
 * Repeats an attempt, with pauses, while another process holds a lock. SQLite itself would wait inside a statement and
 * block the whole process.
 * @param closing aborts the wait
 * @throws the error of the last attempt, 10 s after the first attempt
 */
export async function retryWhileLocked<Result>(attempt: () => Promise<Result>, closing: AbortSignal): Promise<Result> {
  const end = performance.now() + MAX_LOCK_WAIT_MS;
  for (let pause = 1; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLockError(error) || performance.now() + pause > end) throw error;
    }
    // Random pauses, so that servers that wait for the same lock do not retry at the same times.
    await sleep(pause * (0.5 + Math.random()), undefined, { signal: closing }).catch(() => {});
    if (closing.aborted) throw createClosedError();
  }
}

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
