import { OperationError } from "#kernel/errors.ts";
import { migrations } from "./migrations/index.ts";
import type { Dialect, SqlRunner } from "./sql/sql_runner.ts";

/**
 * Migrates a database to the newest schema inside the caller's transaction.
 * @returns the names of the executed steps; empty if the schema was current
 * @throws OperationError failed_precondition for a database that a newer program has written
 */
export async function migrateSchema(runner: SqlRunner, dialect: Dialect): Promise<readonly string[]> {
  await runner.run(
    `CREATE TABLE IF NOT EXISTS migration (step ${dialect.types.integer} PRIMARY KEY, name ${dialect.types.text} NOT NULL)`,
  );
  const [row] = await runner.all("SELECT COUNT(*) AS steps FROM migration");
  const done = Number(row?.["steps"] ?? 0);
  requireKnownSteps(done);
  for (const [index, { name, statements }] of migrations.slice(done).entries()) {
    for (const statement of statements(dialect)) await runner.run(statement);
    await runner.run("INSERT INTO migration (step, name) VALUES (?, ?)", [done + index + 1, name]);
  }
  return migrations.slice(done).map(({ name }) => name);
}

/**
 * Requires that the program knows all steps.
 * @throws OperationError failed_precondition if the database has more steps than this program
 */
export function requireKnownSteps(done: number): void {
  if (done <= migrations.length) return;
  const expected = `its schema has ${done} steps, this program supports ${migrations.length}`;
  throw new OperationError("failed_precondition", `it is from a newer program: ${expected}`);
}

/**
 * Requires the newest schema.
 * @throws OperationError failed_precondition for a database that lacks steps, which only a writer can execute
 */
export function requireMigratedSchema(done: number): void {
  requireKnownSteps(done);
  if (done === migrations.length) return;
  const expected = `its schema has ${done} of ${migrations.length} steps, and it is read-only`;
  throw new OperationError("failed_precondition", `it is from an older program: ${expected}`);
}

export interface SchemaState {
  /** Number of executed steps; 0 for an empty database. */
  readonly done: number;
  /** Number of steps in this program. */
  readonly known: number;
  /** First version of the program that has the last executed step; undefined for an empty database. */
  readonly since: string | undefined;
  /** Names of the pending steps, oldest first. */
  readonly pending: readonly string[];
}

/**
 * Returns the state of a schema with a number of executed steps.
 * @throws OperationError failed_precondition for more steps than this program has
 */
export function getSchemaState(done: number): SchemaState {
  requireKnownSteps(done);
  const pending = migrations.slice(done).map(({ name }) => name);
  return { done, known: migrations.length, since: migrations[done - 1]?.since, pending };
}
