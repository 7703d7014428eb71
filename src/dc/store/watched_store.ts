import type { DcStore } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import { Outage } from "#kernel/outage.ts";
import { isLockError } from "./sqlite/sqlite_errors.ts";

/** Minimum interval between checks whether an outage of writes has ended, in milliseconds. */
const LOOK_MS = 1000;

/**
 * Wraps a store, and logs once when its database becomes unusable and once when it works again. An outage that began
 * with a write ends only with a write, because reads succeed on a full disk.
 */
export function watchStore(store: DcStore, say: (message: string) => void): DcStore {
  return new WatchedStore(store, say);
}

/** Kind of an access to the store. A `proof` is a write after a successful check. */
type Kind = "read" | "write" | "check" | "proof";

class WatchedStore implements DcStore {
  readonly #store: DcStore;
  readonly #outage: Outage;
  #writesFail = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isLooking = false;

  constructor(store: DcStore, say: (message: string) => void) {
    this.#store = store;
    const gone = (what: string) => `The database cannot be ${what} refused as unavailable`;
    this.#outage = new Outage({ gone, back: "The database can be used again" }, say);
  }

  read: DcStore["read"] = (work) => this.#watched(this.#store.read(work), "read");
  write: DcStore["write"] = (work) => this.#watched(this.#store.write(work), "write");
  draft: DcStore["draft"] = (work) => this.#watched(this.#store.draft(work), "read");
  revision: DcStore["revision"] = () => this.#watched(this.#store.revision(), "read");
  use: DcStore["use"] = () => this.#store.use();
  close: DcStore["close"] = () => this.#store.close();

  async check(): Promise<void> {
    await this.#watched(this.#store.check(), "check");
    if (!this.#writesFail) return;
    const write = this.#store.write(async (writer) => writer.setSetting("revision", String(await writer.revision())));
    await this.#watched(write, "proof");
  }

  async #watched<Result>(work: Promise<Result>, kind: Kind): Promise<Result> {
    try {
      const result = await work;
      this.#worked(kind);
      return result;
    } catch (error) {
      if (isUnavailableError(error)) void this.#failed(error, kind);
      // Any other refusal shows that the database has replied.
      else if (error instanceof OperationError) this.#worked(kind);
      throw error;
    }
  }

  async #failed(error: OperationError, kind: Kind): Promise<void> {
    // A long write of another process is not a fault of the database.
    const isLasting = kind !== "read" && !isLockError(error);
    if (isLasting) this.#writesFail = true;
    if (this.#outage.lasts) return;
    const why = error.cause instanceof Error ? error.cause.message : error.message;
    const isRead = kind !== "read" && (await this.#answers());
    if (isLasting && !this.#writesFail) return;
    this.#outage.failed(isRead ? `changed: ${why}; changes are` : `used: ${why}; calls are`);
  }

  /** Whether reads succeed although a write or a check failed. */
  async #answers(): Promise<boolean> {
    try {
      await this.#store.revision();
      return true;
    } catch {
      return false;
    }
  }

  #worked(kind: Kind): void {
    if (kind === "proof") this.#writesFail = false;
    if (!this.#writesFail) this.#outage.worked();
    // A single write is no proof: on a full disk, a write that fits into old pages of the log succeeds.
    else if (kind === "write" || performance.now() - this.#lookedAt >= LOOK_MS) this.#look();
  }

  #look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#lookedAt = performance.now();
    this.check()
      .catch(() => {
        // The check failed, so the outage continues.
      })
      .finally(() => {
        this.#isLooking = false;
      });
  }
}

function isUnavailableError(error: unknown): error is OperationError {
  return error instanceof OperationError && error.kind === "unavailable";
}
