import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { DcStore } from "#dc/ports.ts";
import type { InspectedStore } from "#dc/store/inspected_store.ts";
import { isPostgresUrl, parsePostgresUrl } from "#dc/store/postgres/postgres_address.ts";
import { OperationError } from "#kernel/errors.ts";
import { UsageError } from "../usage_error.ts";

/** Default location of the database. Source: docs/decisions.md#d-05. */
const DEFAULT_DATABASE = "planner-dc.sqlite";

const URL_LIKE = /^([a-z][a-z0-9+.-]*):\/\//i;

/** The database that `--db` names. */
export interface Database {
  /** As people may see it: an absolute path, or an address without its password. */
  readonly shown: string;
  /** The path of a file; undefined for a server. */
  readonly file: string | undefined;
  /** False for a file that would only be made. A server is asked when it is opened. */
  readonly exists: () => boolean;
  /** @throws OperationError when it cannot be opened */
  readonly open: () => Promise<DcStore>;
  /** Opens it for reading, whatever its schema; neither is changed. @throws OperationError when it cannot be read */
  readonly inspect: () => Promise<InspectedStore>;
}

/** Parses `--db`: the path of a file, or postgres://… @throws UsageError for any other value */
export function databaseOf(given: string | undefined, cwd: string, { create = false } = {}): Database {
  if (given !== undefined && isPostgresUrl(given)) return server(given);
  const scheme = given === undefined ? undefined : URL_LIKE.exec(given)?.[1];
  if (scheme !== undefined) {
    const expected = "expected the path of a file, or postgres://user:password@host/database";
    throw new UsageError(`Cannot open a database of kind "${scheme}": ${expected}`, null);
  }
  const file = resolve(cwd, given ?? DEFAULT_DATABASE);
  return {
    shown: file,
    file,
    exists: () => existsSync(file),
    open: async () => {
      if (!create) refuseVanished(file);
      return (await import("#dc/store/sqlite/sqlite_store.ts")).openSqlite(file);
    },
    inspect: async () => (await import("#dc/store/sqlite/sqlite_inspection.ts")).inspectSqlite(file),
  };
}

/**
 * Refuses a file that does not exist: opening would create an empty database, and a mistyped path would give an empty
 * inventory. @throws OperationError `not_found`
 */
export function demandDatabase({ exists, shown }: Database): void {
  if (exists()) return;
  const advice = "name it by --db, or load one: `planner dc import`, or `planner dc sample --db <file>`";
  throw new OperationError("not_found", `There is no database "${shown}": ${advice}`);
}

/**
 * Runs `work` on a database for the person who named it: a refusal of its disk or its server names it and says what to
 * do. Other callers of the service never see where it is.
 */
export async function namingDatabase<Result>({ shown, file }: Database, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperationError) || error.kind !== "unavailable") throw error;
    // An input or output names its own file.
    if (error.message.includes(shown) || /^Cannot (?:read|write) "/.test(error.message)) throw error;
    const advice =
      file === undefined ? "" : ": free space, choose another path, or run planner as a user who may write it";
    throw new OperationError(error.kind, `Cannot use the database "${shown}": ${error.message}${advice}`, {
      cause: error,
    });
  }
}

/** Files beside a database's file, which remain if only the latter is removed. */
const TRACES = ["-wal", ".checkpoint-key"];

/**
 * Makes sure that no empty database takes the place of one that has vanished, on a disk that is not mounted for example.
 * @throws OperationError failed_precondition
 */
function refuseVanished(file: string): void {
  if (existsSync(file)) return;
  const trace = TRACES.map((end) => `${file}${end}`).find((path) => existsSync(path));
  if (trace === undefined) return;
  const expected = `expected the file, or "--create" for a new one, since "${trace}" shows that there was one`;
  throw new OperationError("failed_precondition", `The database "${file}" is not there: ${expected}`);
}

function server(url: string): Database {
  return {
    shown: shownAddress(url),
    file: undefined,
    exists: () => true,
    open: async () => (await import("#dc/store/postgres/postgres_store.ts")).openPostgres(url),
    inspect: async () => (await import("#dc/store/postgres/postgres_store.ts")).inspectPostgres(url),
  };
}

function shownAddress(url: string): string {
  try {
    return parsePostgresUrl(url).shown;
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new UsageError(error.message, null);
  }
}
