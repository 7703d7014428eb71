import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { DcReader, DcStore, DcWriter } from "#dc/ports.ts";
import { SQLITE } from "./dialect.ts";
import { migrate } from "./migrate.ts";
import { closed, Queue } from "./queue.ts";
import { SqlReader } from "./sql_reader.ts";
import type { OnStatement, SqlRow, SqlRunner, SqlValue } from "./sql_runner.ts";
import { SqlWriter } from "./sql_writer.ts";
import { cannotOpen, translated } from "./sqlite_errors.ts";
import { demandOwn, TABLES } from "./sqlite_tables.ts";

/** How long a statement waits for another process's lock, in milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;
/** Connections for reads: each holds one snapshot at a time. */
const READERS = 4;
/** Pages kept by a connection, in KiB. Ours, measured: more for each reader only held what the system keeps as well. */
const WRITER_CACHE_KIB = 64 * 1024;
const READER_CACHE_KIB = 24 * 1024;
const REVISION_CACHE_KIB = 64;
/** Statements kept prepared for a connection. */
const MAX_PREPARED = 500;

class SqliteRunner implements SqlRunner {
  private readonly database: DatabaseSync;
  private readonly onStatement: OnStatement;
  private readonly statements = new Map<string, StatementSync>();

  constructor(file: string, cacheKib: number, onStatement: OnStatement) {
    this.onStatement = onStatement;
    this.database = new DatabaseSync(file);
    this.database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.database.exec("PRAGMA journal_mode = WAL");
    // FULL: a committed write is on disk, which an acknowledged one must be.
    this.database.exec("PRAGMA synchronous = FULL");
    this.database.exec("PRAGMA foreign_keys = ON");
    this.database.exec(`PRAGMA cache_size = -${cacheKib}`);
  }

  async all(sql: string, params: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
    return this.attempt(() => this.statement(sql).all(...params) as SqlRow[]);
  }

  async run(sql: string, params: readonly SqlValue[] = []): Promise<void> {
    this.attempt(() => this.statement(sql).run(...params));
  }

  close(): void {
    this.statements.clear();
    this.database.close();
  }

  private statement(sql: string): StatementSync {
    this.onStatement(sql);
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    // Searches have more texts than are worth keeping.
    if (this.statements.size >= MAX_PREPARED) this.statements.clear();
    const prepared = this.database.prepare(sql);
    this.statements.set(sql, prepared);
    return prepared;
  }

  private attempt<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw translated(error);
    }
  }
}

/**
 * The embedded database: one file in WAL mode. One write at a time; reads run beside it on their own snapshots.
 *
 * @throws OperationError unavailable when the file cannot be opened, failed_precondition when it is from a newer or
 * another program
 */
export async function openSqlite(file: string, onStatement: OnStatement = () => {}): Promise<DcStore> {
  try {
    return await openPrepared((cacheKib) => open(file, cacheKib, onStatement));
  } catch (error) {
    throw cannotOpen(file, error);
  }
}

async function openPrepared(openOne: (cacheKib: number) => SqliteRunner): Promise<DcStore> {
  const writer = openOne(WRITER_CACHE_KIB);
  try {
    await transaction(writer, SQLITE.beginWrite, async () => {
      demandOwn(await writer.all(TABLES));
      await migrate(writer, SQLITE);
    });
  } catch (error) {
    writer.close();
    throw error;
  }
  return new SqliteStore(openOne, writer);
}

function open(file: string, cacheKib: number, onStatement: OnStatement): SqliteRunner {
  try {
    return new SqliteRunner(file, cacheKib, onStatement);
  } catch (error) {
    throw translated(error);
  }
}

class SqliteStore implements DcStore {
  private readonly open: (cacheKib: number) => SqliteRunner;
  private readonly writer: SqliteRunner;
  private readonly readers: SqliteRunner[] = [];
  /** Tells the revision beside reads that take long. */
  private revisions: SqliteRunner | undefined;
  private readonly writing = new Queue(1);
  private readonly reading = new Queue(READERS);

  constructor(openOne: (cacheKib: number) => SqliteRunner, writer: SqliteRunner) {
    this.open = openOne;
    this.writer = writer;
  }

  async write<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    return this.writing.enter(() =>
      transaction(this.writer, SQLITE.beginWrite, () => SqlWriter.run(this.writer, SQLITE, work)),
    );
  }

  async read<Result>(work: (reader: DcReader) => Promise<Result>): Promise<Result> {
    return this.reading.enter(async () => {
      const runner = this.readers.pop() ?? this.open(READER_CACHE_KIB);
      try {
        return await transaction(runner, "BEGIN", () => work(new SqlReader(runner, SQLITE)));
      } finally {
        this.readers.push(runner);
      }
    });
  }

  async revision(): Promise<number> {
    if (this.reading.isClosed) throw closed();
    this.revisions ??= this.open(REVISION_CACHE_KIB);
    return new SqlReader(this.revisions, SQLITE).revision();
  }

  use() {
    return { read: this.reading.use, write: this.writing.use };
  }

  async close(): Promise<void> {
    await this.writing.close();
    await this.reading.close();
    for (const reader of this.readers) reader.close();
    this.revisions?.close();
    this.writer.close();
  }
}

async function transaction<Result>(runner: SqlRunner, begin: string, work: () => Promise<Result>): Promise<Result> {
  await runner.run(begin);
  let result: Result;
  try {
    result = await work();
    await runner.run("COMMIT");
  } catch (error) {
    // SQLite undoes the whole transaction by itself on some errors (a full disk), and then there is none to undo.
    await runner.run("ROLLBACK").catch(() => {});
    throw error;
  }
  return result;
}
