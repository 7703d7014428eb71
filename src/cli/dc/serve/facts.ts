import { readdirSync } from "node:fs";
import type { DcStore } from "#dc/ports.ts";
import type { DatabaseFacts, ProcessFacts } from "#interfaces/http/metrics.ts";
import { getEngineName } from "#runtime/engine.ts";
import { COMMIT, VERSION } from "../../version.ts";
import { CachedFacts } from "./held_facts.ts";

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
