import { randomUUID } from "node:crypto";
import { Refusal } from "#dc/model/refusal.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import type { LoadBatch, LoadItem } from "#dc/operations/writes/load.ts";
import type { DcService } from "#dc/service.ts";
import type { OperationError } from "#kernel/errors.ts";
import { commandCaller } from "../with_service.ts";
import { inTurn, transactionInTurn, type Wait } from "./import_store.ts";

export type Written =
  | { readonly outcome: "CREATED" | "UPDATED" | "UNCHANGED" }
  | { readonly reason: string; readonly field?: string };

/** Writes resources of one kind and returns the results in the same order. */
export type WriteBatch = (kind: ResourceKind, items: readonly LoadItem[]) => Promise<readonly Written[]>;

export interface Target {
  /** Resources of one batch. */
  readonly batchSize: number;
  /** Runs an import: batch by batch, or all of it in one transaction that is undone when `work` throws. */
  run<Result>(work: (write: WriteBatch) => Promise<Result>, wait: Wait): Promise<Result>;
  /** Cancels waits for other processes: waiting writes fail, started writes finish. */
  readonly interrupt: () => void;
}

const CALLER = commandCaller("dc import");
/** Ours: large enough that the disk's flush does not count, small enough to stop between two of them. */
const BATCH = 2000;

/** A database of our own: each batch is one transaction, or with `whole` all batches together. */
export function databaseTarget(
  service: DcService,
  mode: Pick<Target, "interrupt"> & { readonly whole: boolean; readonly validateOnly: boolean },
): Target {
  const options = { validateOnly: mode.validateOnly, requestId: randomUUID(), message: "" };
  const through =
    (load: LoadBatch): WriteBatch =>
    async (kind, items) =>
      (await load(kind, items)).map((one) => ("error" in one ? refusedItem(one.error) : { outcome: one.outcome }));
  return {
    batchSize: BATCH,
    run: (work, wait) => {
      if (!mode.whole) {
        const batch = (kind: ResourceKind, items: readonly LoadItem[]) =>
          service.load((load) => through(load)(kind, items), CALLER, options);
        return work((kind, items) => inTurn(() => batch(kind, items), wait));
      }
      return transactionInTurn(
        (whole) => service.load(whole, CALLER, options),
        (load: LoadBatch) => work(through(load)),
        wait,
      );
    },
    interrupt: mode.interrupt,
  };
}

function refusedItem(error: OperationError): Written {
  const field = error instanceof Refusal ? error.violations[0]?.field : undefined;
  return { reason: error.message, ...(field !== undefined && field !== "" && { field }) };
}
