import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { OperationError } from "#kernel/errors.ts";
import { diskRefusal } from "../files/disk_error.ts";
import { LOCKS } from "../project/places.ts";
import { LockDatabase } from "./lock_database.ts";

interface Lock {
  readonly file: string;
  /** Longest wait for one holder, in milliseconds. */
  readonly waitMs: number;
}

/** Ours: a write takes some milliseconds, so this is a hang. */
const EDIT: Lock = { file: `${LOCKS}/edit.db`, waitMs: 10_000 };

/** Ours: rebasing a long branch on a large repository takes minutes, and others may wait before. */
const MERGE: Lock = { file: `${LOCKS}/merge.db`, waitMs: 15 * 60_000 };

/** Ours: some calls of the remote, each of which is killed after 20 seconds. */
const REMOTE: Lock = { file: `${LOCKS}/remote.db`, waitMs: 5 * 60_000 };

/** Longest pause between the first two tries, in milliseconds. Each try allows 1 ms more, so that many waiters leave time. */
const PAUSE_MS = 12;
const MOST_PAUSE_MS = 100;

/** The last holder of each lock in this process; the next one waits for it. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Runs `task` while no other process and no other task of this process changes the project's specs.
 *
 * The lock is SQLite's on an empty database: the kernel gives it back when its holder dies, so none is ever stale.
 *
 * @throws OperationError `aborted` when the others do not finish, and whatever `task` throws
 */
export function withProjectLock<Result>(
  root: string,
  task: () => Promise<Result>,
  waitMs: number = EDIT.waitMs,
): Promise<Result> {
  return withLock(root, { ...EDIT, waitMs }, task);
}

/** The same for changes of the main branch, beside which specs may be changed. */
export function withMergeLock<Result>(root: string, task: () => Promise<Result>): Promise<Result> {
  return withLock(root, MERGE, task);
}

/** The same for changes of this clone's claims at a remote. */
export function withRemoteLock<Result>(
  root: string,
  task: () => Promise<Result>,
  waitMs: number = REMOTE.waitMs,
): Promise<Result> {
  return withLock(root, { ...REMOTE, waitMs }, task);
}

function withLock<Result>(root: string, lock: Lock, task: () => Promise<Result>): Promise<Result> {
  const key = join(root, lock.file);
  const before = queues.get(key) ?? Promise.resolve();
  const result = before.then(async () => {
    const database = await acquire(root, lock);
    try {
      return await task();
    } finally {
      database.exec("ROLLBACK");
      database.close();
    }
  });
  const settled = result.catch(() => {});
  queues.set(key, settled);
  return result;
}

async function acquire(root: string, { file, waitMs }: Lock): Promise<DatabaseSync> {
  const place = openPlace(root, file);
  try {
    // Most processes only read.
    const sqlite = await import("node:sqlite");
    let deadline = performance.now() + waitMs;
    let taken = place.takenAt();
    for (let pause = PAUSE_MS; ; pause = Math.min(pause + 1, MOST_PAUSE_MS)) {
      const database = tryAcquire(root, file, () => place.open(sqlite.DatabaseSync));
      if (database !== undefined) {
        place.noteTaken();
        return database;
      }
      const now = performance.now();
      const last = place.takenAt();
      // Waiters do not queue: among many, one may wait for several holders, none of which hangs.
      if (last !== taken) [taken, deadline] = [last, now + waitMs];
      if (now > deadline) {
        throw new OperationError(
          "aborted",
          `Cannot lock "${file}": another process held it for ${waitMs / 1000} seconds`,
        );
      }
      await sleep(1 + Math.random() * pause);
    }
  } finally {
    place.close();
  }
}

function openPlace(root: string, file: string): LockDatabase {
  try {
    return new LockDatabase(root, file);
  } catch (error) {
    throw diskRefusal(`make "${LOCKS}"`, error);
  }
}

/** Undefined when another process holds the lock. */
function tryAcquire(root: string, file: string, open: () => DatabaseSync): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = open();
    // A database that may only be read would be opened all the same, and lock no process out.
    accessSync(join(root, file), constants.W_OK);
    // The journal in memory: a full disk must not keep a file from shrinking.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE");
    return database;
  } catch (error) {
    database?.close();
    // The engines agree on the text and not on the code.
    if (error instanceof Error && error.message.includes("database is locked")) return undefined;
    throw lockRefusal(root, file, error);
  }
}

function lockRefusal(root: string, file: string, error: unknown): unknown {
  const refusal = diskRefusal(`lock "${file}"`, error);
  if (refusal !== error) return refusal;
  try {
    // SQLite does not say why it cannot make a file, the system does.
    accessSync(join(root, LOCKS), constants.W_OK);
  } catch (cause) {
    return diskRefusal(`lock "${file}"`, cause);
  }
  const why = error instanceof Error ? error.message : String(error);
  return new OperationError("unavailable", `Cannot lock "${file}": ${why}: remove the file if no planner runs`, {
    cause: error,
  });
}
