import { createUnavailableRefusal } from "#dc/model/refusal.ts";
import type { DcStore, DcWriter } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import { OutageReporter } from "#kernel/notices.ts";
import type { LogProblem } from "../audit/chain.ts";
import { findTailProblem, type LogVerdict } from "../audit/verify_log.ts";
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

/** A store that rejects changes and is not ready after its change log was found to be broken. */
export class GuardedStore implements DcStore {
  readonly #store: DcStore;
  #refusal: OperationError | undefined;

  readonly #acceptsBrokenLog: boolean;

  private constructor(store: DcStore, acceptsBrokenLog: boolean) {
    this.#store = store;
    this.#acceptsBrokenLog = acceptsBrokenLog;
  }

  /** Opens the store and verifies the end of the log, if that part is short. */
  static async open(
    store: DcStore,
    { acceptsBrokenLog }: { readonly acceptsBrokenLog: boolean },
  ): Promise<GuardedStore> {
    const guarded = new GuardedStore(store, acceptsBrokenLog);
    const problem = await store.read(findTailProblem);
    if (problem !== undefined) guarded.recordVerdict(problem);
    return guarded;
  }

  /** Records the result of a verification. Only the latest result applies. */
  recordVerdict(verdict: LogVerdict): void {
    if (this.#acceptsBrokenLog) return;
    this.#refusal = verdict.ok ? undefined : createBrokenLogRefusal(verdict);
  }

  read: DcStore["read"] = (work) => this.#store.read(work);
  revision: DcStore["revision"] = () => this.#store.revision();
  use: DcStore["use"] = () => this.#store.use();
  close: DcStore["close"] = () => this.#store.close();

  async write<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    if (this.#refusal !== undefined) throw this.#refusal;
    return this.#store.write(work);
  }

  async draft<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    if (this.#refusal !== undefined) throw this.#refusal;
    return this.#store.draft(work);
  }

  async check(): Promise<void> {
    await this.#store.check();
    if (this.#refusal !== undefined) throw this.#refusal;
  }
}

function createBrokenLogRefusal({ seq, detail }: LogProblem): OperationError {
  const what = `The change log is broken: entry ${seq} ${detail}`;
  const message = `${what}. Changes are refused until it verifies or --accept-broken-log is given`;
  return createUnavailableRefusal(message, new Error(what));
}
