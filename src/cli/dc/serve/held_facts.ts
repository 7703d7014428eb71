/** Maximum milliseconds that a scrape waits for uncached values, because collectors time out after ten seconds. */
const PATIENCE_MS = 2000;
/** Maximum milliseconds to wait for values that are newer than the cached ones; small sites need less. */
const SHORT_MS = 100;

interface HeldOptions<Facts> {
  readonly ask: () => Promise<Facts>;
  /** Milliseconds for which values are cached: metrics need no token, so frequent requests must be cheap. */
  readonly holdMs: number;
  /** Maximum share of the time that is spent on reading the values; 1 if absent. */
  readonly share?: number;
  /** True to return outdated cached values while they are read again, instead of none. */
  readonly keepsLate: boolean;
}

/** Cached values that are read on demand, at most once at a time and once per cache period. */
export class CachedFacts<Facts> {
  readonly #options: HeldOptions<Facts>;
  #facts: Facts | undefined;
  #dueAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(options: HeldOptions<Facts>) {
    this.#options = options;
  }

  /** Returns the values; undefined before the first read, and while they cannot be read. */
  async now(): Promise<Facts | undefined> {
    const { keepsLate } = this.#options;
    if (performance.now() > this.#dueAt) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = undefined;
      });
      const isFirst = this.#dueAt === Number.NEGATIVE_INFINITY;
      const isLate = await takesLonger(this.#asking, keepsLate && !isFirst ? SHORT_MS : PATIENCE_MS);
      if (isLate && !keepsLate) this.#facts = undefined;
    }
    return this.#facts;
  }

  async #ask(): Promise<void> {
    const { ask, holdMs, share = 1 } = this.#options;
    const begun = performance.now();
    try {
      this.#facts = await ask();
    } catch {
      this.#facts = undefined;
    }
    const ended = performance.now();
    this.#dueAt = ended + Math.max(holdMs, (ended - begun) / share);
  }
}

/** Returns whether `work` takes longer than `patienceMs` milliseconds. */
async function takesLonger(work: Promise<void>, patienceMs: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), patienceMs);
  });
  const isLate = await Promise.race([work.then(() => false), late]);
  clearTimeout(timer);
  return isLate;
}
