import { TaskSlots } from "#kernel/slots.ts";
import { CooperativeScheduler } from "./operations/answers/cooperative_scheduler.ts";

/** Maximum number of reads of one connection that run at once. Our choice: the store's number of connections. */
const MAX_READS_PER_PEER = 8;

/**
 * Limits the reads of each connection that run at once. The store's queue is first in, first out, so without a limit
 * one connection with a thousand calls would hold up all others. A cancelled call that waits never starts.
 */
export class PeerReadLimiter {
  readonly #peers = new Map<object, TaskSlots>();

  /**
   * Runs `work` when the peer has a free slot.
   *
   * @param key identifies the connection; without it there is no limit
   * @throws the signal's reason if it aborts before the work has begun
   */
  async run<Result>(
    key: object | undefined,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (key === undefined) return work();
    const slots = this.#peers.getOrInsertComputed(key, () => new TaskSlots(MAX_READS_PER_PEER));
    try {
      return await slots.runInSlot(work, signal);
    } finally {
      if (slots.running === 0) this.#peers.delete(key);
    }
  }
}

/** A caller that waits for a read. */
export interface WaitingCaller {
  readonly signal: AbortSignal | undefined;
  readonly peer: object | undefined;
}

/** Runs one read, and reports the revision of its snapshot as soon as it is known. */
export type RunComputation<Reply> = (
  scheduler: CooperativeScheduler,
  atRevision: (seen: number) => void,
) => Promise<Reply>;

interface RunningRead {
  readonly reply: Promise<unknown>;
  /** Connection whose slot the read runs in. */
  readonly peer: object | undefined;
  /** Whether the read still waits for a slot. */
  isQueued: boolean;
  /** Revision of the snapshot that is read. */
  readonly revision: Promise<number>;
  readonly scheduler: CooperativeScheduler;
  readonly stop: AbortController;
  callerCount: number;
}

/**
 * Computes equal reads once while they run. A caller joins a read only if its snapshot has the inventory's current
 * revision, so that it sees every change that was acknowledged before its request; or one that waits for a slot of the
 * caller's own connection. A read counts against every connection that waits for it, and stops when no caller waits for
 * it.
 */
export class SharedReads {
  readonly #running = new Map<string, RunningRead>();
  readonly #gate: PeerReadLimiter;

  constructor(gate = new PeerReadLimiter()) {
    this.#gate = gate;
  }

  /**
   * Returns the reply of the running read of this key, or runs `compute`.
   *
   * @param revision reads the inventory's current revision
   * @throws the signal's reason when it aborts
   */
  async run<Reply>(
    key: string,
    { signal, peer }: WaitingCaller,
    { revision, compute }: { readonly revision: () => Promise<number>; readonly compute: RunComputation<Reply> },
  ): Promise<Reply> {
    const known = this.#running.get(key);
    const isCurrent =
      known !== undefined && (known.isQueued ? known.peer === peer : await isReadCurrent(known, revision));
    const isJoined = isCurrent && !known.stop.signal.aborted;
    signal?.throwIfAborted();
    if (!isJoined) return this.#waitForReply<Reply>(this.#startRead(key, peer, compute), signal);
    known.scheduler.addPeer(peer);
    return this.#waitForReply<Reply>(known, signal);
  }

  #startRead<Reply>(key: string, peer: object | undefined, compute: RunComputation<Reply>): RunningRead {
    const stop = new AbortController();
    const scheduler = new CooperativeScheduler(stop.signal, peer);
    const { promise: revision, resolve, reject } = Promise.withResolvers<number>();
    let hasStarted = false;
    const start = () => {
      hasStarted = true;
      if (running !== undefined) running.isQueued = false;
      return compute(scheduler, resolve);
    };
    let running: RunningRead | undefined;
    const reply = this.#gate.run(peer, stop.signal, start);
    running = { reply, peer, isQueued: !hasStarted, revision, scheduler, stop, callerCount: 0 };
    this.#running.set(key, running);
    revision.catch(() => {});
    const end = (error?: unknown) => {
      reject(error);
      if (this.#running.get(key) === running) this.#running.delete(key);
    };
    reply.then(end, end);
    return running;
  }

  #waitForReply<Reply>(running: RunningRead, signal: AbortSignal | undefined): Promise<Reply> {
    running.callerCount++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        running.callerCount--;
        if (running.callerCount === 0) running.stop.abort(signal?.reason);
        reject(signal?.reason);
      };
      const done = () => signal?.removeEventListener("abort", leave);
      signal?.addEventListener("abort", leave, { once: true });
      (running.reply as Promise<Reply>).finally(done).then(resolve, reject);
    });
  }
}

async function isReadCurrent(running: RunningRead, revision: () => Promise<number>): Promise<boolean> {
  const seen = await running.revision.catch(() => undefined);
  return seen !== undefined && seen === (await revision());
}
