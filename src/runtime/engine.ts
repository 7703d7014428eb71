/** Returns the name and version of the running engine, `Bun 1.4.5` or `Deno 2.9.5`, or `Node.js` for any other. */
export function getEngineName(): string {
  const { bun, deno, node } = process.versions as Readonly<Record<string, string | undefined>>;
  if (bun !== undefined) return `Bun ${bun}`;
  return deno === undefined ? `Node.js ${node}` : `Deno ${deno}`;
}

/** Interval of heap checks in milliseconds. A program that sends at full speed fills some megabytes in that time. */
const CHECK_INTERVAL_MS = 20;

/** Growth of the heap that starts a garbage collection, in bytes. */
const MIN_GROWTH_BYTES = 3 * 1024 * 1024;

/** Resident bytes from which the engine's caches are released too. */
const LARGE_RESIDENT_BYTES = 80 * 1024 * 1024;
/** Minimum interval between releases of the engine's caches, in milliseconds. */
const SHRINK_INTERVAL_MS = 1_000;

/**
 * Limits the memory of a process that runs next to many larger ones, by collecting garbage earlier than the engine
 * would. Cost: some milliseconds for every few megabytes of garbage. Only Bun supports this.
 *
 * @returns a function that stops the checks
 */
export function limitMemory(): () => void {
  if (typeof Bun === "undefined") return () => {};
  let collected = process.memoryUsage().heapUsed;
  let shrunkAt = 0;
  const timer = setInterval(() => {
    const { heapUsed, rss } = process.memoryUsage();
    const now = performance.now();
    if (
      heapUsed < collected + MIN_GROWTH_BYTES &&
      (rss < LARGE_RESIDENT_BYTES || now < shrunkAt + SHRINK_INTERVAL_MS)
    ) {
      collected = Math.min(collected, heapUsed);
      return;
    }
    Bun.gc(true);
    if (rss >= LARGE_RESIDENT_BYTES && now >= shrunkAt + SHRINK_INTERVAL_MS) {
      shrunkAt = now;
      Bun.shrink();
    }
    collected = process.memoryUsage().heapUsed;
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
