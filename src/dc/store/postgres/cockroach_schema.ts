import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { refuse } from "#dc/model/refusal.ts";
import { requireKnownSteps } from "../migrate.ts";
import { migrations } from "../migrations/index.ts";
import type { SqlRow, SqlValue } from "../sql/sql_runner.ts";
import type { PostgresConnection } from "./postgres_connection.ts";
import { retrySchemaRace } from "./schema_race.ts";

/** Time in seconds that a server has for one statement of the schema before another server may take over. */
const LEASE_S = 120;
/** Interval at which a waiting server checks the lease again, in milliseconds. */
const LEASE_CHECK_MS = 200;

const NOW_SQL = "CAST(EXTRACT(EPOCH FROM now()) AS BIGINT)";
const TAKE_LEASE_SQL = `INSERT INTO migration_lease (name, holder, until) VALUES ('schema', ?, ${NOW_SQL} + ${LEASE_S})
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
  WHERE migration_lease.holder = excluded.holder OR migration_lease.until < ${NOW_SQL} RETURNING holder`;

/**
 * Migrates the schema on CockroachDB, which commits before each statement that changes the schema. Every statement is
 * therefore sent separately and can be repeated, so that the next server can continue after one that was killed. A row
 * with the end of a lease lets only one server work at a time. Source: CockroachDB, autocommit_before_ddl; Online
 * Schema Changes.
 */
export async function migrateCockroach(connection: PostgresConnection): Promise<void> {
  const { text, integer } = connection.dialect.types;
  // Creates this table first, because it identifies the other tables as planner's for the next server.
  await executeStatementAlone(
    connection,
    `CREATE TABLE IF NOT EXISTS migration (step ${integer} PRIMARY KEY, name ${text} NOT NULL)`,
  );
  await executeStatementAlone(
    connection,
    `CREATE TABLE IF NOT EXISTS migration_lease (name ${text} PRIMARY KEY, holder ${text} NOT NULL, until ${integer} NOT NULL)`,
  );
  const holder = randomUUID();
  while (!(await tryTakeLease(connection, holder))) {
    await sleep(LEASE_CHECK_MS);
    if ((await readStepCount(connection)) === migrations.length) return;
  }
  try {
    await executeMigrationSteps(connection, holder);
  } finally {
    await executeStatementAlone(connection, "DELETE FROM migration_lease WHERE name = 'schema' AND holder = ?", [
      holder,
    ]).catch(() => {
      // The lease expires if it cannot be deleted.
    });
  }
}

async function executeMigrationSteps(connection: PostgresConnection, holder: string): Promise<void> {
  const done = await readStepCount(connection);
  requireKnownSteps(done);
  for (const [index, { name, statements }] of migrations.slice(done).entries()) {
    for (const statement of statements(connection.dialect)) {
      if (!(await tryTakeLease(connection, holder))) throw createLeaseLostError();
      await executeStatementAlone(connection, makeStatementRepeatable(statement));
    }
    const step = [done + index + 1, name];
    await executeStatementAlone(
      connection,
      "INSERT INTO migration (step, name) VALUES (?, ?) ON CONFLICT (step) DO NOTHING",
      step,
    );
  }
}

/** Rewrites a statement so that it can be repeated. */
export function makeStatementRepeatable(statement: string): string {
  if (statement.startsWith("INSERT ")) return `${statement} ON CONFLICT DO NOTHING`;
  return statement
    .replace(/^CREATE TABLE /, "CREATE TABLE IF NOT EXISTS ")
    .replace(/^CREATE (UNIQUE )?INDEX /, (_, unique = "") => `CREATE ${unique}INDEX IF NOT EXISTS `)
    .replace(/^DROP INDEX /, "DROP INDEX IF EXISTS ")
    .replace(/^(ALTER TABLE \w+) ADD COLUMN /, "$1 ADD COLUMN IF NOT EXISTS ");
}

async function tryTakeLease(connection: PostgresConnection, holder: string): Promise<boolean> {
  return (await executeStatementAlone(connection, TAKE_LEASE_SQL, [holder])).length > 0;
}

async function readStepCount(connection: PostgresConnection): Promise<number> {
  const [row] = await executeStatementAlone(connection, "SELECT COUNT(*) AS steps FROM migration");
  return Number(row?.["steps"]);
}

/** Executes a statement outside of a transaction; repeats it after a conflict with another server. */
async function executeStatementAlone(
  connection: PostgresConnection,
  sql: string,
  params: readonly SqlValue[] = [],
): Promise<readonly SqlRow[]> {
  return retrySchemaRace(connection, LEASE_CHECK_MS, () => connection.all(sql, params));
}

function createLeaseLostError() {
  return refuse("DB_UNAVAILABLE", "Another server has taken over the change of the schema: start this one again");
}
