/** Bytes of one request that may use the whole budget; beyond them a request leaves a reserve for small ones. */
const SMALL_BYTES = 64 * 1024;
/** Part of the budget that large requests may use. Ours: a quarter remains for small requests and their replies. */
const LARGE_PART = 0.75;
/** Charge for every open request: streams, headers, closures. Ours: an estimate, not measured. */
export const REQUEST_BYTES = 16 * 1024;

/**
 * Memory budget in bytes for all open requests together: request bodies, and replies until their clients have received
 * them.
 */
export class ByteBudget {
  readonly limit: number;
  #used = 0;

  /** @param limit in bytes */
  constructor(limit: number) {
    this.limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /** Whether slow peers should be ended sooner than usual. */
  get isScarce(): boolean {
    return this.#used > this.limit / 2;
  }

  /** Opens the account of a request and charges the fixed cost of a request. */
  open(): ByteAccount {
    return new ByteAccount(this, (bytes) => {
      this.#used += bytes;
    });
  }
}

export class ByteAccount {
  readonly #budget: ByteBudget;
  readonly #charge: (bytes: number) => void;
  #held = REQUEST_BYTES;
  #isClosed = false;

  constructor(budget: ByteBudget, charge: (bytes: number) => void) {
    this.#budget = budget;
    this.#charge = charge;
    charge(this.#held);
  }

  /** Returns the account of a request that may charge nothing. */
  static full(): ByteAccount {
    return new ByteAccount(new ByteBudget(-1), () => {});
  }

  get held(): number {
    return this.#held;
  }

  /** Whether the request may charge `bytes` more. */
  fits(bytes: number): boolean {
    const { limit, used } = this.#budget;
    const most = this.#held - REQUEST_BYTES + bytes <= SMALL_BYTES ? limit : limit * LARGE_PART;
    return used + bytes <= most;
  }

  /** Charges `bytes` if they fit. Returns whether they did. */
  hold(bytes: number): boolean {
    if (this.#isClosed) return true;
    if (!this.fits(bytes)) return false;
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
