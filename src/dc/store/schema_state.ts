import { DatabaseSync } from "node:sqlite";
import { OperationError } from "#kernel/errors.ts";
import { migrations } from "./migrations/index.ts";
import { parsePostgresUrl } from "./postgres_address.ts";
import { PostgresConnection } from "./postgres_connection.ts";

/** How far a database's schema is. */
export interface SchemaState {
  /** Steps that it has taken; 0 for an empty one. */
  readonly done: number;
  /** Steps that this program knows. */
  readonly known: number;
  /** Names of those that are still to come, oldest first. */
  readonly pending: readonly string[];
}

/** Looks at a file without changing it. @throws OperationError unavailable when it is no database that can be read */
export async function sqliteSchema(file: string): Promise<SchemaState> {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const table = database.prepare("SELECT name FROM sqlite_master WHERE name = 'migration'").get();
    const row = table === undefined ? undefined : database.prepare("SELECT COUNT(*) AS steps FROM migration").get();
    return stateOf(Number(row?.["steps"] ?? 0));
  } catch (error) {
    throw new OperationError("unavailable", `The database cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    database?.close();
  }
}

/** The same on a server. @throws OperationError unavailable when it cannot be reached */
export async function postgresSchema(url: string): Promise<SchemaState> {
  const address = parsePostgresUrl(url);
  const connection = await PostgresConnection.open(address, () => {});
  try {
    const [table] = await connection.all("SELECT to_regclass('migration') AS name");
    if (table?.["name"] === null) return stateOf(0);
    const [row] = await connection.all("SELECT COUNT(*) AS steps FROM migration");
    return stateOf(Number(row?.["steps"] ?? 0));
  } catch (error) {
    const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new OperationError("unavailable", `Cannot open the database ${address.shown}: ${why}`, { cause: error });
  } finally {
    await connection.close();
  }
}

function stateOf(done: number): SchemaState {
  return { done, known: migrations.length, pending: migrations.slice(done).map(({ name }) => name) };
}
