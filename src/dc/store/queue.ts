import type { QueueUse } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import { TaskSlots } from "#kernel/slots.ts";

/** Limits concurrent work on a database, and rejects new work once it is closed. */
export class WorkQueue {
  readonly #places: number;
  readonly #slots: TaskSlots;
  #over = false;

  constructor(places: number) {
    this.#places = places;
    this.#slots = new TaskSlots(places);
  }

  /** Returns the number of slots, used slots, and waiting tasks. */
  get use(): QueueUse {
    const { running, waiting } = this.#slots;
    return { limit: this.#places, running, waiting };
  }

  /** Whether the queue rejects new work. */
  get isClosed(): boolean {
    return this.#over;
  }

  async enter<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#over) throw createClosedError();
    return this.#slots.run(work);
  }

  /** Rejects new work, and waits until all accepted work is done. */
  async close(): Promise<void> {
    this.#over = true;
    for (let place = 0; place < this.#places; place += 1) await this.#slots.take();
  }
}

/** Creates the error for work that arrives after closing. */
export function createClosedError(): OperationError {
  return new OperationError("unavailable", "The database is closed");
}
