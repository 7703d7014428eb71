/** Maximum milliseconds that a scrape waits for uncached values, because collectors time out after ten seconds. */
const MAX_WAIT_MS = 2000;
/** Maximum milliseconds to wait for values that are newer than the cached ones; small sites need less. */
const MAX_REFRESH_WAIT_MS = 100;

interface CacheOptions<Facts> {
  readonly ask: () => Promise<Facts>;
  /** Milliseconds for which values are cached: metrics need no token, so frequent requests must be cheap. */
  readonly cacheMs: number;
  /** Maximum share of the time that is spent on reading the values; 1 if absent. */
  readonly maxShare?: number;
  /** True to return outdated cached values while they are read again, instead of none. */
  readonly returnsOutdated: boolean;
}

/** Cached values that are read on demand, at most once at a time and once per cache period. */
export class CachedFacts<Facts> {
  readonly #options: CacheOptions<Facts>;
  #facts: Facts | undefined;
  #dueAt = Number.NEGATIVE_INFINITY;
  #refresh: Promise<void> | undefined;

  constructor(options: CacheOptions<Facts>) {
    this.#options = options;
  }

  /** Returns the values; undefined before the first read, and while they cannot be read. */
  async getFacts(): Promise<Facts | undefined> {
    const { returnsOutdated } = this.#options;
    if (performance.now() > this.#dueAt) {
      this.#refresh ??= this.#refreshFacts().finally(() => {
        this.#refresh = undefined;
      });
      const isFirst = this.#dueAt === Number.NEGATIVE_INFINITY;
      const isLate = await takesLonger(this.#refresh, returnsOutdated && !isFirst ? MAX_REFRESH_WAIT_MS : MAX_WAIT_MS);
      if (isLate && !returnsOutdated) this.#facts = undefined;
    }
    return this.#facts;
  }

  async #refreshFacts(): Promise<void> {
    const { ask, cacheMs, maxShare = 1 } = this.#options;
    const begun = performance.now();
    try {
      this.#facts = await ask();
    } catch {
      this.#facts = undefined;
    }
    const ended = performance.now();
    this.#dueAt = ended + Math.max(cacheMs, (ended - begun) / maxShare);
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
