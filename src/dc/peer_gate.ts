import { Slots } from "#kernel/slots.ts";

/** Reads of one connection that run at once. Ours: as many as the store has connections for all of them. */
const RUNNING_PER_PEER = 8;

/**
 * Limits the reads of each connection that run at once. The store's queue is first in, first out, so without a limit
 * one connection with a thousand calls would hold up all others. A cancelled call that waits never starts.
 */
export class PeerGate {
  readonly #peers = new Map<object, Slots>();

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
    const slots = this.#peers.get(key) ?? new Slots(RUNNING_PER_PEER);
    this.#peers.set(key, slots);
    try {
      return await slots.run(work, signal);
    } finally {
      if (slots.running === 0) this.#peers.delete(key);
    }
  }
}
