import { OperationError } from "#kernel/errors.ts";
import { migrateSchema } from "../migrate.ts";
import { migrations } from "../migrations/index.ts";
import { migrateCockroach, type PostgresConnection, retrySchemaRace } from "./postgres_connection.ts";

/** Maximum pause before another attempt, in milliseconds. */
const MAX_PAUSE_MS = 100;

/** Tables of the first schema, which identify a database of planner. */
const PLANNER_TABLES: readonly string[] = ["rack", "device", "port", "crac", "cable", "fabric_link", "setting"];

/**
 * Migrates the database to the newest schema. Servers that start together migrate one after the other, and no write
 * runs at the same time. A current database is only read, which requires no right to change it.
 * @throws OperationError failed_precondition for a database that a newer program has written
 */
export async function migratePostgres(connection: PostgresConnection): Promise<void> {
  if ((await readStepCount(connection)) === migrations.length) return;
  if (connection.dialect.name === "cockroach") return migrateCockroach(connection);
  await runSchemaChange(connection, "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE", async () => {
    await connection.run("CREATE TABLE IF NOT EXISTS writer_queue (name TEXT PRIMARY KEY)");
    await connection.run("INSERT INTO writer_queue (name) VALUES ('writer') ON CONFLICT (name) DO NOTHING");
  });
  await runSchemaChange(connection, connection.dialect.beginWrite, async () => {
    await migrateSchema(connection, connection.dialect);
  });
}

/**
 * Returns the number of migration steps in the current schema; 0 if it contains no tables of planner.
 * @throws OperationError failed_precondition if another program's tables have the same names
 */
export async function readStepCount(connection: PostgresConnection): Promise<number> {
  const rows = await connection.all(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()",
  );
  const names = rows.map(({ name }) => String(name));
  if (!names.includes("migration")) {
    const taken = names.find((name) => PLANNER_TABLES.includes(name));
    if (taken === undefined) return 0;
    const expected = "expected a database or a schema of its own";
    throw new OperationError("failed_precondition", `another program has a table "${taken}" there: ${expected}`);
  }
  const [row] = await connection.all("SELECT COUNT(*) AS steps FROM migration");
  return Number(row?.["steps"]);
}

/** Runs work in one transaction, and repeats it if another server changed the schema at the same time. */
async function runSchemaChange(
  connection: PostgresConnection,
  begin: string,
  work: () => Promise<void>,
): Promise<void> {
  await retrySchemaRace(connection, MAX_PAUSE_MS, async () => {
    await connection.all(begin);
    await work();
    await connection.settle();
    await connection.all("COMMIT");
  });
}
