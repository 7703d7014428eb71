import type { QueueUse } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import { TaskSlots } from "#kernel/slots.ts";

/** Limits concurrent work on a database, and rejects new work once it is closed. */
export class Queue {
  readonly #places: number;
  readonly #slots: TaskSlots;
  #over = false;

  constructor(places: number) {
    this.#places = places;
    this.#slots = new TaskSlots(places);
  }

  /** Number of slots, of used slots, and of waiting work. */
  get use(): QueueUse {
    const { running, waiting } = this.#slots;
    return { limit: this.#places, running, waiting };
  }

  /** Whether it lets nothing in any more. */
  get isClosed(): boolean {
    return this.#over;
  }

  async enter<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#over) throw closedError();
    return this.#slots.run(work);
  }

  /** Lets no more work in and waits until all that was let in is done. */
  async close(): Promise<void> {
    this.#over = true;
    for (let place = 0; place < this.#places; place += 1) await this.#slots.take();
  }
}

/** The error for work that arrives after closing. */
export function closedError(): OperationError {
  return new OperationError("unavailable", "The database is closed");
}
