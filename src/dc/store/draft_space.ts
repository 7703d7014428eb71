import type { DcWriter } from "#dc/ports.ts";
import { DraftWriter } from "./draft_writer.ts";
import { migrateSchema } from "./migrate.ts";
import { type Dialect, SQLITE } from "./sql/dialect.ts";
import type { SqlRunner } from "./sql/sql_runner.ts";
import { SqlWriter } from "./sql/sql_writer.ts";
import { SqliteRunner } from "./sqlite/sqlite_runner.ts";

/** Page cache of a draft's database in KiB. It is small, because all pages are in memory. */
const CACHE_KIB = 64;

/** Runs drafts: transactions on a snapshot that store their writes in a database in memory, which is discarded. */
export class DraftRunner {
  /** Empty databases with a schema, for later drafts. */
  readonly #idleDatabases: SqliteRunner[] = [];

  /** Runs work as a draft. @param runner a connection within a transaction, which reads one snapshot */
  async run<Result>(runner: SqlRunner, dialect: Dialect, work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    const memory = this.#idleDatabases.pop() ?? (await createEmptyDatabase());
    await memory.run("BEGIN");
    try {
      return await SqlWriter.run(runner, dialect, (below) =>
        SqlWriter.run(memory, SQLITE, (above) => work(new DraftWriter(runner, dialect, { below, above }))),
      );
    } finally {
      await memory.run("ROLLBACK");
      this.#idleDatabases.push(memory);
    }
  }

  close(): void {
    for (const memory of this.#idleDatabases.splice(0)) memory.close();
  }
}

async function createEmptyDatabase(): Promise<SqliteRunner> {
  const memory = new SqliteRunner({ address: ":memory:", cacheKib: CACHE_KIB });
  await migrateSchema(memory, SQLITE);
  return memory;
}
