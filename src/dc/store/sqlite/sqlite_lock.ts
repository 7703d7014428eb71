import { setTimeout as sleep } from "node:timers/promises";
import { OperationError } from "#kernel/errors.ts";
import { closed } from "../queue.ts";

/** How long work waits for another process's lock, in milliseconds. */
const LIMIT_MS = 10_000;
/** Longest pause before another try, in milliseconds; the first ones are shorter. */
const MAX_PAUSE_MS = 25;

const LOCKED = /database (?:table |schema )?is locked|SQLITE_BUSY|due to lock timeout/i;

/** Whether a database rejected a statement because another process holds a lock. */
export function isLocked(error: unknown): boolean {
  if (error instanceof OperationError) return isLocked(error.cause);
  return error instanceof Error && LOCKED.test(error.message);
}

/**
 * Repeats `attempt`, with pauses, while another process holds a lock. SQLite itself would wait inside a statement and
 * block the whole process.
 * @param closing aborts the wait
 * @throws the error of the last attempt, 10 s after the first one
 */
export async function unlessLocked<Result>(attempt: () => Promise<Result>, closing: AbortSignal): Promise<Result> {
  const end = performance.now() + LIMIT_MS;
  for (let pause = 1; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLocked(error) || performance.now() + pause > end) throw error;
    }
    // Servers that wait for the same lock must not try in step.
    await sleep(pause * (0.5 + Math.random()), undefined, { signal: closing }).catch(() => {});
    if (closing.aborted) throw closed();
  }
}
