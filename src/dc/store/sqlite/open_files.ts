import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { OperationError } from "#kernel/errors.ts";
import { changedFile, LogFiles } from "./log_files.ts";
import type { FileLook, SqliteFile } from "./sqlite_file.ts";
import type { SqliteRunner } from "./sqlite_runner.ts";

/** Frames of the log from which they are copied to the database. SQLite's own default. */
const COPIED_FRAMES = 1000;
/** How a message names the database file itself. */
const MAIN = "main";
/** Rows that tell a database from another one, and a state from an earlier one. */
const STATE = "SELECT name, value FROM setting WHERE name IN ('page_token_key', 'revision')";

/**
 * How long another process may take to write down that it copied the log, in milliseconds, and the pause between looks.
 * Ours: a flush of a slow disk.
 */
const COPYING_MS = 5000;
const LOOK_MS = 50;

/** What the database file says without its log. */
interface FileState {
  /** A key that every database makes once; absent before. */
  readonly key: string | undefined;
  readonly revision: number;
}

/**
 * The files of a database that is open for writing. What is committed to files which no path names is lost with the
 * process, so the store checks them before it acknowledges anything.
 */
export class OpenFiles {
  readonly #file: SqliteFile;
  readonly #log: LogFiles;
  /** The fault of the files. It lasts: what was committed since may be in files that no path names. */
  #lost: OperationError | undefined;
  /** The database file when it was read last: when it was written, after which copy of the log, and what it said. */
  #writtenAt: bigint | undefined;
  #copyMark: string | undefined;
  #state: FileState | undefined;

  /** @param file the database, which a connection has open with its log */
  constructor(file: SqliteFile) {
    this.#file = file;
    this.#log = new LogFiles(file.path);
    this.#noteState(this.#readState());
  }

  /** @throws Refusal unavailable unless the paths of the database and its log name the open files, at their full length */
  demandNamed(): FileLook {
    return this.#demand(() => this.#log.logFault() ?? this.#log.indexFault());
  }

  /** The same, and that no other program wrote to the database. @throws Refusal unavailable */
  async demandWhole(): Promise<void> {
    await this.#demandOwn(this.demandNamed());
  }

  /** The same of the files that keep what was committed, which `-shm` does not. @throws Refusal unavailable */
  async demandKept(): Promise<void> {
    await this.#demandOwn(this.#demand(() => this.#log.logFault()));
  }

  /**
   * Checks before a transaction what none may meet: SQLite reads what is not there, and a long transaction may write to
   * the log before its commit, which gives a truncated one its length back.
   * @throws Refusal unavailable
   */
  demandLength(): void {
    this.#lost ??= this.#log.shortage();
    if (this.#lost !== undefined) throw this.#lost;
  }

  /** Prepares a read: `-shm` must have its size before SQLite accesses it. */
  keepIndex(): void {
    this.#log.keepIndex();
  }

  /** Copies a long log to the database, right after a check of both: SQLite would do so within the commit. */
  async copyLongLog(writer: SqliteRunner): Promise<void> {
    if ((this.#log.checked?.frames ?? 0) < COPIED_FRAMES) return;
    // What was committed is in the log: a disk that is full now refuses the next change.
    await writer.all("PRAGMA wal_checkpoint(PASSIVE)").catch(() => {});
    this.#noteState(this.#readState());
  }

  /**
   * Leaves a whole database behind once its files are not what was opened. A log without a path is copied to the
   * database. One that is left beside another database is copied to its own database, where it was replaced, and
   * emptied.
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
      // Tried again at the next check: the disk may be full, or a reader in between.
    }
  }

  /** Whether the connections may be closed: the last one copies the log to the database, whatever became of both. */
  async mayBeClosed(writer: SqliteRunner): Promise<boolean> {
    try {
      await this.demandWhole();
    } catch {
      await this.save(writer);
    }
    return this.#lost === undefined;
  }

  /** To be called after all connections are closed. */
  close(): void {
    this.#log.close();
  }

  #demand(faultOf: () => OperationError | undefined): FileLook {
    if (this.#lost !== undefined) throw this.#lost;
    const look = this.#file.demandSame();
    this.#lost = faultOf();
    // A backup that was copied over the database may be shorter, and is whole.
    if (this.#isShort(look))
      this.#lost ??= changedFile(this.#file.path, MAIN, this.#isOther(this.#readState()) ? "overwritten" : "truncated");
    if (this.#lost !== undefined) throw this.#lost;
    return look;
  }

  async #demandOwn({ writtenAt }: FileLook): Promise<void> {
    if (writtenAt === this.#writtenAt) {
      // A log that begins anew has another mark, although nothing was copied.
      this.#copyMark = this.#log.checked?.copyMark;
      return;
    }
    if (!(await this.#isOverwritten())) return;
    this.#lost = changedFile(this.#file.path, MAIN, "overwritten");
    throw this.#lost;
  }

  /**
   * Whether the database file has another state than when it was read last, and no process copied the log to it. One
   * that does says so at its end.
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

  /** Undefined if the file cannot be read now, for want of a descriptor or before it has tables. */
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
