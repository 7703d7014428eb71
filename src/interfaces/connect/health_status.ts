/** Returns the reason why the server cannot answer calls; undefined if it can. */
export type FindUnreadyReason = () => Promise<string | undefined>;

/** Poll interval of a watched status, in milliseconds. Our choice: a probe's usual interval. */
const HEALTH_POLL_MS = 5000;

/** Readiness of the server, polled once for all watches together. */
export class HealthStatus {
  readonly #whyNotReady: FindUnreadyReason;
  readonly #shutdown: AbortSignal;
  readonly #watches = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isServing = true;

  constructor(whyNotReady: FindUnreadyReason, shutdown: AbortSignal) {
    this.#whyNotReady = whyNotReady;
    this.#shutdown = shutdown;
    shutdown.addEventListener("abort", () => this.#wakeAll());
  }

  async now(): Promise<boolean> {
    this.#isServing = !this.#shutdown.aborted && (await this.#whyNotReady()) === undefined;
    return this.#isServing;
  }

  /** Yields the status of the server, and again after each change, until the caller leaves or the server shuts down. */
  async *changes(signal: AbortSignal): AsyncGenerator<boolean> {
    let seen = this.#watches.size === 0 ? await this.now() : this.#isServing && !this.#shutdown.aborted;
    yield seen;
    while (!signal.aborted && !this.#shutdown.aborted) {
      await this.#wake(signal);
      const isServing = this.#isServing && !this.#shutdown.aborted;
      if (isServing !== seen && !signal.aborted) yield isServing;
      seen = isServing;
    }
  }

  /** Resolves after the next poll with a changed status, or when the caller disconnects. */
  #wake(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#watches.delete(done);
        signal.removeEventListener("abort", done);
        if (this.#watches.size === 0) this.#stop();
        resolve();
      };
      this.#watches.add(done);
      signal.addEventListener("abort", done);
      this.#timer ??= this.#start();
      if (signal.aborted || this.#shutdown.aborted) done();
    });
  }

  #start(): ReturnType<typeof setInterval> {
    const timer = setInterval(async () => {
      const before = this.#isServing;
      if ((await this.now()) !== before) this.#wakeAll();
    }, HEALTH_POLL_MS);
    timer.unref();
    return timer;
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #wakeAll(): void {
    for (const wake of [...this.#watches]) wake();
  }
}
