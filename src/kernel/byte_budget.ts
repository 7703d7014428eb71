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

  /** Whether `bytes` more fit if no other request is open. */
  canEverCharge(bytes: number): boolean {
    return this.#held + bytes <= this.#findLimit(bytes);
  }

  #findLimit(bytes: number): number {
    const isSmall = this.#held - REQUEST_BYTES + bytes <= SMALL_REQUEST_BYTES;
    return this.#budget.limitBytes * (isSmall ? 1 : LARGE_REQUEST_SHARE);
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
