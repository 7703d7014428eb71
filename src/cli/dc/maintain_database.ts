import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { getSchemaState, type SchemaState } from "#dc/store/migrations.ts";
import { copyBeside, findLog, keepUnder, putInPlace, removeCopy, runAlone } from "#dc/store/sqlite/copy_file.ts";
import { inspectSqlite } from "#dc/store/sqlite/sqlite_inspection.ts";
import { OperationError } from "#kernel/errors.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import { printText } from "../output/wrap_text.ts";
import { verifyChangeLog } from "./audit/change_log.ts";
import { getPublicKeyPath } from "./audit/checkpoints.ts";
import { type DatabaseLocation, parseDatabaseLocation, requireDatabase } from "./database.ts";
import { withInspectedStore } from "./with_service.ts";

/** Prints the schema's version. Returns status 1 if steps are missing. @throws OperationError for a newer schema */
export async function printSchemaStatus(database: DatabaseLocation): Promise<ExitStatus> {
  const { done, known, pending } = await readSchemaState(database);
  printText(`${database.displayName}: ${done} of ${known} steps\n`);
  for (const name of pending) printText(`pending: ${name}\n`);
  return pending.length === 0 ? EXIT_STATUS.ok : EXIT_STATUS.refused;
}

/** Applies all missing migration steps or none. `dc serve` and `dc import` also apply them. */
export async function applyMigrations(database: DatabaseLocation): Promise<void> {
  const { pending, known } = database.exists()
    ? await readSchemaState(database)
    : { pending: ["(new database)"], known: 0 };
  await (await database.open()).close();
  for (const name of pending) printText(`applied: ${name}\n`);
  if (pending.length === 0) printText(`${database.displayName}: nothing to do, ${known} of ${known} steps\n`);
}

/** Writes a verified copy of a database, which may be served meanwhile. Returns status 1 for a broken change log. */
export async function backUp(database: DatabaseLocation, target: string): Promise<ExitStatus> {
  const file = requireFile(database, "pg_dump");
  requireDatabase(database);
  requireOtherFile(file, target);
  if (existsSync(target)) {
    await (await inspectSqlite(target)).close();
    requireNoLog(target);
  }
  return copyVerified([file, target], file, (copy) => putInPlace(copy, target));
}

/**
 * Replaces a database that no process has open by a verified backup, and keeps the old file beside it. Returns status 1
 * for a broken change log.
 */
export async function restoreBackup(database: DatabaseLocation, backup: string): Promise<ExitStatus> {
  const file = requireFile(database, "pg_restore");
  if (!existsSync(backup)) throw new OperationError("not_found", `There is no backup "${backup}"`);
  requireOtherFile(file, backup);
  await (await inspectSqlite(backup)).close();
  if (!existsSync(file)) requireNoLog(file);
  // Refused before the copy is made, and again when the file is replaced.
  else await runAlone(file, () => {});
  return copyVerified([backup, file], file, async (copy) => {
    if (!existsSync(file)) return putInPlace(copy, file);
    const kept = `${file}.before-restore`;
    await runAlone(file, () => {
      keepUnder(file, kept);
      putInPlace(copy, file);
    });
    printText(`the file before is kept as ${kept}\n`);
  });
}

function readSchemaState(database: DatabaseLocation): Promise<SchemaState> {
  return withInspectedStore(database, async ({ steps }) => getSchemaState(steps));
}

/** @param keyFile the database whose keys verify the copy's checkpoints */
async function copyVerified(
  [source, target]: readonly [source: string, target: string],
  keyFile: string,
  place: (copy: string) => void | Promise<void>,
): Promise<ExitStatus> {
  const copy = await copyBeside(source, target);
  try {
    const key = getPublicKeyPath(`${keyFile}.checkpoint-key`);
    const options = { checkpoints: [], lostKeys: [], expectedHead: undefined, prove: undefined, archives: [] };
    const keys = existsSync(key) ? [key] : [];
    const status = await verifyChangeLog(parseDatabaseLocation(copy, "/"), { ...options, inventory: true, keys });
    if (status !== EXIT_STATUS.ok) return status;
    await place(copy);
    printText(`${target} is a copy of ${source}\n`);
    return status;
  } finally {
    removeCopy(copy);
  }
}

function requireFile({ file, displayName }: DatabaseLocation, program: string): string {
  if (file !== undefined) return file;
  throw new OperationError("failed_precondition", `"${displayName}" is no file: use ${program} for a database server`);
}

function requireOtherFile(a: string, b: string): void {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : resolve(path));
  if (real(a) === real(b))
    throw new OperationError("failed_precondition", `"${b}" is the database itself: expected another file`);
}

function requireNoLog(target: string): void {
  const log = findLog(target);
  if (log === undefined) return;
  const message = `"${log}" would be read as the log of the new file: move it away, or stop the program that uses it`;
  throw new OperationError("failed_precondition", message);
}
