import type { DcWriter } from "#dc/ports.ts";
import { DraftWriter } from "./draft_writer.ts";
import { migrate } from "./migrate.ts";
import { type Dialect, SQLITE } from "./sql/dialect.ts";
import type { SqlRunner } from "./sql/sql_runner.ts";
import { SqlWriter } from "./sql/sql_writer.ts";
import { SqliteRunner } from "./sqlite/sqlite_runner.ts";

/** Page cache of a draft's own database, in KiB; its pages are in memory anyway. */
const CACHE_KIB = 64;

/** Runs drafts: transactions on a snapshot that keep what they write in a database in memory, and are dropped. */
export class DraftSpace {
  /** Empty databases with a schema, for the next drafts. */
  readonly #idle: SqliteRunner[] = [];

  /** @param runner a connection within a transaction, which sees one snapshot */
  async run<Result>(runner: SqlRunner, dialect: Dialect, work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    const memory = this.#idle.pop() ?? (await emptyDatabase());
    await memory.run("BEGIN");
    try {
      return await SqlWriter.run(runner, dialect, (below) =>
        SqlWriter.run(memory, SQLITE, (above) => work(new DraftWriter(runner, dialect, { below, above }))),
      );
    } finally {
      await memory.run("ROLLBACK");
      this.#idle.push(memory);
    }
  }

  close(): void {
    for (const memory of this.#idle.splice(0)) memory.close();
  }
}

async function emptyDatabase(): Promise<SqliteRunner> {
  const memory = new SqliteRunner({ address: ":memory:", cacheKib: CACHE_KIB });
  await migrate(memory, SQLITE);
  return memory;
}
