import type { QueueUse } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import { TaskSlots } from "#kernel/slots.ts";

/** Limits concurrent work on a database, and rejects new work once it is closed. */
export class WorkQueue {
  readonly #slotCount: number;
  readonly #slots: TaskSlots;
  #closed = false;

  constructor(places: number) {
    this.#slotCount = places;
    this.#slots = new TaskSlots(places);
  }

  /** Returns the number of slots, used slots, and waiting tasks. */
  get use(): QueueUse {
    const { running, waiting } = this.#slots;
    return { limit: this.#slotCount, running, waiting };
  }

  /** Whether the queue rejects new work. */
  get isClosed(): boolean {
    return this.#closed;
  }

  async runWork<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#closed) throw createClosedError();
    return this.#slots.runInSlot(work);
  }

  /** Rejects new work, and waits until all accepted work is done. */
  async close(): Promise<void> {
    this.#closed = true;
    for (let place = 0; place < this.#slotCount; place += 1) await this.#slots.acquire();
  }
}

/** Creates the error for work that arrives after closing. */
export function createClosedError(): OperationError {
  return new OperationError("unavailable", "The database is closed");
}
