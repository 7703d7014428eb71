import type { Steps } from "#kernel/steps.ts";

/** How long work may run before it yields to the event loop, in milliseconds. Ours: other calls may wait that long. */
const SLICE_MS = 8;

/**
 * Shares the event loop among all long pieces of work. In each turn of the loop they run for one slice together; what
 * is left queues, one queue per peer, and the peers take turns. So a probe waits for one slice, and a peer with one call
 * does not wait behind another peer's thousand.
 */
class LoopShare {
  /** Waiting continuations by peer; the first peer is the next one. */
  readonly #queues = new Map<object, (() => void)[]>();
  #turnBegan: number | undefined;

  /** Whether the slice of this turn is used up. */
  isDue(): boolean {
    if (this.#turnBegan !== undefined) return performance.now() - this.#turnBegan >= SLICE_MS;
    this.#begin();
    return false;
  }

  /** Resolves in a later turn, behind the others of the same peer. */
  yield(peer: object): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#queues.get(peer);
      if (queue === undefined) this.#queues.set(peer, [resolve]);
      else queue.push(resolve);
    });
  }

  #begin(): void {
    this.#turnBegan = performance.now();
    setImmediate(() => void this.#turn());
  }

  async #turn(): Promise<void> {
    this.#turnBegan = undefined;
    for (let next = this.#next(); next !== undefined; next = this.isDue() ? undefined : this.#next()) {
      if (this.#turnBegan === undefined) this.#begin();
      next();
      await untilSettled();
    }
  }

  #next(): (() => void) | undefined {
    const [first] = this.#queues;
    if (first === undefined) return undefined;
    const [peer, queue] = first;
    const next = queue.shift();
    this.#queues.delete(peer);
    if (queue.length > 0) this.#queues.set(peer, queue);
    return next;
  }
}

/** Resolves once everything that is ready to run without the event loop has run. */
function untilSettled(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}

/** One for the process, which has one event loop. */
const loop = new LoopShare();
/** The peer of the process's own work. */
const NO_PEER = {};

/** Runs one long read in slices and yields to the event loop between them. */
export class CooperativeScheduler {
  readonly #signal: AbortSignal | undefined;
  readonly #peer: object;

  /**
   * @param signal aborts the work
   * @param peer whose turns the work uses: the connection that it came on
   */
  constructor(signal?: AbortSignal, peer: object = NO_PEER) {
    this.#signal = signal;
    this.#peer = peer;
  }

  /** Whether the slice is used up. */
  isDue(): boolean {
    return loop.isDue();
  }

  /** Yields if the slice is used up. @throws the signal's reason */
  async yieldIfDue(): Promise<void> {
    if (loop.isDue()) await loop.yield(this.#peer);
    this.#signal?.throwIfAborted();
  }

  /** Does all steps, yielding after each slice. @throws the signal's reason */
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (loop.isDue()) await this.yieldIfDue();
    }
  }

  /** The same object yielding before each of its methods, all of which return promises. */
  between<Reader extends object>(reader: Reader): Reader {
    return new Proxy(reader, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...given: unknown[]) => {
          await this.yieldIfDue();
          return Reflect.apply(method, target, given);
        };
      },
    });
  }
}
