import { migrate } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";
import type { PostgresConnection } from "./postgres_connection.ts";
import { Interrupted } from "./postgres_errors.ts";

/** How often servers that start at the same moment try for the lock. */
const MAX_TRIES = 20;
const PAUSE_MS = 100;

/** What two transactions get that make the same table at the same moment: duplicates, or a lost race in the catalogue. */
const RACES: ReadonlySet<string> = new Set(["23505", "42P07", "42710", "XX000"]);

/**
 * Brings the database to the newest schema. Servers that start together take turns, and no write runs beside; one that
 * is up to date is only read, so that no right to change it is needed.
 * @throws OperationError failed_precondition for a database that a newer program has written
 */
export async function bringUpToDate(connection: PostgresConnection): Promise<void> {
  if (await isUpToDate(connection)) return;
  await once(connection, "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE", async () => {
    await connection.run("CREATE TABLE IF NOT EXISTS writer_queue (name TEXT PRIMARY KEY)");
    await connection.run("INSERT INTO writer_queue (name) VALUES ('writer') ON CONFLICT (name) DO NOTHING");
  });
  await once(connection, connection.dialect.beginWrite, async () => {
    await migrate(connection, connection.dialect);
  });
}

async function isUpToDate(connection: PostgresConnection): Promise<boolean> {
  const [found] = await connection.all(
    `SELECT COUNT(*) AS tables FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_name = 'migration'`,
  );
  if (found?.["tables"] !== 1) return false;
  const [row] = await connection.all("SELECT COUNT(*) AS steps FROM migration");
  return row?.["steps"] === migrations.length;
}

/** Runs `work` in one transaction, again when another server did the same at the same moment. */
async function once(connection: PostgresConnection, begin: string, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await connection.all(begin);
      await work();
      await connection.settle();
      await connection.all("COMMIT");
      return;
    } catch (error) {
      const failure = connection.failure ?? error;
      await connection.rollback();
      if (tries === MAX_TRIES || !mayPass(failure)) throw failure;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS));
    }
  }
}

function mayPass(failure: unknown): boolean {
  if (failure instanceof Interrupted) return failure.why === "conflict";
  return failure instanceof Error && "code" in failure && RACES.has(String(failure.code));
}
