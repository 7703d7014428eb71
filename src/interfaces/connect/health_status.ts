/** Returns the reason why the server cannot answer calls; undefined if it can. */
export type FindUnreadyReason = () => Promise<string | undefined>;

/** Poll interval of a watched status, in milliseconds. Our choice: a probe's usual interval. */
const HEALTH_POLL_MS = 5000;

/** Readiness of the server, polled once for all watches together. */
export class HealthStatus {
  readonly #findUnreadyReason: FindUnreadyReason;
  readonly #shutdown: AbortSignal;
  readonly #changeListeners = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isServing = true;

  constructor(whyNotReady: FindUnreadyReason, shutdown: AbortSignal) {
    this.#findUnreadyReason = whyNotReady;
    this.#shutdown = shutdown;
    shutdown.addEventListener("abort", () => this.#notifyWatches());
  }

  async checkServing(): Promise<boolean> {
    this.#isServing = !this.#shutdown.aborted && (await this.#findUnreadyReason()) === undefined;
    return this.#isServing;
  }

  /** Yields the status of the server, and again after each change, until the caller leaves or the server shuts down. */
  async *watchServing(signal: AbortSignal): AsyncGenerator<boolean> {
    let seen =
      this.#changeListeners.size === 0 ? await this.checkServing() : this.#isServing && !this.#shutdown.aborted;
    yield seen;
    while (!signal.aborted && !this.#shutdown.aborted) {
      await this.#waitForChange(signal);
      const isServing = this.#isServing && !this.#shutdown.aborted;
      if (isServing !== seen && !signal.aborted) yield isServing;
      seen = isServing;
    }
  }

  /** Resolves after the next poll with a changed status, or when the caller disconnects. */
  #waitForChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#changeListeners.delete(done);
        signal.removeEventListener("abort", done);
        if (this.#changeListeners.size === 0) this.#stopPolling();
        resolve();
      };
      this.#changeListeners.add(done);
      signal.addEventListener("abort", done);
      this.#timer ??= this.#startPolling();
      if (signal.aborted || this.#shutdown.aborted) done();
    });
  }

  #startPolling(): ReturnType<typeof setInterval> {
    const timer = setInterval(async () => {
      const before = this.#isServing;
      if ((await this.checkServing()) !== before) this.#notifyWatches();
    }, HEALTH_POLL_MS);
    timer.unref();
    return timer;
  }

  #stopPolling(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #notifyWatches(): void {
    for (const wake of [...this.#changeListeners]) wake();
  }
}
