import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DcStore } from "#dc/ports.ts";
import { openPostgres } from "#dc/store/postgres/postgres_store.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { sharedPostgres } from "../postgres.ts";

/** A path for a database file that nobody uses yet. */
export function databaseFile(): string {
  return join(mkdtempSync(join(tmpdir(), "planner-dc-")), "dc.sqlite");
}

export function openTemporarySqlite(): Promise<DcStore> {
  return openSqlite(databaseFile());
}

let migrated: Promise<string> | undefined;

/** A database without resources on the PostgreSQL of this test process: a copy of one in which the steps of the schema were run. */
export async function migratedDatabase(): Promise<string> {
  const server = await sharedPostgres();
  migrated ??= server.database().then(async (url) => {
    await (await openPostgres(url)).close();
    return new URL(url).pathname.slice(1);
  });
  return server.database(await migrated);
}

/** Opens a database of its own, see `migratedDatabase`. */
export async function openTemporaryPostgres(): Promise<DcStore> {
  return openPostgres(await migratedDatabase());
}
