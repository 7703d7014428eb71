import type { DcStore } from "#dc/ports.ts";
import type { DcService } from "#dc/service.ts";
import { isLocked } from "#dc/store/sqlite/sqlite_errors.ts";
import { printJson } from "../../output/print.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import { type Database, namingDatabase } from "../database.ts";
import { openOwnService } from "../with_service.ts";

/** Tries of 10 s each: ten minutes. Ours. */
const MAX_TRIES = 60;

/** What a wait for another process depends on. */
export interface Wait {
  /** Called after every 10 s. */
  readonly waiting: () => void;
  /** Whether to give up after the current try. */
  readonly stopped: () => boolean;
}

export interface ImportStore {
  readonly store: DcStore;
  /** Ends waits for other processes and finishes work in progress. Idempotent. */
  readonly close: () => Promise<void>;
}

/** Returns what reports that an import waits, as a sentence or an event. */
export function waitReporter(log: StderrLogger, json: boolean): () => void {
  return () =>
    json ? printJson({ event: "waiting" }) : log.note("Waiting for another process that writes to the database");
}

/** Opens the database of an import for as long as `work` takes, once no other process holds its lock. */
export function withImportStore<Result>(
  database: Database,
  waiting: () => void,
  work: (opened: ImportStore) => Promise<Result>,
): Promise<Result> {
  return namingDatabase(database, async () => {
    const store = await inTurn(() => database.open(), { waiting, stopped: () => false });
    let closed: Promise<void> | undefined;
    const close = () => {
      closed ??= store.close();
      return closed;
    };
    try {
      return await work({ store, close });
    } finally {
      await close();
    }
  });
}

/** The same for the service on it, of an import that ends at once with its process. */
export function withImportService<Result>(
  database: Database,
  wait: Wait,
  work: (service: DcService) => Promise<Result>,
): Promise<Result> {
  return withImportStore(database, wait.waiting, async ({ store }) => work(await openImportService(store, wait)));
}

export function openImportService(store: DcStore, wait: Wait): Promise<DcService> {
  return inTurn(() => openOwnService(store), wait);
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

/** Retries a transaction until it begins its work. Does not retry after that, because the source has been read. */
export function transactionInTurn<Session, Result>(
  transaction: (work: (session: Session) => Promise<Result>) => Promise<Result>,
  work: (session: Session) => Promise<Result>,
  wait: Wait,
): Promise<Result> {
  let isBegun = false;
  const begin = (session: Session) => {
    isBegun = true;
    return work(session);
  };
  return inTurn(() => transaction(begin), { ...wait, stopped: () => isBegun || wait.stopped() });
}
