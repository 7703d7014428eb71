import { refuse } from "#dc/model/refusal.ts";
import type { DcReader, DcWriter } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import { createStoreReader, type InspectedStore, requireKnownSteps } from "../migrations.ts";
import { createClosedError } from "../queue.ts";
import { SQLITE, type SqlRow } from "../sql/sql_runner.ts";
import { convertFileOpenError, retryWhileLocked, SqliteFile, SqliteRunner } from "./sqlite_connection.ts";

/** Page cache while a file is read, in KiB. */
const CACHE_KIB = 24 * 1024;
/** Maximum number of repeated reads, if a writer opens a file that had no log. */
const MAX_TRIES = 5;

/**
 * Opens a file with this or an earlier schema for reading. Neither the file nor its directory is changed.
 * @throws OperationError unavailable if it cannot be read, failed_precondition if it is from a newer or another program
 */
export async function inspectSqlite(path: string): Promise<InspectedStore> {
  const store = new InspectedSqlite(path);
  try {
    await store.prepare();
    return store;
  } catch (error) {
    throw convertFileOpenError(path, error);
  }
}

class InspectedSqlite implements InspectedStore {
  steps = 0;
  readonly #file: SqliteFile;
  readonly #closeController = new AbortController();

  constructor(path: string) {
    this.#file = new SqliteFile(path);
  }

  async prepare(): Promise<void> {
    this.#file.recordIdentity();
    this.steps = await this.#readConsistently(readOwnSteps);
    requireKnownSteps(this.steps);
  }

  read<Result>(work: (reader: DcReader) => Promise<Result>): Promise<Result> {
    return this.#readConsistently((runner) => work(createStoreReader(runner, SQLITE, this.steps)));
  }

  async write<Result>(_work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    throw refuse("DB_UNAVAILABLE", "The database was opened for reading");
  }

  draft<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    return this.write(work);
  }

  revision(): Promise<number> {
    return this.read((reader) => reader.revision());
  }

  async check(): Promise<void> {
    await this.revision();
  }

  async findDamage(): Promise<string | undefined> {
    const found = await this.#readConsistently(
      async (runner) => (await runner.all("PRAGMA quick_check(1)"))[0]?.["quick_check"],
    );
    return found === "ok" ? undefined : String(found);
  }

  use() {
    const none = { limit: 1, running: 0, waiting: 0 };
    return { read: none, write: none };
  }

  async close(): Promise<void> {
    this.#closeController.abort();
  }

  /**
   * Runs work in a transaction. If the file has no log, opens it as immutable, because SQLite would otherwise create a
   * log. If a process wrote to the file meanwhile, discards the result and runs the work again.
   */
  async #readConsistently<Result>(work: (runner: SqliteRunner) => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      if (this.#closeController.signal.aborted) throw createClosedError();
      this.#file.requireSameFile();
      const before = this.#file.readVersion();
      const outcome = await this.#readOnce(work).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      const isSure = before.hasLog || this.#file.readVersion().text === before.text || tries === MAX_TRIES;
      if (!isSure) continue;
      if ("error" in outcome) throw outcome.error;
      return outcome.result;
    }
  }

  #readOnce<Result>(work: (runner: SqliteRunner) => Promise<Result>): Promise<Result> {
    return retryWhileLocked(async () => {
      const runner = new SqliteRunner({ address: this.#file.formatAddress("read"), cacheKib: CACHE_KIB });
      try {
        await runner.run("BEGIN");
        return await work(runner);
      } finally {
        runner.close();
      }
    }, this.#closeController.signal);
  }
}

export const LIST_TABLES_SQL = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'";

/** Returns the number of executed migration steps; 0 for an empty file. @throws OperationError as `requireOwnTables` */
export async function readOwnSteps(runner: SqliteRunner): Promise<number> {
  if (!requireOwnTables(await runner.all(LIST_TABLES_SQL))) return 0;
  const [row] = await runner.all("SELECT COUNT(*) AS steps FROM migration");
  return Number(row?.["steps"]);
}

/**
 * Checks that a file has no other program's tables, because a mistyped path may lead to such a file.
 * @returns whether the file has migration steps of planner
 * @throws OperationError failed_precondition for a file with another program's tables
 */
export function requireOwnTables(tables: readonly SqlRow[]): boolean {
  const names = tables.map(({ name }) => String(name));
  if (names.includes("migration")) return true;
  if (names.length === 0) return false;
  const shown = names
    .toSorted()
    .slice(0, 3)
    .map((name) => `"${name}"`)
    .join(", ");
  throw new OperationError("failed_precondition", `it belongs to another program: it has the tables ${shown}`);
}
