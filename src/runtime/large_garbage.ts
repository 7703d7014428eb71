/** Size from which an exchange's bytes count, in bytes: the engine collects small garbage early enough by itself. */
const LARGE = 1024 * 1024;
/** Bytes of large garbage after which it is collected. Ours: a quarter of a second's traffic on a fast network. */
const COLLECT_AFTER = 128 * 1024 * 1024;

/**
 * Collects the garbage of large bodies. The engine counts its own objects, but hardly the bytes of bodies outside of its
 * heap, and would let several times the memory budget pile up as garbage. Cost: one collection per 128 MiB of bodies, at
 * most one in a turn of the event loop: thousands of exchanges may end in one.
 */
export class LargeGarbage {
  #bytes = 0;
  #isDue = false;

  /** Notes that an exchange has let `bytes` go. */
  add(bytes: number): void {
    if (bytes < LARGE || typeof Bun === "undefined") return;
    this.#bytes += bytes;
    if (this.#bytes < COLLECT_AFTER || this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#collect());
  }

  #collect(): void {
    this.#isDue = false;
    this.#bytes = 0;
    Bun.gc(true);
  }
}
