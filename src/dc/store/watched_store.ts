import type { DcStore } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import { OutageReporter } from "#kernel/outage.ts";
import { isLockError } from "./sqlite/sqlite_connection.ts";

/** Minimum interval between checks whether an outage of writes has ended, in milliseconds. */
const CHECK_INTERVAL_MS = 1000;

/**
 * Wraps a store, and logs once when its database becomes unusable and once when it works again. An outage that began
 * with a write ends only with a write, because reads succeed on a full disk.
 */
export function watchStore(store: DcStore, say: (message: string) => void): DcStore {
  return new WatchedStore(store, say);
}

/** Kind of an access to the store. A `proof` is a write after a successful check. */
type AccessKind = "read" | "write" | "check" | "proof";

class WatchedStore implements DcStore {
  readonly #store: DcStore;
  readonly #outage: OutageReporter;
  #areWritesFailing = false;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #isChecking = false;

  constructor(store: DcStore, say: (message: string) => void) {
    this.#store = store;
    const gone = (what: string) => `The database cannot be ${what} refused as unavailable`;
    this.#outage = new OutageReporter({ gone, back: "The database can be used again" }, say);
  }

  read: DcStore["read"] = (work) => this.#watchAccess(this.#store.read(work), "read");
  write: DcStore["write"] = (work) => this.#watchAccess(this.#store.write(work), "write");
  draft: DcStore["draft"] = (work) => this.#watchAccess(this.#store.draft(work), "read");
  revision: DcStore["revision"] = () => this.#watchAccess(this.#store.revision(), "read");
  use: DcStore["use"] = () => this.#store.use();
  close: DcStore["close"] = () => this.#store.close();

  async check(): Promise<void> {
    await this.#watchAccess(this.#store.check(), "check");
    if (!this.#areWritesFailing) return;
    const write = this.#store.write(async (writer) => writer.setSetting("revision", String(await writer.revision())));
    await this.#watchAccess(write, "proof");
  }

  async #watchAccess<Result>(work: Promise<Result>, kind: AccessKind): Promise<Result> {
    try {
      const result = await work;
      this.#recordSuccess(kind);
      return result;
    } catch (error) {
      if (isUnavailableError(error)) void this.#recordFailure(error, kind);
      // Any other refusal shows that the database has replied.
      else if (error instanceof OperationError) this.#recordSuccess(kind);
      throw error;
    }
  }

  async #recordFailure(error: OperationError, kind: AccessKind): Promise<void> {
    // A long write of another process is not a fault of the database.
    const isLasting = kind !== "read" && !isLockError(error);
    if (isLasting) this.#areWritesFailing = true;
    if (this.#outage.isLasting) return;
    const why = error.cause instanceof Error ? error.cause.message : error.message;
    const isRead = kind !== "read" && (await this.#canRead());
    if (isLasting && !this.#areWritesFailing) return;
    this.#outage.recordFailure(isRead ? `changed: ${why}; changes are` : `used: ${why}; calls are`);
  }

  /** Whether reads succeed although a write or a check failed. */
  async #canRead(): Promise<boolean> {
    try {
      await this.#store.revision();
      return true;
    } catch {
      return false;
    }
  }

  #recordSuccess(kind: AccessKind): void {
    if (kind === "proof") this.#areWritesFailing = false;
    if (!this.#areWritesFailing) this.#outage.recordSuccess();
    // A single write is no proof: on a full disk, a write that fits into old pages of the log succeeds.
    else if (kind === "write" || performance.now() - this.#checkedAt >= CHECK_INTERVAL_MS) this.#startCheck();
  }

  #startCheck(): void {
    if (this.#isChecking) return;
    this.#isChecking = true;
    this.#checkedAt = performance.now();
    this.check()
      .catch(() => {
        // The check failed, so the outage continues.
      })
      .finally(() => {
        this.#isChecking = false;
      });
  }
}

function isUnavailableError(error: unknown): error is OperationError {
  return error instanceof OperationError && error.kind === "unavailable";
}
