import { createUnavailableRefusal } from "#dc/model/refusal.ts";
import type { DcStore, DcWriter } from "#dc/ports.ts";
import type { OperationError } from "#kernel/errors.ts";
import type { LogProblem } from "./chain.ts";
import { findTailProblem, type LogVerdict } from "./verify_log.ts";

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
