/** Limits how many tasks run at once; others wait in the order of arrival. */
export class TaskSlots {
  readonly #count: number;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  get running(): number {
    return this.#count - this.#free;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Runs work in a slot and frees the slot when the work ends or fails.
   *
   * @throws the signal's reason if it aborts while the work waits; the work then never starts
   */
  async runInSlot<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (!this.#tryAcquire()) await this.#waitForSlot(signal);
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  /** Waits for a free slot and acquires it; the caller must release it. */
  async acquire(): Promise<void> {
    if (!this.#tryAcquire()) await this.#waitForSlot();
  }

  /** Releases a slot: the next waiting task gets it. */
  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else next();
  }

  #tryAcquire(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  #waitForSlot(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        this.#waiting.delete(start);
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.delete(start);
        reject(signal?.reason);
      };
      this.#waiting.add(start);
      if (signal?.aborted === true) leave();
      else signal?.addEventListener("abort", leave, { once: true });
    });
  }
}
