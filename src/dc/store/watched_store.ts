import type { DcStore } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import { Outage } from "#kernel/outage.ts";
import { isLocked } from "./sqlite_lock.ts";

/** Shortest time between two looks whether an outage of writes has ended, in milliseconds. */
const LOOK_MS = 1000;

/**
 * The store, logging once when its database cannot be used any more and once when it can again. An outage that began with
 * a write ends with a write: a full disk still answers reads.
 */
export function watchedStore(store: DcStore, say: (message: string) => void): DcStore {
  return new WatchedStore(store, say);
}

class WatchedStore implements DcStore {
  private readonly store: DcStore;
  private readonly outage: Outage;
  private writesFail = false;
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(store: DcStore, say: (message: string) => void) {
    this.store = store;
    const gone = (why: string) => `The database cannot be used: ${why}; calls are refused as unavailable`;
    this.outage = new Outage({ gone, back: "The database can be used again" }, say);
  }

  read: DcStore["read"] = (work) => this.watched(this.store.read(work), false);
  write: DcStore["write"] = (work) => this.watched(this.store.write(work), true);

  revision(): Promise<number> {
    return this.watched(this.store.revision(), false);
  }

  async check(): Promise<void> {
    await this.watched(this.store.check(), false);
    if (!this.writesFail) return;
    await this.write(async (writer) => writer.setSetting("revision", String(await writer.revision())));
  }

  use() {
    return this.store.use();
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private async watched<Result>(work: Promise<Result>, isWrite: boolean): Promise<Result> {
    try {
      const result = await work;
      this.worked(isWrite);
      return result;
    } catch (error) {
      if (isUnavailable(error)) this.failed(error, isWrite);
      // Any other refusal shows that the database has answered.
      else if (error instanceof OperationError) this.worked(isWrite);
      throw error;
    }
  }

  private failed(error: OperationError, isWrite: boolean): void {
    // Another process writes for a long time: nothing is wrong with the database.
    if (isWrite && !isLocked(error)) this.writesFail = true;
    this.outage.failed(error.cause instanceof Error ? error.cause.message : error.message);
  }

  private worked(isWrite: boolean): void {
    if (isWrite) this.writesFail = false;
    if (!this.writesFail) this.outage.worked();
    else if (performance.now() - this.lookedAt >= LOOK_MS) {
      this.lookedAt = performance.now();
      this.check().catch(() => {
        // Still failing: the outage lasts.
      });
    }
  }
}

function isUnavailable(error: unknown): error is OperationError {
  return error instanceof OperationError && error.kind === "unavailable";
}
