import { readdirSync } from "node:fs";
import type { DcStore } from "#dc/ports.ts";
import type { DatabaseFacts, ProcessFacts } from "#interfaces/http/metrics.ts";
import { getEngineName } from "#runtime/engine.ts";
import { COMMIT, VERSION } from "../../version.ts";
import { HeldFacts } from "./held_facts.ts";

/** How long the database's numbers hold, in milliseconds. */
const HOLD_MS = 1000;

/** Returns the facts of the database, which is asked for its numbers at most once at a time and once a second. */
export function databaseFacts(store: DcStore): () => Promise<DatabaseFacts> {
  const ask = async () => {
    await store.check();
    return store.read(async (reader) => ({
      revision: await reader.revision(),
      changeLogSeq: (await reader.chainHead()).seq,
      deadLettersKept: await reader.countDeadLetters(),
    }));
  };
  const numbers = new HeldFacts({ ask, holdMs: HOLD_MS, keepsLate: false });
  return async () => {
    const known = await numbers.now();
    return { up: known !== undefined, ...known, use: store.use() };
  };
}

export function processFacts(openStreams: number): ProcessFacts {
  const { user, system } = process.cpuUsage();
  return {
    version: VERSION,
    commit: COMMIT,
    engine: getEngineName(),
    startTimeS: Math.round(Date.now() / 1000 - process.uptime()),
    cpuSeconds: (user + system) / 1e6,
    residentMemoryBytes: process.memoryUsage.rss(),
    openStreams,
    openFds: openFds(),
  };
}

/** Available on Linux only. */
function openFds(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
