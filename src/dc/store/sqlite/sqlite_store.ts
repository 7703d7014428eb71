import { existsSync, rmSync, statSync } from "node:fs";
import { createUnavailableRefusal } from "#dc/model/refusal.ts";
import type { DcReader, DcStore, DcWriter } from "#dc/ports.ts";
import { DraftRunner } from "../draft_space.ts";
import { migrateSchema, requireMigratedSchema } from "../migrate.ts";
import { createClosedError, WorkQueue } from "../queue.ts";
import { SQLITE } from "../sql/dialect.ts";
import { SqlReader } from "../sql/sql_reader.ts";
import type { OnStatement, SqlRunner } from "../sql/sql_runner.ts";
import { SqlWriter } from "../sql/sql_writer.ts";
import { OpenFiles } from "./open_files.ts";
import { convertFileOpenError, isDiskFailure, isLockError, retryWhileLocked } from "./sqlite_errors.ts";
import { type FileUse, SqliteFile } from "./sqlite_file.ts";
import { LIST_TABLES_SQL, requireOwnTables } from "./sqlite_inspection.ts";
import { SqliteRunner } from "./sqlite_runner.ts";

/** Number of connections for reads; each reads one snapshot at a time. */
const READERS = 4;
/** Page caches of connections in KiB. Measured: more per reader only duplicated the system's cache. */
const WRITER_CACHE_KIB = 64 * 1024;
const READER_CACHE_KIB = 24 * 1024;
const REVISION_CACHE_KIB = 64;
/** Size in bytes up to which a file is checked completely when it is opened, which takes some tenths of a second. */
const MAX_CHECKED_BYTES = 128 * 1024 * 1024;
/** Time in milliseconds for which a successful write counts as proof that writes succeed. */
const PROOF_MS = 2000;

const MALFORMED = /malformed|not a database|corrupt/i;

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
    if (isNew && isDiskFailure(error)) removeDatabase(path);
    throw convertFileOpenError(path, error);
  }
}

function removeDatabase(path: string): void {
  for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(`${path}${end}`, { force: true });
}

class SqliteStore implements DcStore {
  readonly #file: SqliteFile;
  readonly #onStatement: OnStatement;
  readonly #isReadOnly: boolean;
  #writer: SqliteRunner | undefined;
  readonly #readers: SqliteRunner[] = [];
  /** Connection that reads the revision during long reads. */
  #revisions: SqliteRunner | undefined;
  readonly #writing = new WorkQueue(1);
  readonly #reading = new WorkQueue(READERS);
  readonly #drafts = new DraftRunner();
  readonly #closing = new AbortController();
  /** SQLite's error about a damaged page. */
  #malformed: unknown;
  /** Open files; undefined until the file has its schema. */
  #open: OpenFiles | undefined;
  #lastWriteAt = Number.NEGATIVE_INFINITY;

  constructor(file: SqliteFile, onStatement: OnStatement) {
    this.#file = file;
    this.#onStatement = onStatement;
    this.#isReadOnly = file.isReadOnly;
  }

  /** Opens the file, checks it, and migrates its schema. */
  async prepare(): Promise<void> {
    if (this.#isReadOnly) {
      this.#file.remember();
      await this.read(async () => requireMigratedSchema(await this.#tablesAndSteps()));
      return;
    }
    await requireOwnFile(this.#file);
    const writer = await retryWhileLocked(async () => this.#connect("create", WRITER_CACHE_KIB), this.#closing.signal);
    this.#writer = writer;
    this.#file.remember();
    await checkPageConsistency(writer, this.#file.path);
    await this.#inWrite(writer, async () => {
      requireOwnTables(await writer.all(LIST_TABLES_SQL));
      await migrateSchema(writer, SQLITE);
    });
    // Copies the log, so that the file itself contains the schema.
    await writer.all("PRAGMA wal_checkpoint(PASSIVE)").catch(() => {});
    this.#open = new OpenFiles(this.#file);
  }

  async write<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    return this.#writing.enter(async () => {
      const writer = this.#usableWriter();
      try {
        return await this.#inWrite(writer, (runner) => SqlWriter.run(runner, SQLITE, work));
      } catch (error) {
        const fault = await this.#fileFault();
        await this.#open?.save(writer);
        throw fault ?? error;
      }
    });
  }

  async read<Result>(work: (reader: DcReader) => Promise<Result>): Promise<Result> {
    return this.#inSnapshot((runner) => work(new SqlReader(runner, SQLITE)));
  }

