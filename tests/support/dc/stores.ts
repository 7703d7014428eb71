import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DcStore } from "#dc/ports.ts";
import { openSqlite } from "#dc/store/sqlite_store.ts";

/** A path for a database file that nobody uses yet. */
export function databaseFile(): string {
  return join(mkdtempSync(join(tmpdir(), "planner-dc-")), "dc.sqlite");
}

export function openTemporarySqlite(): Promise<DcStore> {
  return openSqlite(databaseFile());
}
