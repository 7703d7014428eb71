import type { QueueUse } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";

/** Lets at most `places` pieces of work run at once; the others wait in order. */
export class Queue {
  private free: number;
  private readonly places: number;
  private readonly waiting: (() => void)[] = [];
  private over = false;

  constructor(places: number) {
    this.places = places;
    this.free = places;
  }

  /** How many places there are, how many are taken, and how many pieces of work wait for one. */
  get use(): QueueUse {
    return { limit: this.places, running: this.places - this.free, waiting: this.waiting.length };
  }

  /** Whether it lets nothing in any more. */
  get isClosed(): boolean {
    return this.over;
  }

  async enter<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.over) throw closed();
    await this.take();
    try {
      return await work();
    } finally {
      this.give();
    }
  }

  /** Lets no more work in and waits until all that was let in is done. */
  async close(): Promise<void> {
    this.over = true;
    for (let place = 0; place < this.places; place += 1) await this.take();
  }

  private async take(): Promise<void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private give(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free += 1;
    else next();
  }
}

/** The error for work that comes too late. */
export function closed(): OperationError {
  return new OperationError("unavailable", "The database is closed");
}