  async draft<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    this.#usableWriter();
    return this.#inSnapshot((runner) => this.#drafts.run(runner, SQLITE, work));
  }

  async #inSnapshot<Result>(work: (runner: SqliteRunner) => Promise<Result>): Promise<Result> {
    return this.#reading.enter(() =>
      retryWhileLocked(async () => {
        this.#open?.keepIndex();
        const runner = this.#readers.pop() ?? this.#reader(READER_CACHE_KIB);
        try {
          return await runTransaction(runner, "BEGIN", () => work(runner));
        } finally {
          this.#readers.push(runner);
        }
      }, this.#closing.signal),
    );
  }

  async revision(): Promise<number> {
    if (this.#reading.isClosed) throw createClosedError();
    return retryWhileLocked(async () => {
      this.#open?.keepIndex();
      this.#revisions ??= this.#reader(REVISION_CACHE_KIB);
      return new SqlReader(this.#revisions, SQLITE).revision();
    }, this.#closing.signal);
  }

  async check(): Promise<void> {
    const writer = this.#isReadOnly ? undefined : this.#usableWriter();
    try {
      await this.#demandWhole();
    } catch (error) {
      if (writer !== undefined && this.#writing.use.running === 0)
        await this.#writing.enter(async () => this.#open?.save(writer));
      throw error;
    }
    if (writer === undefined) return void (await this.revision());
    this.#file.demandSpace();
    await this.revision();
    const isProven = performance.now() - this.#lastWriteAt < PROOF_MS;
    if (!isProven && this.#writing.use.running === 0) await this.#writing.enter(() => this.#tryWrite());
  }

  use() {
    return { read: this.#reading.use, write: this.#writing.use };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing.close();
    await this.#reading.close();
    this.#drafts.close();
    if (this.#writer !== undefined && (await this.#open?.mayBeClosed(this.#writer)) === false) return;
    for (const reader of this.#readers) reader.close();
    this.#revisions?.close();
    this.#writer?.close();
    this.#open?.close();
  }

  /** Writes a row unchanged, which requires the rights and space of a change. Another process's lock is no fault. */
  async #tryWrite(): Promise<void> {
    const writer = this.#usableWriter();
    try {
      await runTransaction(writer, SQLITE.beginWrite, async () => {
        await writer.run("UPDATE setting SET value = value WHERE name = 'revision'");
        await this.#demandWhole();
      });
      this.#lastWriteAt = performance.now();
    } catch (error) {
      if (!isLockError(error)) throw error;
    }
  }

  /** Runs a transaction, and returns its result only if the files that contain it would remain after a crash. */
  async #inWrite<Result>(runner: SqliteRunner, work: (runner: SqliteRunner) => Promise<Result>): Promise<Result> {
    this.#open?.demandLength();
    await retryWhileLocked(() => runner.run(SQLITE.beginWrite), this.#closing.signal);
    const result = await finishTransaction(runner, async () => {
      const made = await work(runner);
      await this.#demandWhole();
      return made;
    });
    if (this.#open === undefined) this.#file.demandSame();
    else await this.#open.demandKept();
    this.#lastWriteAt = performance.now();
    await this.#open?.copyLongLog(runner);
    return result;
  }

  async #demandWhole(): Promise<void> {
    if (this.#open === undefined) this.#file.demandSame();
    else await this.#open.demandWhole();
  }

  /** Returns the files' fault; undefined without one. A fault explains SQLite's error about damaged pages. */
  async #fileFault(): Promise<unknown> {
    try {
      await this.#demandWhole();
      return undefined;
    } catch (error) {
      this.#malformed = undefined;
      return error;
    }
  }

  #usableWriter(): SqliteRunner {
    if (this.#malformed !== undefined)
      throw createUnavailableRefusal("The database is malformed: changes are refused", this.#malformed);
    if (this.#writer !== undefined) return this.#writer;
    const message = "The database cannot be changed: its file is read-only";
    throw createUnavailableRefusal(message, new Error(message));
  }

  #reader(cacheKib: number): SqliteRunner {
    // A connection that is opened next to a removed log would create a new log.
    if (this.#open === undefined) this.#file.demandSame();
    else this.#open.demandNamed();
    return this.#connect(this.#isReadOnly ? "read" : "write", cacheKib);
  }

  #connect(use: FileUse, cacheKib: number): SqliteRunner {
    const onError = (error: unknown) => {
      if (error instanceof Error && MALFORMED.test(error.message)) this.#malformed ??= error;
    };
    return new SqliteRunner({ address: this.#file.address(use), cacheKib, onStatement: this.#onStatement, onError });
  }

  async #tablesAndSteps(): Promise<number> {
    const runner = this.#reader(REVISION_CACHE_KIB);
    try {
      if (!requireOwnTables(await runner.all(LIST_TABLES_SQL))) return 0;
      const [row] = await runner.all("SELECT COUNT(*) AS steps FROM migration");
      return Number(row?.["steps"]);
    } finally {
      runner.close();
    }
  }
}

/**
 * Checks that a file is not another program's before a connection that may write changes its header. Leaves unreadable
 * files to that connection.
 * @throws OperationError failed_precondition for a file with another program's tables
 */
async function requireOwnFile(file: SqliteFile): Promise<void> {
  if ((statSync(file.path, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  let reader: SqliteRunner;
  try {
    reader = new SqliteRunner({ address: file.address("read"), cacheKib: REVISION_CACHE_KIB });
  } catch {
    return;
  }
  const tables = await reader.all(LIST_TABLES_SQL).catch(() => []);
  reader.close();
  requireOwnTables(tables);
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
