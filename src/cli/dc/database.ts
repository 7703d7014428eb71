import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { DcStore } from "#dc/ports.ts";
import type { InspectedStore } from "#dc/store/migrations.ts";
import { isPostgresUrl, parsePostgresUrl } from "#dc/store/postgres/postgres_address.ts";
import { OperationError } from "#kernel/errors.ts";
import { UsageError } from "../usage_error.ts";

/** Default path of the database file. Source: docs/decisions.md#d-05. */
const DEFAULT_DATABASE = "planner-dc.sqlite";

const URL_SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;

/** The database that `--db` names. */
export interface DatabaseLocation {
  /** Name in messages: an absolute path, or an address without its password. */
  readonly displayName: string;
  /** Path of the file; undefined for a database server. */
  readonly file: string | undefined;
  /** Returns false for a file that does not exist; always true for a server, which is contacted only by `open`. */
  readonly exists: () => boolean;
  /** Opens the database. @throws OperationError if it cannot be opened. */
  readonly open: () => Promise<DcStore>;
  /** Opens the database read-only, with any schema version. @throws OperationError if it cannot be read. */
  readonly openReadOnly: () => Promise<InspectedStore>;
}

/** Parses `--db`: the path of a file, or postgres://…. @throws UsageError for any other value. */
export function parseDatabaseLocation(
  given: string | undefined,
  cwd: string,
  { create = false } = {},
): DatabaseLocation {
  if (given !== undefined && isPostgresUrl(given)) return createServerLocation(given);
  const scheme = given === undefined ? undefined : URL_SCHEME.exec(given)?.[1];
  if (scheme !== undefined) {
    const expected = "expected the path of a file, or postgres://user:password@host/database";
    throw new UsageError(`Cannot open a database of kind "${scheme}": ${expected}`, null);
  }
  const file = resolve(cwd, given ?? DEFAULT_DATABASE);
  return {
    displayName: file,
    file,
    exists: () => existsSync(file),
    open: async () => {
      if (!create) assertDatabaseNotVanished(file);
      return (await import("#dc/store/sqlite/sqlite_store.ts")).openSqlite(file);
    },
    openReadOnly: async () => (await import("#dc/store/sqlite/sqlite_inspection.ts")).inspectSqlite(file),
  };
}

/** @throws OperationError not_found for a missing file, because opening it would create an empty database */
export function requireDatabase({ exists, displayName }: DatabaseLocation): void {
  if (exists()) return;
  const advice = "name it by --db, or load one: `planner dc import`, or `planner dc sample --db <file>`";
  throw new OperationError("not_found", `There is no database "${displayName}": ${advice}`);
}

/** Runs `work`. Adds the database's name to errors of disk or server; the service omits it for remote callers. */
export async function nameDatabaseInErrors<Result>(
  { displayName, file }: DatabaseLocation,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperationError) || error.kind !== "unavailable") throw error;
    // Errors of an input or output already name their own file.
    if (error.message.includes(displayName) || /^Cannot (?:read|write) "/.test(error.message)) throw error;
    const advice =
      file === undefined ? "" : ": free space, choose another path, or run planner as a user who may write it";
    throw new OperationError(error.kind, `Cannot use the database "${displayName}": ${error.message}${advice}`, {
      cause: error,
    });
  }
}

/** Suffixes of files beside a database file, which remain if only the database file is removed. */
const COMPANION_SUFFIXES = ["-wal", ".checkpoint-key"];

/** @throws OperationError failed_precondition if a database file is missing but a file beside it still exists */
function assertDatabaseNotVanished(file: string): void {
  if (existsSync(file)) return;
  const trace = COMPANION_SUFFIXES.map((end) => `${file}${end}`).find((path) => existsSync(path));
  if (trace === undefined) return;
  const expected = `expected the file, or "--create" for a new one, since "${trace}" shows that there was one`;
  throw new OperationError("failed_precondition", `The database "${file}" is not there: ${expected}`);
}

function createServerLocation(url: string): DatabaseLocation {
  return {
    displayName: hidePassword(url),
    file: undefined,
    exists: () => true,
    open: async () => (await import("#dc/store/postgres/postgres_store.ts")).openPostgres(url),
    openReadOnly: async () => (await import("#dc/store/postgres/postgres_store.ts")).inspectPostgres(url),
  };
}

function hidePassword(url: string): string {
  try {
    return parsePostgresUrl(url).displayAddress;
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new UsageError(error.message, null);
  }
}
