import { randomUUID } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { convertFileOpenError, isLockError, retryWhileLocked, SqliteFile, SqliteRunner } from "./sqlite_connection.ts";
import { LIST_TABLES_SQL, requireOwnTables } from "./sqlite_inspection.ts";

const CACHE_KIB = 24 * 1024;

/** Files beside a database that belong to it. */
const LOG_SUFFIXES = ["-wal", "-shm", "-journal"];

/**
 * Writes a consistent copy of a database, which may be served meanwhile, beside the file that it will replace.
 * @returns path of the copy, which the caller renames or removes
 * @throws OperationError if one of both cannot be used
 */
export async function copyBeside(source: string, target: string): Promise<string> {
  // A rename replaces a symbolic link, and not the file that it names.
  const real = existsSync(target) ? realpathSync(target) : target;
  if (!existsSync(dirname(real))) throw new OperationError("not_found", `There is no folder "${dirname(real)}"`);
  removeLeftovers(real);
  const copy = join(dirname(real), `.${basename(real)}.${process.pid}.${randomUUID().slice(0, 8)}.partial`);
  try {
    await retryWhileLocked(async () => {
      const runner = new SqliteRunner({ address: new SqliteFile(source).formatAddress("read"), cacheKib: CACHE_KIB });
      try {
        if (!requireOwnTables(await runner.all(LIST_TABLES_SQL)))
          throw new OperationError("failed_precondition", "it has no tables: expected a database of planner");
        await runner.run("VACUUM INTO ?", [copy]);
      } finally {
        runner.close();
      }
    }, new AbortController().signal);
    flush(copy);
    return copy;
  } catch (error) {
    removeCopy(copy);
    throw convertFileOpenError(source, error);
  }
}

export function removeCopy(copy: string): void {
  for (const suffix of ["", ...LOG_SUFFIXES]) rmSync(`${copy}${suffix}`, { force: true });
}

/** Gives a copy its final name. A process that is killed leaves the old file or the new one. */
export function putInPlace(copy: string, target: string): void {
  const real = existsSync(target) ? realpathSync(target) : target;
  renameSync(copy, real);
  flush(dirname(real));
}

/**
 * Runs `work` while no process has the database open, nor can open it. Copies its log into the file before.
 * @throws OperationError failed_precondition if a process has it open or it is damaged
 */
export async function runAlone(target: string, work: () => void): Promise<void> {
  let runner: SqliteRunner | undefined;
  try {
    runner = new SqliteRunner({ address: new SqliteFile(target).formatAddress("write"), cacheKib: CACHE_KIB });
    requireOwnTables(await runner.all(LIST_TABLES_SQL));
    // Leaves the mode with a log, which SQLite refuses while another connection is open.
    await runner.all("PRAGMA journal_mode = DELETE");
    await runner.run("BEGIN EXCLUSIVE");
    // Windows replaces no file that is open.
    if (process.platform === "win32") runner.close();
    work();
  } catch (error) {
    throw isLockError(error)
      ? new OperationError("failed_precondition", `"${target}" is open in another process: stop the server first`)
      : convertFileOpenError(target, error);
  } finally {
    if (process.platform !== "win32") runner?.close();
  }
}

/** Keeps a file under another name too, which replaces what had that name. */
export function keepUnder(file: string, name: string): void {
  rmSync(name, { force: true });
  try {
    linkSync(realpathSync(file), name);
  } catch {
    // The file system has no hard links.
    copyFileSync(file, name);
  }
}

/** Returns the first file that shows that a missing or foreign database had a log; undefined without one. */
export function findLog(target: string): string | undefined {
  return LOG_SUFFIXES.map((suffix) => `${target}${suffix}`).find((path) => existsSync(path));
}

/** Removes copies of processes that were killed. */
function removeLeftovers(target: string): void {
  const start = `.${basename(target)}.`;
  const folder = dirname(target);
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(start) ? /^(\d+)\.[0-9a-f]{8}\.partial/.exec(name.slice(start.length))?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function flush(path: string): void {
  // Windows does not open folders.
  if (process.platform === "win32") return;
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
