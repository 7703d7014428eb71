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

/** An empty database on the PostgreSQL of this test process. */
export async function openTemporaryPostgres(): Promise<DcStore> {
  return openPostgres(await (await sharedPostgres()).database());
}
