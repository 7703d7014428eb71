import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { refuse } from "#dc/model/refusal.ts";
import { demandKnown } from "../migrate.ts";
import { migrations } from "../migrations/index.ts";
import type { SqlRow, SqlValue } from "../sql/sql_runner.ts";
import type { PostgresConnection } from "./postgres_connection.ts";
import { isSchemaRace } from "./postgres_errors.ts";

/** How long a server may take for one statement of the schema before another one takes over, in seconds. */
const LEASE_S = 120;
/** Interval at which a waiting server checks again, in milliseconds. */
const LOOK_MS = 200;
const MAX_TRIES = 20;

const NOW = "CAST(EXTRACT(EPOCH FROM now()) AS BIGINT)";
const TAKE_LEASE = `INSERT INTO migration_lease (name, holder, until) VALUES ('schema', ?, ${NOW} + ${LEASE_S})
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
  WHERE migration_lease.holder = excluded.holder OR migration_lease.until < ${NOW} RETURNING holder`;

/**
 * Brings the schema up to date on CockroachDB, which commits before each statement that changes it: every statement is
 * sent alone and may be repeated, so that a server that is killed in between leaves nothing that the next one cannot
 * finish. A row with an end of its lease lets one server work at a time.
 * Source: CockroachDB, autocommit_before_ddl; Online Schema Changes.
 */
export async function migrateAlone(connection: PostgresConnection): Promise<void> {
  const { text, integer } = connection.dialect.types;
  // Creates this table first: it marks the other tables as planner's for the next server.
  await executeAlone(
    connection,
    `CREATE TABLE IF NOT EXISTS migration (step ${integer} PRIMARY KEY, name ${text} NOT NULL)`,
  );
  await executeAlone(
    connection,
    `CREATE TABLE IF NOT EXISTS migration_lease (name ${text} PRIMARY KEY, holder ${text} NOT NULL, until ${integer} NOT NULL)`,
  );
  const holder = randomUUID();
  while (!(await takesLease(connection, holder))) {
    await sleep(LOOK_MS);
    if ((await stepsDone(connection)) === migrations.length) return;
  }
  try {
    await takeSteps(connection, holder);
  } finally {
    await executeAlone(connection, "DELETE FROM migration_lease WHERE name = 'schema' AND holder = ?", [holder]).catch(
      () => {
        // It ends by itself.
      },
    );
  }
}

async function takeSteps(connection: PostgresConnection, holder: string): Promise<void> {
  const done = await stepsDone(connection);
  demandKnown(done);
  for (const [index, { name, statements }] of migrations.slice(done).entries()) {
    for (const statement of statements(connection.dialect)) {
      if (!(await takesLease(connection, holder))) throw lostLease();
      await executeAlone(connection, makeRepeatable(statement));
    }
    const step = [done + index + 1, name];
    await executeAlone(
      connection,
      "INSERT INTO migration (step, name) VALUES (?, ?) ON CONFLICT (step) DO NOTHING",
      step,
    );
  }
}

/** Returns the statement in an idempotent form. */
export function makeRepeatable(statement: string): string {
  if (statement.startsWith("INSERT ")) return `${statement} ON CONFLICT DO NOTHING`;
  return statement
    .replace(/^CREATE TABLE /, "CREATE TABLE IF NOT EXISTS ")
    .replace(/^CREATE (UNIQUE )?INDEX /, (_, unique = "") => `CREATE ${unique}INDEX IF NOT EXISTS `)
    .replace(/^DROP INDEX /, "DROP INDEX IF EXISTS ")
    .replace(/^(ALTER TABLE \w+) ADD COLUMN /, "$1 ADD COLUMN IF NOT EXISTS ");
}

async function takesLease(connection: PostgresConnection, holder: string): Promise<boolean> {
  return (await executeAlone(connection, TAKE_LEASE, [holder])).length > 0;
}

async function stepsDone(connection: PostgresConnection): Promise<number> {
  const [row] = await executeAlone(connection, "SELECT COUNT(*) AS steps FROM migration");
  return Number(row?.["steps"]);
}

/** Executes a statement outside of a transaction; repeats it after a conflict with another server. */
async function executeAlone(
  connection: PostgresConnection,
  sql: string,
  params: readonly SqlValue[] = [],
): Promise<readonly SqlRow[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await connection.all(sql, params);
    } catch (error) {
      const failure = connection.failure ?? error;
      await connection.rollback();
      if (tries === MAX_TRIES || !isSchemaRace(failure)) throw failure;
      await sleep(Math.random() * LOOK_MS);
    }
  }
}

function lostLease() {
  return refuse("DB_UNAVAILABLE", "Another server has taken over the change of the schema: start this one again");
}
