import { readdirSync } from "node:fs";
import type { DcStore } from "#dc/ports.ts";
import type { DatabaseFacts, ProcessFacts } from "#interfaces/http/metrics.ts";
import { engine } from "#runtime/engine.ts";
import { COMMIT, VERSION } from "../../version.ts";

/** How long the database's numbers hold, in milliseconds: metrics need no token, so asking often must cost nothing. */
const HOLD_MS = 1000;
/** Longest wait for them, in milliseconds. Ours: metrics collectors time out after ten seconds. */
const PATIENCE_MS = 2000;

type Numbers = Pick<DatabaseFacts, "revision" | "changeLogSeq" | "deadLettersKept">;

/** Asks the database for its numbers, at most once at a time and once a second. */
export class StoreFacts {
  readonly #store: DcStore;
  #numbers: Numbers | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(store: DcStore) {
    this.#store = store;
  }

  async now(): Promise<DatabaseFacts> {
    if (performance.now() - this.#askedAt > HOLD_MS) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = undefined;
      });
      if (await isLate(this.#asking)) this.#numbers = undefined;
    }
    return { up: this.#numbers !== undefined, ...this.#numbers, use: this.#store.use() };
  }

  async #ask(): Promise<void> {
    try {
      await this.#store.check();
      this.#numbers = await this.#store.read(async (reader) => ({
        revision: await reader.revision(),
        changeLogSeq: (await reader.chainHead()).seq,
        deadLettersKept: await reader.countDeadLetters(),
      }));
    } catch {
      this.#numbers = undefined;
    }
    this.#askedAt = performance.now();
  }
}

/** Whether work takes longer than a collector of metrics waits. */
export async function isLate(work: Promise<void>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), PATIENCE_MS);
  });
  const isLate = await Promise.race([work.then(() => false), late]);
  clearTimeout(timer);
  return isLate;
}

export function processFacts(openStreams: number): ProcessFacts {
  const { user, system } = process.cpuUsage();
  return {
    version: VERSION,
    commit: COMMIT,
    engine: engine(),
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
