import type { QueueUse } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import { Slots } from "#kernel/slots.ts";

/** The turns of a database: so many pieces of work at once, and none once it is closed. */
export class Queue {
  readonly #places: number;
  readonly #slots: Slots;
  #over = false;

  constructor(places: number) {
    this.#places = places;
    this.#slots = new Slots(places);
  }

  /** How many places there are, how many are taken, and how many pieces of work wait for one. */
  get use(): QueueUse {
    const { running, waiting } = this.#slots;
    return { limit: this.#places, running, waiting };
  }

  /** Whether it lets nothing in any more. */
  get isClosed(): boolean {
    return this.#over;
  }

  async enter<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#over) throw closed();
    return this.#slots.run(work);
  }

  /** Lets no more work in and waits until all that was let in is done. */
  async close(): Promise<void> {
    this.#over = true;
    for (let place = 0; place < this.#places; place += 1) await this.#slots.take();
  }
}

/** The error for work that comes too late. */
export function closed(): OperationError {
  return new OperationError("unavailable", "The database is closed");
}
