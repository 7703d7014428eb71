/**
 * Minimum pace of a peer, in bytes per second. Our choice: a tenth of the bandwidth of the slowest links.
 */
const LEAST_BYTES_PER_S = 4096;
/** How long a peer may be slower than that, in milliseconds: normally, and while memory is scarce. */
const PATIENCE_MS = 30_000;
const SCARCE_PATIENCE_MS = 5000;

/** Measures how fast a peer drains its backlog, between two checks. */
export class PeerPace {
  #last: { readonly bytes: number; readonly at: number } | undefined;
  #slowSince: number | undefined;

  /** Resets the measurement: the backlog is empty. */
  rest(): void {
    this.#last = undefined;
    this.#slowSince = undefined;
  }

  /**
   * Notes that `bytes` wait at the moment `now`. Returns whether the peer has been too slow for too long.
   *
   * @param bytes falls as the peer makes progress
   * @param now milliseconds of the monotonic clock
   */
  isTooSlow(bytes: number, now: number, isScarce: boolean): boolean {
    const last = this.#last;
    this.#last = { bytes, at: now };
    if (last === undefined) {
      this.#slowSince = now;
      return false;
    }
    if (last.bytes - bytes >= ((now - last.at) / 1000) * LEAST_BYTES_PER_S) {
      this.#slowSince = now;
      return false;
    }
    this.#slowSince ??= last.at;
    return now - this.#slowSince >= (isScarce ? SCARCE_PATIENCE_MS : PATIENCE_MS);
  }
}
