import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { OperationError } from "#kernel/errors.ts";
import { createChangedFileRefusal, LogFiles } from "./log_files.ts";
import type { FileProperties, SqliteFile } from "./sqlite_file.ts";
import type { SqliteRunner } from "./sqlite_runner.ts";

/** Number of log frames from which the log is copied to the database; SQLite's own default. */
const MIN_COPIED_FRAMES = 1000;
/** Name of the database file itself in messages. */
const MAIN_FILE = "main";
/** Query for rows that identify a database and its state. */
const STATE_QUERY = "SELECT name, value FROM setting WHERE name IN ('page_token_key', 'revision')";

/**
 * Maximum time for another process to record that it copied the log, in milliseconds, and the pause between checks.
 * Chosen by us: a slow disk needs seconds to flush.
 */
const MAX_COPY_WAIT_MS = 5000;
const COPY_CHECK_MS = 50;

/** Contents of the database file without its log. */
interface FileState {
  /** Random key of the database; undefined before it was created. */
  readonly key: string | undefined;
  readonly revision: number;
}

/**
 * The files of a database that is open for writing. Content that is committed to files without a path is lost with the
 * process, so the store checks the paths before it acknowledges a write.
 */
export class OpenFiles {
  readonly #file: SqliteFile;
  readonly #logFiles: LogFiles;
  /** Fault of the files. It is permanent, because later commits may be in files without a path. */
  #fault: OperationError | undefined;
  /** State of the database file at the last read: modification time, the log's copy before it, and content. */
  #writtenAt: bigint | undefined;
  #copyMark: string | undefined;
  #state: FileState | undefined;

  /** Opens the files. @param file the database, which a connection has open with its log */
  constructor(file: SqliteFile) {
    this.#file = file;
    this.#logFiles = new LogFiles(file.path);
    this.#recordState(this.#readState());
  }

  /** Requires that the paths of database and log name the open files at full length. @throws Refusal unavailable */
  requireNamedFiles(): FileProperties {
    return this.#requireFiles(() => this.#logFiles.findLogFault() ?? this.#logFiles.findIndexFault());
  }

  /** Requires as `requireNamedFiles`, and that no other program wrote to the database. @throws Refusal unavailable */
  async requireWholeFiles(): Promise<void> {
    await this.#requireNoOtherWriter(this.requireNamedFiles());
  }

  /** Requires as `requireWholeFiles`, but not of `-shm`, which has no committed content. @throws Refusal unavailable */
  async requireCommittedFiles(): Promise<void> {
    await this.#requireNoOtherWriter(this.#requireFiles(() => this.#logFiles.findLogFault()));
  }

