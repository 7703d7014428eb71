import { chmodSync, existsSync } from "node:fs";
import { dirname } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { demandWritable, makeFolder } from "../output/write_file.ts";

/**
 * Longest wait for another process, in milliseconds. Our choice: a change takes some milliseconds, so the other process
 * hangs.
 */
const WAIT_MS = 10_000;

/**
 * Runs `work` while no other process changes the file. The lock is SQLite's on an empty database beside it,
 * `<file>.lock`: the kernel releases it when its holder dies. The database stays, since removing it would race.
 *
 * @throws OperationError aborted after 10 s, unavailable if the folder cannot be written to
 */
export async function withFileLock<Result>(file: string, work: () => Result): Promise<Result> {
  const lock = `${file}.lock`;
  const { DatabaseSync } = await import("node:sqlite");
  makeFolder(dirname(lock));
  // A lock that is made where nothing can be written would remain beside no file.
  if (!existsSync(lock)) demandWritable(file);
  const database = onLock(file, () => new DatabaseSync(lock, { timeout: WAIT_MS }));
  try {
    // The journal in memory: a lock needs no other file.
    onLock(file, () => database.exec("PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE"));
    chmodSync(lock, 0o600);
    return work();
  } finally {
    database.close();
  }
}

function onLock<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const { message } = error as Error;
    // The engines agree on the text and not on the code.
    if (message.includes("database is locked")) {
      throw new OperationError("aborted", `Cannot change "${file}": another process has been changing it for 10 s`);
    }
    throw new OperationError("unavailable", `Cannot lock "${file}": ${message}`, { cause: error });
  }
}
