import { existsSync, rmSync, statSync } from "node:fs";
import { createUnavailableRefusal } from "#dc/model/refusal.ts";
import type { DcReader, DcStore, DcWriter } from "#dc/ports.ts";
import { DraftRunner } from "../draft_space.ts";
import { migrateSchema, requireMigratedSchema } from "../migrations.ts";
import { createClosedError, WorkQueue } from "../queue.ts";
import { SqlReader } from "../sql/sql_reader.ts";
import { type OnStatement, SQLITE, type SqlRunner } from "../sql/sql_runner.ts";
import { SqlWriter } from "../sql/sql_writer.ts";
import { OpenFiles } from "./open_files.ts";
import {
  convertFileOpenError,
  type FileUse,
  isDiskFailure,
  isLockError,
  retryWhileLocked,
  SqliteFile,
  SqliteRunner,
} from "./sqlite_connection.ts";
import { LIST_TABLES_SQL, readOwnSteps, requireOwnTables } from "./sqlite_inspection.ts";

/** Number of connections for reads; each reads one snapshot at a time. */
const MAX_READERS = 4;
/** Page caches of connections in KiB. Measured: more per reader only duplicated the system's cache. */
const WRITER_CACHE_KIB = 64 * 1024;
const READER_CACHE_KIB = 24 * 1024;
const REVISION_CACHE_KIB = 64;
/** Size in bytes up to which a file is checked completely when it is opened, which takes some tenths of a second. */
const MAX_CHECKED_BYTES = 128 * 1024 * 1024;
/** Time in milliseconds for which a successful write counts as proof that writes succeed. */
const WRITE_PROOF_MS = 2000;

const MALFORMED_MESSAGE = /malformed|not a database|corrupt/i;

/**
 * Opens the embedded database: one file in WAL mode. One write runs at a time; reads run concurrently on their own
 * snapshots. A file on read-only media is opened for reading.
 *
 * @throws OperationError unavailable if the file cannot be opened or is malformed, failed_precondition if it is from a
 * newer or another program
 */
export async function openSqlite(path: string, onStatement: OnStatement = () => {}): Promise<DcStore> {
  const file = new SqliteFile(path);
  const isNew = !existsSync(path);
  const store = new SqliteStore(file, onStatement);
  try {
    await store.prepare();
    return store;
  } catch (error) {
    await store.close();
    // A remaining empty database would look like one that lost its data.
    if (isNew && isDiskFailure(error))
      for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(`${path}${end}`, { force: true });
    throw convertFileOpenError(path, error);
  }
}

class SqliteStore implements DcStore {
  readonly #file: SqliteFile;
  readonly #onStatement: OnStatement;
  readonly #isReadOnly: boolean;
  #writer: SqliteRunner | undefined;
  readonly #readers: SqliteRunner[] = [];
  /** Connection that reads the revision during long reads. */
  #revisionReader: SqliteRunner | undefined;
  readonly #writeQueue = new WorkQueue(1);
  readonly #readQueue = new WorkQueue(MAX_READERS);
  readonly #draftRunner = new DraftRunner();
  readonly #closeController = new AbortController();
  /** SQLite's error about a damaged page. */
  #malformedError: unknown;
  /** Open files; undefined until the file has its schema. */
  #openFiles: OpenFiles | undefined;
  #lastWriteAt = Number.NEGATIVE_INFINITY;

  constructor(file: SqliteFile, onStatement: OnStatement) {
    this.#file = file;
    this.#onStatement = onStatement;
    this.#isReadOnly = file.isReadOnly;
  }