  /**
   * Checks the length of the files before a transaction: SQLite would read missing pages, and a long transaction may
   * write to the log before its commit, which restores the length of a truncated log.
   * @throws Refusal unavailable
   */
  requireFileLengths(): void {
    this.#fault ??= this.#logFiles.findShortage();
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** Restores the size of `-shm` before a read, because SQLite accesses it. */
  restoreIndexSize(): void {
    this.#logFiles.restoreIndexSize();
  }

  /** Copies a long log to the database right after a check of both files. SQLite would copy it within the commit. */
  async copyLongLog(writer: SqliteRunner): Promise<void> {
    if ((this.#logFiles.checkedIndex?.frames ?? 0) < MIN_COPIED_FRAMES) return;
    // The committed content is in the log; if the disk is full now, the next change fails.
    await writer.all("PRAGMA wal_checkpoint(PASSIVE)").catch(() => {});
    this.#recordState(this.#readState());
  }

  /**
   * Leaves a consistent database at the path after a fault. Copies the log to the opened database if the log lost its
   * path, or if another database is at the path. Otherwise empties a log that does not belong to the database there.
   */
  async saveContent(writer: SqliteRunner): Promise<void> {
    const look = this.#file.readProperties();
    const isReplaced = look?.isOpened === false;
    if (this.#fault === undefined && !isReplaced) return;
    const isWhole = look?.isOpened === true && (!this.#isShort(look) || this.#isOtherState(this.#readState()));
    try {
      const isStranded = isReplaced ? this.#logFiles.isLogNamed : isWhole && !this.#logFiles.isLogNamed;
      if (isStranded && this.#logFiles.canLogBeCopied) await writer.all("PRAGMA wal_checkpoint(TRUNCATE)");
      else if (
        isWhole &&
        this.#logFiles.isLogNamed &&
        this.#logFiles.copyMark === this.#copyMark &&
        this.#isOtherState(this.#readState())
      )
        this.#logFiles.emptyLog();
      else this.#logFiles.discardShortLog();
    } catch {
      // The next check tries again: the disk may be full, or a reader may block the copy.
    }
  }

  /** Whether connections may be closed: not after a fault, because the last one copies the log to the database. */
  async canCloseConnections(writer: SqliteRunner): Promise<boolean> {
    try {
      await this.requireWholeFiles();
    } catch {
      await this.saveContent(writer);
    }
    return this.#fault === undefined;
  }

  /** Closes the descriptors. Call it after all connections are closed. */
  close(): void {
    this.#logFiles.close();
  }

  #requireFiles(faultOf: () => OperationError | undefined): FileProperties {
    if (this.#fault !== undefined) throw this.#fault;
    const look = this.#file.requireSameFile();
    this.#fault = faultOf();
    // A backup that was copied over the database may be shorter and still complete.
    if (this.#isShort(look))
      this.#fault ??= createChangedFileRefusal(
        this.#file.path,
        MAIN_FILE,
        this.#isOtherState(this.#readState()) ? "overwritten" : "truncated",
      );
    if (this.#fault !== undefined) throw this.#fault;
    return look;
  }

  async #requireNoOtherWriter({ writtenAt }: FileProperties): Promise<void> {
    if (writtenAt === this.#writtenAt) {
      // A new log has another mark, although no frames were copied.
      this.#copyMark = this.#logFiles.checkedIndex?.copyMark;
      return;
    }
    if (!(await this.#isOverwritten())) return;
    this.#fault = createChangedFileRefusal(this.#file.path, MAIN_FILE, "overwritten");
    throw this.#fault;
  }

  /**
   * Whether the database file differs from the last read although no process copied the log to it. A process records
   * such a copy only at its end, so the check waits.
   */
  async #isOverwritten(): Promise<boolean> {
    let writtenAt = this.#file.readProperties()?.writtenAt;
    for (let end = performance.now() + MAX_COPY_WAIT_MS; ; ) {
      const state = this.#readState();
      if (!this.#isOtherState(state) || this.#logFiles.copyMark !== this.#copyMark) {
        this.#recordState(state);
        return false;
      }
      if (performance.now() > end) return true;
      await sleep(COPY_CHECK_MS);
      const now = this.#file.readProperties()?.writtenAt;
      if (now !== writtenAt) end = performance.now() + MAX_COPY_WAIT_MS;
      writtenAt = now;
    }
  }

  #isOtherState(state: FileState | undefined): boolean {
    const known = this.#state;
    if (known === undefined || state === undefined) return false;
    return known.revision !== state.revision || (known.key !== undefined && known.key !== state.key);
  }

  #recordState(state: FileState | undefined): void {
    this.#writtenAt = this.#file.readProperties()?.writtenAt;
    this.#copyMark = this.#logFiles.copyMark;
    this.#state = state ?? this.#state;
  }

  /** Reads the file's state; undefined if unreadable now: no descriptor is left or the tables do not exist yet. */
  #readState(): FileState | undefined {
    try {
      const database = new DatabaseSync(this.#file.formatAddress("alone"), { timeout: 0 });
      try {
        const rows = database.prepare(STATE_QUERY).all();
        const values = new Map(rows.map(({ name, value }) => [name, String(value)]));
        return { key: values.get("page_token_key"), revision: Number(values.get("revision")) };
      } finally {
        database.close();
      }
    } catch {
      return undefined;
    }
  }

  #isShort(look: FileProperties): boolean {
    return this.#file.hasShrunk(look, () => this.#logFiles.databaseBytes);
  }
}
