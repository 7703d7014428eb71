import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { OperationError } from "#kernel/errors.ts";
import { createChangedFileRefusal, LogFiles } from "./log_files.ts";
import type { FileLook, SqliteFile } from "./sqlite_file.ts";
import type { SqliteRunner } from "./sqlite_runner.ts";

/** Number of log frames from which the log is copied to the database; SQLite's own default. */
const COPIED_FRAMES = 1000;
/** Name of the database file itself in messages. */
const MAIN = "main";
/** Query for rows that identify a database and its state. */
const STATE = "SELECT name, value FROM setting WHERE name IN ('page_token_key', 'revision')";

/**
 * Maximum time for another process to record that it copied the log, in milliseconds, and the pause between checks.
 * Chosen by us: a slow disk needs seconds to flush.
 */
const COPYING_MS = 5000;
const LOOK_MS = 50;

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
  readonly #log: LogFiles;
  /** Fault of the files. It is permanent, because later commits may be in files without a path. */
  #lost: OperationError | undefined;
  /** State of the database file at the last read: modification time, the log's copy before it, and content. */
  #writtenAt: bigint | undefined;
  #copyMark: string | undefined;
  #state: FileState | undefined;

  /** Opens the files. @param file the database, which a connection has open with its log */
  constructor(file: SqliteFile) {
    this.#file = file;
    this.#log = new LogFiles(file.path);
    this.#noteState(this.#readState());
  }

  /** Requires that the paths of database and log name the open files at full length. @throws Refusal unavailable */
  demandNamed(): FileLook {
    return this.#demand(() => this.#log.logFault() ?? this.#log.indexFault());
  }

  /** Requires as `demandNamed`, and that no other program wrote to the database. @throws Refusal unavailable */
  async demandWhole(): Promise<void> {
    await this.#demandOwn(this.demandNamed());
  }

  /** Requires as `demandWhole`, but not of `-shm`, which has no committed content. @throws Refusal unavailable */
  async demandKept(): Promise<void> {
    await this.#demandOwn(this.#demand(() => this.#log.logFault()));
  }

  /**
   * Checks the length of the files before a transaction: SQLite would read missing pages, and a long transaction may
   * write to the log before its commit, which restores the length of a truncated log.
   * @throws Refusal unavailable
   */
  demandLength(): void {
    this.#lost ??= this.#log.shortage();
    if (this.#lost !== undefined) throw this.#lost;
  }

  /** Restores the size of `-shm` before a read, because SQLite accesses it. */
  keepIndex(): void {
    this.#log.keepIndex();
  }

  /** Copies a long log to the database right after a check of both files. SQLite would copy it within the commit. */
  async copyLongLog(writer: SqliteRunner): Promise<void> {
    if ((this.#log.checked?.frames ?? 0) < COPIED_FRAMES) return;
    // The committed content is in the log; if the disk is full now, the next change fails.
    await writer.all("PRAGMA wal_checkpoint(PASSIVE)").catch(() => {});
    this.#noteState(this.#readState());
  }

  /**
   * Leaves a consistent database at the path after a fault. Copies the log to the opened database if the log lost its
   * path, or if another database is at the path. Otherwise empties a log that does not belong to the database there.
   */
  async save(writer: SqliteRunner): Promise<void> {
    const look = this.#file.look();
    const isReplaced = look?.isOpened === false;
    if (this.#lost === undefined && !isReplaced) return;
    const isWhole = look?.isOpened === true && (!this.#isShort(look) || this.#isOther(this.#readState()));
    try {
      const isStranded = isReplaced ? this.#log.isNamed : isWhole && !this.#log.isNamed;
      if (isStranded && this.#log.canBeCopied) await writer.all("PRAGMA wal_checkpoint(TRUNCATE)");
      else if (
        isWhole &&
        this.#log.isNamed &&
        this.#log.copyMark === this.#copyMark &&
        this.#isOther(this.#readState())
      )
        this.#log.empty();
      else this.#log.discardCopied();
    } catch {
      // The next check tries again: the disk may be full, or a reader may block the copy.
    }
  }

  /** Whether connections may be closed: not after a fault, because the last one copies the log to the database. */
  async mayBeClosed(writer: SqliteRunner): Promise<boolean> {
    try {
      await this.demandWhole();
    } catch {
      await this.save(writer);
    }
    return this.#lost === undefined;
  }

  /** Closes the descriptors. Call it after all connections are closed. */
  close(): void {
    this.#log.close();
  }

  #demand(faultOf: () => OperationError | undefined): FileLook {
    if (this.#lost !== undefined) throw this.#lost;
    const look = this.#file.demandSame();
    this.#lost = faultOf();
    // A backup that was copied over the database may be shorter and still complete.
    if (this.#isShort(look))
      this.#lost ??= createChangedFileRefusal(
        this.#file.path,
        MAIN,
        this.#isOther(this.#readState()) ? "overwritten" : "truncated",
      );
    if (this.#lost !== undefined) throw this.#lost;
    return look;
  }

  async #demandOwn({ writtenAt }: FileLook): Promise<void> {
    if (writtenAt === this.#writtenAt) {
      // A new log has another mark, although no frames were copied.
      this.#copyMark = this.#log.checked?.copyMark;
      return;
    }
    if (!(await this.#isOverwritten())) return;
    this.#lost = createChangedFileRefusal(this.#file.path, MAIN, "overwritten");
    throw this.#lost;
  }

  /**
   * Whether the database file differs from the last read although no process copied the log to it. A process records
   * such a copy only at its end, so the check waits.
   */
  async #isOverwritten(): Promise<boolean> {
    let writtenAt = this.#file.look()?.writtenAt;
    for (let end = performance.now() + COPYING_MS; ; ) {
      const state = this.#readState();
      if (!this.#isOther(state) || this.#log.copyMark !== this.#copyMark) {
        this.#noteState(state);
        return false;
      }
      if (performance.now() > end) return true;
      await sleep(LOOK_MS);
      const now = this.#file.look()?.writtenAt;
      if (now !== writtenAt) end = performance.now() + COPYING_MS;
      writtenAt = now;
    }
  }

  #isOther(state: FileState | undefined): boolean {
    const known = this.#state;
    if (known === undefined || state === undefined) return false;
    return known.revision !== state.revision || (known.key !== undefined && known.key !== state.key);
  }

  #noteState(state: FileState | undefined): void {
    this.#writtenAt = this.#file.look()?.writtenAt;
    this.#copyMark = this.#log.copyMark;
    this.#state = state ?? this.#state;
  }

  /** Reads the file's state; undefined if unreadable now: no descriptor is left or the tables do not exist yet. */
  #readState(): FileState | undefined {
    try {
      const database = new DatabaseSync(this.#file.address("alone"), { timeout: 0 });
      try {
        const rows = database.prepare(STATE).all();
        const values = new Map(rows.map(({ name, value }) => [name, String(value)]));
        return { key: values.get("page_token_key"), revision: Number(values.get("revision")) };
      } finally {
        database.close();
      }
    } catch {
      return undefined;
    }
  }

  #isShort(look: FileLook): boolean {
    return this.#file.isShorter(look, () => this.#log.databaseBytes);
  }
}
