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

/** Bytes up to which one request may use the whole budget; a larger request must leave a reserve for small ones. */
const SMALL_REQUEST_BYTES = 64 * 1024;
/** Share of the budget for large requests. Our choice: a quarter remains for small requests and their replies. */
const LARGE_REQUEST_SHARE = 0.75;
/** Bytes charged for every open request: streams, headers, closures. Our choice: an estimate, not measured. */
export const REQUEST_BYTES = 16 * 1024;

/** Memory budget in bytes for all open requests: request bodies, and replies until their clients have received them. */
export class ByteBudget {
  readonly limitBytes: number;
  #used = 0;

  /** @param limit total bytes of all open requests */
  constructor(limit: number) {
    this.limitBytes = limit;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** Whether more than half of the budget is used; slow peers are then disconnected earlier. */
  get isScarce(): boolean {
    return this.#used > this.limitBytes / 2;
  }

  /** Opens the account of a request and charges the fixed cost of a request. */
  openAccount(): ByteAccount {
    return new ByteAccount(this, (bytes) => {
      this.#used += bytes;
    });
  }
}

export class ByteAccount {
  readonly #budget: ByteBudget;
  readonly #charge: (bytes: number) => void;
  #held = REQUEST_BYTES;
  /** Estimated memory of the objects that the request's body became, which are garbage at its end; not charged. */
  objectBytes = 0;
  #isClosed = false;

  constructor(budget: ByteBudget, charge: (bytes: number) => void) {
    this.#budget = budget;
    this.#charge = charge;
    charge(this.#held);
  }

  /** Returns an account that rejects every charge. */
  static createFull(): ByteAccount {
    return new ByteAccount(new ByteBudget(-1), () => {});
  }

  get heldBytes(): number {
    return this.#held;
  }

  /** Whether the request may charge `bytes` more. */
  canCharge(bytes: number): boolean {
    return this.#budget.usedBytes + bytes <= this.#findLimit(bytes);
  }

  /** Bytes that a request may hold if no other is open. */
  get maxBytes(): number {
    return this.#budget.limitBytes * LARGE_REQUEST_SHARE;
  }

  #findLimit(bytes: number): number {
    const isSmall = this.#held - REQUEST_BYTES + bytes <= SMALL_REQUEST_BYTES;
    return isSmall ? this.#budget.limitBytes : this.maxBytes;
  }

  /** Charges `bytes` if they fit, and returns whether they fitted. */
  tryCharge(bytes: number): boolean {
    if (this.#isClosed) return true;
    if (!this.canCharge(bytes)) return false;
    this.#held += bytes;
    this.#charge(bytes);
    return true;
  }

  /** Releases all charges; later charges are ignored. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#charge(-this.#held);
  }
}
