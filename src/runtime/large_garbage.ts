/** Size from which an exchange's bytes count, in bytes: the engine collects small garbage early enough by itself. */
const LARGE = 1024 * 1024;
/** Bytes of large garbage after which it is collected. Ours: a quarter of a second's traffic on a fast network. */
const COLLECT_AFTER = 128 * 1024 * 1024;
/** Least time between two collections, in milliseconds: many exchanges that end together cost one, and probes get through. */
const PAUSE_MS = 100;

/**
 * Collects the garbage of large bodies. The engine counts its own objects, but hardly the bytes of bodies outside of its
 * heap, and would let several times the memory budget pile up as garbage. Cost: one collection per 128 MiB of bodies,
 * in a turn of the event loop with no other work of this program.
 */
export class LargeGarbage {
  #bytes = 0;
  #collectedAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Notes that an exchange has let `bytes` go. */
  add(bytes: number): void {
    if (bytes < LARGE || typeof Bun === "undefined") return;
    this.#bytes += bytes;
    if (this.#bytes < COLLECT_AFTER || this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#collectedAt + PAUSE_MS - performance.now());
    this.#timer = setTimeout(() => this.#collect(), waitMs);
    this.#timer.unref();
  }

  #collect(): void {
    this.#timer = undefined;
    this.#bytes = 0;
    Bun.gc(true);
    this.#collectedAt = performance.now();
  }
}
