import { randomUUID } from "node:crypto";
import { Refusal } from "#dc/model/refusal.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import type { LoadBatch, LoadItem } from "#dc/operations/writes/load.ts";
import type { DcService } from "#dc/service.ts";
import type { OperationError } from "#kernel/errors.ts";
import { createCommandCaller } from "../with_service.ts";
import { retryTransaction, retryWhileLocked, type WaitCallbacks } from "./import_store.ts";

export type ItemWriteResult =
  | { readonly outcome: "CREATED" | "UPDATED" | "UNCHANGED" }
  | { readonly reason: string; readonly field?: string };

/** Writes resources of one kind and returns the results in the same order. */
export type WriteBatch = (kind: ResourceKind, items: readonly LoadItem[]) => Promise<readonly ItemWriteResult[]>;

export interface ImportTarget {
  /** Number of resources in one batch. */
  readonly batchSize: number;
  /** Runs an import: each batch in its own transaction, or all in one that is rolled back if `work` throws. */
  run<Result>(work: (write: WriteBatch) => Promise<Result>, wait: WaitCallbacks): Promise<Result>;
  /** Cancels waits for other processes: waiting writes fail, started writes finish. */
  readonly interrupt: () => void;
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
  const createBatchWriter =
    (load: LoadBatch): WriteBatch =>
    async (kind, items) =>
      (await load(kind, items)).map((one) =>
        "error" in one ? convertToWriteResult(one.error) : { outcome: one.outcome },
      );
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

function convertToWriteResult(error: OperationError): ItemWriteResult {
  const field = error instanceof Refusal ? error.violations[0]?.field : undefined;
  return { reason: error.message, ...(field !== undefined && field !== "" && { field }) };
}
