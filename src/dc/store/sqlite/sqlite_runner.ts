import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { OnStatement, SqlRow, SqlRunner, SqlValue } from "../sql/sql_runner.ts";
import { translateSqliteError } from "./sqlite_errors.ts";

/** Maximum number of prepared statements of a connection. */
const MAX_PREPARED = 500;

export interface SqliteConnectionOptions {
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
