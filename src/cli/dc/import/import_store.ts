import { randomUUID } from "node:crypto";
import type { ResourceKind } from "#dc/model/resources.ts";
import { createBatchWriter, type ImportTarget, type WaitCallbacks } from "#dc/operations/import/run_import.ts";
import type { LoadBatch, LoadItem } from "#dc/operations/writes/loads.ts";
import type { DcStore } from "#dc/ports.ts";
import type { DcService } from "#dc/service.ts";
import { isLockError } from "#dc/store/sqlite/sqlite_connection.ts";
import { printJson } from "../../output/print.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import { type DatabaseLocation, nameDatabaseInErrors } from "../database.ts";
import { createCommandCaller, openLocalService } from "../with_service.ts";

/** Maximum number of attempts, each of which waits 10 s for the lock: ten minutes in total. */
const MAX_ATTEMPTS = 60;

export interface ImportStore {
  readonly store: DcStore;
  /** Cancels waits for other processes and finishes work in progress. Idempotent. */
  readonly close: () => Promise<void>;
}

/** Creates a function that reports that an import is waiting, as a sentence or an event. */
export function createWaitReporter(log: StderrLogger, json: boolean): () => void {
  return () =>
    json ? printJson({ event: "waiting" }) : log.note("Waiting for another process that writes to the database");
}

/** Opens the database of an import once no other process holds its lock, runs `work` and closes it. */
export function withImportStore<Result>(
  database: DatabaseLocation,
  waiting: () => void,
  work: (opened: ImportStore) => Promise<Result>,
): Promise<Result> {
  return nameDatabaseInErrors(database, async () => {
    const store = await retryWhileLocked(() => database.open(), { waiting, stopped: () => false });
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

/** Opens the service on the database of an import, runs `work` and closes the database. */
export function withImportService<Result>(
  database: DatabaseLocation,
  wait: WaitCallbacks,
  work: (service: DcService) => Promise<Result>,
): Promise<Result> {
  return withImportStore(database, wait.waiting, async ({ store }) => work(await openImportService(store, wait)));
}

export function openImportService(store: DcStore, wait: WaitCallbacks): Promise<DcService> {
  return retryWhileLocked(() => openLocalService(store), wait);
}

/**
 * Repeats `attempt` while another process holds the lock of the database.
 * @throws the lock error after ten minutes or if the caller stops the wait, any other error immediately
 */
export async function retryWhileLocked<Result>(
  attempt: () => Promise<Result>,
  { waiting, stopped }: WaitCallbacks,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLockError(error) || tries >= MAX_ATTEMPTS || stopped()) throw error;
      waiting();
    }
  }
}

/** Retries a transaction until its work begins. Later errors are final, because the source cannot be read again. */
export function retryTransaction<Session, Result>(
  transaction: (work: (session: Session) => Promise<Result>) => Promise<Result>,
  work: (session: Session) => Promise<Result>,
  wait: WaitCallbacks,
): Promise<Result> {
  let isBegun = false;
  const begin = (session: Session) => {
    isBegun = true;
    return work(session);
  };
  return retryWhileLocked(() => transaction(begin), { ...wait, stopped: () => isBegun || wait.stopped() });
}

const COMMAND_CALLER = createCommandCaller("dc import");
/** Resources per transaction: enough to make the disk's flush a small share of the time, few enough to stop soon. */
const BATCH_SIZE = 2000;

/** Creates a target that writes to a database, one transaction per batch or, with `whole`, for all batches. */
export function createDatabaseTarget(
  service: DcService,
  mode: Pick<ImportTarget, "interrupt"> & { readonly whole: boolean; readonly validateOnly: boolean },
): ImportTarget {
  const options = { validateOnly: mode.validateOnly, requestId: randomUUID(), message: "" };
  return {
    batchSize: BATCH_SIZE,
    run: (work, wait) => {
      if (!mode.whole) {
        const batch = (kind: ResourceKind, items: readonly LoadItem[]) =>
          service.load((load) => createBatchWriter(load)(kind, items), COMMAND_CALLER, options);
        return work((kind, items) => retryWhileLocked(() => batch(kind, items), wait));
      }
      return retryTransaction(
        (whole) => service.load(whole, COMMAND_CALLER, options),
        (load: LoadBatch) => work(createBatchWriter(load)),
        wait,
      );
    },
    interrupt: mode.interrupt,
  };
}
