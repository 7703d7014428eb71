/** Reads of one connection that run at once. Ours: as many as the store has connections for all of them. */
const RUNNING_PER_PEER = 8;

interface Peer {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Limits the reads of each connection that run at once. The store's queue is first in, first out, so without a limit
 * one connection with a thousand calls would hold up all others. A cancelled call that waits never starts.
 */
export class PeerGate {
  readonly #peers = new Map<object, Peer>();

  /**
   * Runs `work` when the peer's turn has come.
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
    const peer = this.#peers.get(key) ?? { running: 0, waiting: new Set() };
    this.#peers.set(key, peer);
    if (peer.running >= RUNNING_PER_PEER) await turnOf(peer, signal);
    else peer.running++;
    try {
      return await work();
    } finally {
      this.#leave(key, peer);
    }
  }

  /** Passes the place on to the next call that waits. */
  #leave(key: object, peer: Peer): void {
    const [next] = peer.waiting;
    if (next !== undefined) {
      next();
      return;
    }
    peer.running--;
    if (peer.running === 0) this.#peers.delete(key);
  }
}

function turnOf({ waiting }: Peer, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const start = () => {
      waiting.delete(start);
      signal?.removeEventListener("abort", leave);
      resolve();
    };
    const leave = () => {
      waiting.delete(start);
      reject(signal?.reason);
    };
    waiting.add(start);
    if (signal?.aborted === true) leave();
    else signal?.addEventListener("abort", leave, { once: true });
  });
}
