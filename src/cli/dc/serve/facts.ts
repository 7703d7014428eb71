import { readdirSync } from "node:fs";
import type { DcStore } from "#dc/ports.ts";
import type { DatabaseFacts, ProcessFacts } from "#interfaces/http/metrics.ts";
import { getEngineName } from "#runtime/engine.ts";
import { COMMIT, VERSION } from "../../version.ts";

/** Milliseconds for which the database's numbers are cached. */
const CACHE_MS = 1000;

/** Creates a reader of the database's metrics that reads at most once at a time and once per second. */
export function createDatabaseFactsReader(store: DcStore): () => Promise<DatabaseFacts> {
  const readNumbers = async () => {
    await store.check();
    return store.read(async (reader) => ({
      revision: await reader.revision(),
      changeLogSeq: (await reader.chainHead()).seq,
      deadLettersKept: await reader.countDeadLetters(),
    }));
  };
  const numbers = new CachedFacts({ ask: readNumbers, cacheMs: CACHE_MS, returnsOutdated: false });
  return async () => {
    const known = await numbers.getFacts();
    return { up: known !== undefined, ...known, use: store.use() };
  };
}

export function readProcessFacts(openStreams: number): ProcessFacts {
  const { user, system } = process.cpuUsage();
  return {
    version: VERSION,
    commit: COMMIT,
    engine: getEngineName(),
    startTimeS: Math.round(Date.now() / 1000 - process.uptime()),
    cpuSeconds: (user + system) / 1e6,
    residentMemoryBytes: process.memoryUsage.rss(),
    openStreams,
    openFds: countOpenFds(),
  };
}

/** Counts open file descriptors; available on Linux only. */
function countOpenFds(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}

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