  /** Opens the file, checks it, and migrates its schema. */
  async prepare(): Promise<void> {
    if (this.#isReadOnly) {
      this.#file.recordIdentity();
      await this.read(async () => requireMigratedSchema(await this.#readStepCount()));
      return;
    }
    await requireSoundFile(this.#file);
    const writer = await retryWhileLocked(
      async () => this.#openConnection("create", WRITER_CACHE_KIB),
      this.#closeController.signal,
    );
    this.#writer = writer;
    this.#file.recordIdentity();
    await this.#runWrite(writer, async () => {
      requireOwnTables(await writer.all(LIST_TABLES_SQL));
      await migrateSchema(writer, SQLITE);
    });
    // Copies the log, so that the file itself contains the schema.
    await writer.all("PRAGMA wal_checkpoint(PASSIVE)").catch(() => {});
    this.#openFiles = new OpenFiles(this.#file);
  }

  async write<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    return this.#writeQueue.runWork(async () => {
      const writer = this.#requireWriter();
      try {
        return await this.#runWrite(writer, (runner) => SqlWriter.run(runner, SQLITE, work));
      } catch (error) {
        const fault = await this.#findFileFault();
        await this.#openFiles?.saveContent(writer);
        throw fault ?? error;
      }
    });
  }

  async read<Result>(work: (reader: DcReader) => Promise<Result>): Promise<Result> {
    return this.#runInSnapshot((runner) => work(new SqlReader(runner, SQLITE)));
  }

  async draft<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    this.#requireWriter();
    return this.#runInSnapshot((runner) => this.#draftRunner.run(runner, SQLITE, work));
  }

  async #runInSnapshot<Result>(work: (runner: SqliteRunner) => Promise<Result>): Promise<Result> {
    return this.#readQueue.runWork(() =>
      retryWhileLocked(async () => {
        this.#openFiles?.restoreIndexSize();
        const runner = this.#readers.pop() ?? this.#openReader(READER_CACHE_KIB);
        try {
          return await runTransaction(runner, "BEGIN", () => work(runner));
        } finally {
          this.#readers.push(runner);
        }
      }, this.#closeController.signal),
    );
  }

  async revision(): Promise<number> {
    if (this.#readQueue.isClosed) throw createClosedError();
    return retryWhileLocked(async () => {
      this.#openFiles?.restoreIndexSize();
      this.#revisionReader ??= this.#openReader(REVISION_CACHE_KIB);
      return new SqlReader(this.#revisionReader, SQLITE).revision();
    }, this.#closeController.signal);
  }

  async check(): Promise<void> {
    const writer = this.#isReadOnly ? undefined : this.#requireWriter();
    try {
      await this.#requireWholeFiles();
    } catch (error) {
      if (writer !== undefined && this.#writeQueue.use.running === 0)
        await this.#writeQueue.runWork(async () => this.#openFiles?.saveContent(writer));
      throw error;
    }
    if (writer === undefined) return void (await this.revision());
    this.#file.requireFreeSpace();
    await this.revision();
    const isProven = performance.now() - this.#lastWriteAt < WRITE_PROOF_MS;
    if (!isProven && this.#writeQueue.use.running === 0) await this.#writeQueue.runWork(() => this.#tryWrite());
  }

  use() {
    return { read: this.#readQueue.use, write: this.#writeQueue.use };
  }

  async close(): Promise<void> {
    this.#closeController.abort();
    await this.#writeQueue.close();
    await this.#readQueue.close();
    this.#draftRunner.close();
    if (this.#writer !== undefined && (await this.#openFiles?.canCloseConnections(this.#writer)) === false) return;
    for (const reader of this.#readers) reader.close();
    this.#revisionReader?.close();
    this.#writer?.close();
    this.#openFiles?.close();
  }

  /** Writes a row unchanged, which requires the rights and space of a change. Another process's lock is no fault. */
  async #tryWrite(): Promise<void> {
    const writer = this.#requireWriter();
    try {
      await runTransaction(writer, SQLITE.beginWrite, async () => {
        await writer.run("UPDATE setting SET value = value WHERE name = 'revision'");
        await this.#requireWholeFiles();
      });
      this.#lastWriteAt = performance.now();
    } catch (error) {
      if (!isLockError(error)) throw error;
    }
  }

  /** Runs a transaction, and returns its result only if the files that contain it would remain after a crash. */
  async #runWrite<Result>(runner: SqliteRunner, work: (runner: SqliteRunner) => Promise<Result>): Promise<Result> {
    this.#openFiles?.requireFileLengths();
    await retryWhileLocked(() => runner.run(SQLITE.beginWrite), this.#closeController.signal);
    const result = await finishTransaction(runner, async () => {
      const made = await work(runner);
      await this.#requireWholeFiles();
      return made;
    });
    if (this.#openFiles === undefined) this.#file.requireSameFile();
    else await this.#openFiles.requireCommittedFiles();
    this.#lastWriteAt = performance.now();
    await this.#openFiles?.copyLongLog(runner);
    return result;
  }

  async #requireWholeFiles(): Promise<void> {
    if (this.#openFiles === undefined) this.#file.requireSameFile();
    else await this.#openFiles.requireWholeFiles();
  }

  /** Returns the files' fault; undefined without one. A fault explains SQLite's error about damaged pages. */
  async #findFileFault(): Promise<unknown> {
    try {
      await this.#requireWholeFiles();
      return undefined;
    } catch (error) {
      this.#malformedError = undefined;
      return error;
    }
  }

  #requireWriter(): SqliteRunner {
    if (this.#malformedError !== undefined)
      throw createUnavailableRefusal("The database is malformed: changes are refused", this.#malformedError);
    if (this.#writer !== undefined) return this.#writer;
    const message = "The database cannot be changed: its file is read-only";
    throw createUnavailableRefusal(message, new Error(message));
  }

  #openReader(cacheKib: number): SqliteRunner {
    // A connection that is opened next to a removed log would create a new log.
    if (this.#openFiles === undefined) this.#file.requireSameFile();
    else this.#openFiles.requireNamedFiles();
    return this.#openConnection(this.#isReadOnly ? "read" : "write", cacheKib);
  }

  #openConnection(use: FileUse, cacheKib: number): SqliteRunner {
    const onError = (error: unknown) => {
      if (error instanceof Error && MALFORMED_MESSAGE.test(error.message)) this.#malformedError ??= error;
    };
    return new SqliteRunner({
      address: this.#file.formatAddress(use),
      cacheKib,
      onStatement: this.#onStatement,
      onError,
    });
  }

  async #readStepCount(): Promise<number> {
    const runner = this.#openReader(REVISION_CACHE_KIB);
    try {
      return await readOwnSteps(runner);
    } finally {
      runner.close();
    }
  }
}

/**
 * Checks that a file is sound and not another program's before a connection that may write changes it: closing such a
 * connection would copy the log into a damaged file. Leaves files that cannot be read now to that connection.
 * @throws OperationError failed_precondition for a file with another program's tables; SQLite's error for damaged pages
 */
async function requireSoundFile(file: SqliteFile): Promise<void> {
  if ((statSync(file.path, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  let reader: SqliteRunner;
  try {
    reader = new SqliteRunner({ address: file.formatAddress("read"), cacheKib: REVISION_CACHE_KIB });
  } catch (error) {
    return throwIfMalformed(error);
  }
  try {
    const tables = await reader.all(LIST_TABLES_SQL).catch(throwIfMalformed);
    requireOwnTables(tables ?? []);
    if (tables !== undefined) await checkPageConsistency(reader, file.path);
  } finally {
    reader.close();
  }
}

function throwIfMalformed(error: unknown): undefined {
  if (error instanceof Error && MALFORMED_MESSAGE.test(error.message)) throw error;
  return undefined;
}

/** Checks that the pages are consistent. Skipped for a large file, which `dc doctor` checks. */
async function checkPageConsistency(runner: SqlRunner, path: string): Promise<void> {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_CHECKED_BYTES) return;
  const [row] = await runner.all("PRAGMA quick_check(1)");
  const found = String(row?.["quick_check"]);
  if (found !== "ok")
    throw createUnavailableRefusal(`The database is malformed: ${found}`, new Error(`it is malformed: ${found}`));
}

async function runTransaction<Result>(runner: SqlRunner, begin: string, work: () => Promise<Result>): Promise<Result> {
  await runner.run(begin);
  return finishTransaction(runner, work);
}

/** Runs `work` and commits; rolls back if it throws. The transaction must have begun. */
async function finishTransaction<Result>(runner: SqlRunner, work: () => Promise<Result>): Promise<Result> {
  let result: Result;
  try {
    result = await work();
    await runner.run("COMMIT");
  } catch (error) {
    // SQLite rolls back the whole transaction itself on some errors, such as a full disk; then the ROLLBACK fails.
    await runner.run("ROLLBACK").catch(() => {});
    throw error;
  }
  return result;
}
