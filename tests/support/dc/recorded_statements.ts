import { SqliteRunner } from "#dc/store/sqlite/sqlite_connection.ts";

/** Returns the statements that `work` executes on SQLite, those of drafts in memory included. */
export async function recordStatements(work: () => Promise<unknown>): Promise<readonly string[]> {
  const { all, run } = SqliteRunner.prototype;
  const found: string[] = [];
  SqliteRunner.prototype.all = function (sql, ...args) {
    found.push(sql);
    return all.call(this, sql, ...args);
  };
  SqliteRunner.prototype.run = function (sql, ...args) {
    found.push(sql);
    return run.call(this, sql, ...args);
  };
  try {
    await work();
  } finally {
    Object.assign(SqliteRunner.prototype, { all, run });
  }
  return found;
}
