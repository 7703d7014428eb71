import { DatabaseSync } from "node:sqlite";
import { demandKnown } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";
import { parsePostgresUrl } from "./postgres_address.ts";
import { PostgresConnection } from "./postgres_connection.ts";
import { cannotOpenServer } from "./postgres_errors.ts";
import { stepsTaken } from "./postgres_schema.ts";
import type { SqlRow } from "./sql_runner.ts";
import { cannotOpen } from "./sqlite_errors.ts";
import { demandOwn, TABLES } from "./sqlite_tables.ts";

/** How far a database's schema is. */
export interface SchemaState {
  /** Steps that it has taken; 0 for an empty one. */
  readonly done: number;
  /** Steps that this program knows. */
  readonly known: number;
  /** Names of those that are still to come, oldest first. */
  readonly pending: readonly string[];
}

/**
 * Looks at a file without changing it.
 * @throws OperationError unavailable when it is no database that can be read, failed_precondition when it is from a
 * newer or another program
 */
export async function sqliteSchema(file: string): Promise<SchemaState> {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    if (!demandOwn(database.prepare(TABLES).all() as SqlRow[])) return stateOf(0);
    return stateOf(Number(database.prepare("SELECT COUNT(*) AS steps FROM migration").get()?.["steps"]));
  } catch (error) {
    throw cannotOpen(file, error);
  } finally {
    database?.close();
  }
}

/** The same on a server. @throws OperationError in the same cases */
export async function postgresSchema(url: string): Promise<SchemaState> {
  const address = parsePostgresUrl(url);
  let connection: PostgresConnection | undefined;
  try {
    connection = await PostgresConnection.open(address, () => {});
    return stateOf(await stepsTaken(connection));
  } catch (error) {
    throw cannotOpenServer(address, error);
  } finally {
    await connection?.close();
  }
}

function stateOf(done: number): SchemaState {
  demandKnown(done);
  return { done, known: migrations.length, pending: migrations.slice(done).map(({ name }) => name) };
}
