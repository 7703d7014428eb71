import type { Steps } from "#kernel/steps.ts";

/** Maximum time in milliseconds that work runs before a yield. Our choice: other calls wait at most this long. */
const SLICE_MS = 5;
/**
 * Maximum time in milliseconds that work runs while it holds the database's write lock. Our choice: twice the other
 * limit, because other processes wait for the lock.
 */
const WRITE_SLICE_MS = 10;
/**
 * One turn in this many runs other work before work that holds the write lock. Our choice: often enough that reads
 * continue during an endless queue of writes.
 */
const READ_FIRST_INTERVAL = 3;
/** One turn in this many runs the idle peer's work first. Our choice: idle work takes below 2 percent of the time. */
const IDLE_FIRST_INTERVAL = 64;

/** Peer of work that no caller waits for. It runs when no other work is queued, and first in one turn of 64. */
export const IDLE_PEER = {};

/**
 * Shares the event loop among all long pieces of work. In each turn of the loop they run for one slice in total; the
 * remaining work queues per peer, and the peers alternate. A health probe therefore waits for one slice, and a peer
 * with one call does not wait for the thousand calls of another peer. Requests that have just arrived alternate with
 * the peers, so that a short request does not wait for all peers. Work that holds the write lock runs first in two of
 * three turns, so that the lock's duration does not grow with the number of peers.
 */
class EventLoopScheduler {
  /** Waiting continuations by peer. The first peer runs next. */
  readonly #queues = new Map<object, (() => void)[]>();
  readonly #arrivals: (() => void)[] = [];
  readonly #writes: (() => void)[] = [];
  #isArrivalNext = true;
  #arrivalsStartMs: number | undefined;
  #turns = 0;
  #turnStartMs: number | undefined;
  #sliceMs = SLICE_MS;
  /** Time in milliseconds for which work of the idle peer ran. */
  idleWorkMs = 0;

  /** Whether the slice of this turn is used up. Starts the turn's clock if it is not running. */
  isYieldDue(): boolean {
    if (this.#turnStartMs !== undefined) return performance.now() - this.#turnStartMs >= this.#sliceMs;
    this.#startTurn(SLICE_MS);
    return false;
  }

  /** Resolves in a later turn, as soon as one of the given peers runs. Each peer runs its continuations in order. */
  yieldPeers(peers: Iterable<object>): Promise<void> {
    return new Promise((resolve) => {
      for (const peer of peers) {
        const queue = this.#queues.get(peer);
        if (queue === undefined) this.#queues.set(peer, [resolve]);
        else queue.push(resolve);
      }
    });
  }

  /** Whether a request that arrives must yield: earlier ones are queued, or have used up a slice in this turn. */
  mustArrivalYield(): boolean {
    if (this.#arrivals.length > 0) return true;
    this.isYieldDue();
    this.#arrivalsStartMs ??= performance.now();
    return performance.now() - this.#arrivalsStartMs >= SLICE_MS;
  }

  /** Resolves in a later turn, after the requests that arrived before. */
  yieldArrival(): Promise<void> {
    return new Promise((resolve) => this.#arrivals.push(resolve));
  }

  /** Resolves in a later turn. In two of three turns, work with the write lock runs first. */
  yieldWrite(): Promise<void> {
    return new Promise((resolve) => this.#writes.push(resolve));
  }

  #startTurn(sliceMs: number): void {
    this.#sliceMs = sliceMs;
    this.#turnStartMs = performance.now();
    setImmediate(() => void this.#runTurn());
  }

  async #runTurn(): Promise<void> {
    this.#turnStartMs = undefined;
    this.#arrivalsStartMs = undefined;
    this.#turns++;
    for (let next = this.#takeNext(); next !== undefined; next = this.isYieldDue() ? undefined : this.#takeNext()) {
      if (this.#turnStartMs === undefined) this.#startTurn(next.sliceMs);
      const startedMs = performance.now();
      next.go();
      await waitForMicrotasks();
      if (next.isIdle === true) this.idleWorkMs += performance.now() - startedMs;
    }
  }

  #takeNext(): { readonly go: () => void; readonly sliceMs: number; readonly isIdle?: true } | undefined {
    const seldom = this.#turns % IDLE_FIRST_INTERVAL === 0 ? this.#takeFromPeer(IDLE_PEER) : undefined;
    if (seldom !== undefined) return { go: seldom, sliceMs: SLICE_MS, isIdle: true };
    const isWriteFirst = this.#turns % READ_FIRST_INTERVAL !== 0;
    const other = isWriteFirst && this.#writes.length > 0 ? undefined : this.#takeArrivalOrPeer();
    if (other !== undefined) return { go: other, sliceMs: SLICE_MS };
    const write = this.#writes.shift();
    if (write !== undefined) return { go: write, sliceMs: WRITE_SLICE_MS };
    const idle = this.#takeFromPeer(IDLE_PEER);
    return idle === undefined ? undefined : { go: idle, sliceMs: SLICE_MS, isIdle: true };
  }

  #takeArrivalOrPeer(): (() => void) | undefined {
    this.#isArrivalNext = !this.#isArrivalNext;
    const arrival = () => this.#arrivals.shift();
    const ofPeer = () => this.#takeFromNextPeer();
    return this.#isArrivalNext ? (arrival() ?? ofPeer()) : (ofPeer() ?? arrival());
  }

  #takeFromNextPeer(): (() => void) | undefined {
    for (const peer of this.#queues.keys()) if (peer !== IDLE_PEER) return this.#takeFromPeer(peer);
    return undefined;
  }

  #takeFromPeer(peer: object): (() => void) | undefined {
    const queue = this.#queues.get(peer);
    const next = queue?.shift();
    this.#queues.delete(peer);
    if (queue !== undefined && queue.length > 0) this.#queues.set(peer, queue);
    return next;
  }
}

/** Resolves after all pending microtasks have run. */
function waitForMicrotasks(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}

/** The only scheduler of the event loop: a process has one event loop. */
const eventLoopScheduler = new EventLoopScheduler();

/** Returns the time in milliseconds for which work of the idle peer ran so far, without waiting. */
export function getIdleWorkMs(): number {
  return eventLoopScheduler.idleWorkMs;
}

/** Delays the start of a request that has just arrived if earlier requests have used up their slice of this turn. */
export async function waitForArrivalTurn(): Promise<void> {
  if (eventLoopScheduler.mustArrivalYield()) await eventLoopScheduler.yieldArrival();
}

/** The peer of the process's own work. */
const PROCESS_PEER = {};

/** Runs one long read in slices and yields to the event loop between them. */
export class CooperativeScheduler {
  readonly #signal: AbortSignal | undefined;
  readonly #peers: Set<object>;
  #isWrite = false;

