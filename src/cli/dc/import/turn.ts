import { isLocked } from "#dc/store/sqlite/sqlite_lock.ts";

/** Tries of 10 s each: ten minutes. Ours. */
const MAX_TRIES = 60;

/** The note of an import that waits. */
export const WAITING = "Waiting for another process that writes to the database";

/** What a wait depends on. */
export interface Wait {
  /** Called after every 10 s. */
  readonly waiting: () => void;
  /** Whether to give up after the current try. */
  readonly stopped: () => boolean;
}

/**
 * Runs `attempt` again while another process holds the lock of the database.
 * @throws what the last attempt threw: for another reason at once, for the lock after ten minutes or once `stopped`
 */
export async function inTurn<Result>(attempt: () => Promise<Result>, { waiting, stopped }: Wait): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLocked(error) || tries >= MAX_TRIES || stopped()) throw error;
      waiting();
    }
  }
}

/** Retries a transaction until it calls `begun`. Does not retry after that, because the source has been read. */
export function transactionInTurn<Result>(
  transaction: (begun: () => void) => Promise<Result>,
  wait: Wait,
): Promise<Result> {
  let isBegun = false;
  const begun = () => {
    isBegun = true;
  };
  return inTurn(() => transaction(begun), { ...wait, stopped: () => isBegun || wait.stopped() });
}