  /**
   * @param signal aborts the work
   * @param peer queue of the work: the connection that the call arrived on
   */
  constructor(signal?: AbortSignal, peer: object = PROCESS_PEER) {
    this.#signal = signal;
    this.#peers = new Set([peer]);
  }

  /** Returns the scheduler for work within a write transaction, which runs before other work. */
  static createForWrite(): CooperativeScheduler {
    const scheduler = new CooperativeScheduler();
    scheduler.#isWrite = true;
    return scheduler;
  }

  /** Lets the work also use the turns of another connection that waits for it. */
  addPeer(peer: object = PROCESS_PEER): void {
    this.#peers.add(peer);
  }

  /** Lets the work also use the turns of another piece of work that waits for it. */
  addPeersOfWork(other: CooperativeScheduler): void {
    for (const peer of other.#peers) this.#peers.add(peer);
  }

  /** Whether no caller waits for the work. */
  get isIdle(): boolean {
    return this.#peers.size === 1 && this.#peers.has(IDLE_PEER);
  }

  /** Whether the work was aborted. */
  get isStopped(): boolean {
    return this.#signal?.aborted === true;
  }

  /** Whether the slice is used up. */
  isYieldDue(): boolean {
    return eventLoopScheduler.isYieldDue();
  }

  /** Yields if the slice is used up. @throws the signal's reason */
  async yieldIfDue(): Promise<void> {
    if (eventLoopScheduler.isYieldDue())
      await (this.#isWrite ? eventLoopScheduler.yieldWrite() : eventLoopScheduler.yieldPeers(this.#peers));
    this.#signal?.throwIfAborted();
  }

  /** Runs all steps, yielding after each slice. @throws the signal's reason */
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (eventLoopScheduler.isYieldDue()) await this.yieldIfDue();
    }
  }

  /**
   * Wraps a reader so that each of its methods yields first if the slice is used up. All methods must return promises.
   */
  createYieldingReader<Reader extends object>(reader: Reader): Reader {
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
