import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "#kernel/clock.ts";
import { CooperativeScheduler, IDLE_PEER } from "./operations/answers/cooperative_scheduler.ts";
import type { TopologyCache } from "./operations/answers/topology.ts";
import { areStartsStored, findFindings, storeStarts } from "./operations/planning/readings/read_findings.ts";
import type { DcReader, DcStore } from "./ports.ts";

/** Pause between two searches, in milliseconds: how exact the start of a finding is. */
const PAUSE_MS = 30_000;
/** A search takes at most this share of the time. */
const SHARE = 0.05;

const NONE = "no readings";

interface Needs {
  readonly store: DcStore;
  readonly clock: Clock;
  readonly topologies: TopologyCache;
}

/**
 * Keeps when each finding began, since readings hold their latest value only. Looks for findings when readings or the
 * inventory have changed, or when time alone makes a reading one that stopped. Several servers of one database may do so.
 */
export class FindingKeeper {
  readonly #needs: Needs;
  /** What the last search saw, and until when it holds. */
  #seen = "";
  #until = 0;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** Looks again and again until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const began = performance.now();
      // The store reports its own outage; the next search tries again.
      await this.look(signal).catch(() => {});
      const pauseMs = Math.max(PAUSE_MS, (performance.now() - began) / SHARE);
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Keeps the starts of the findings that there are now. @throws the signal's reason once it aborts */
  async look(signal?: AbortSignal): Promise<void> {
    const { store, clock, topologies } = this.#needs;
    const scheduler = new CooperativeScheduler(signal, IDLE_PEER);
    const now = clock.now().getTime();
    const changed = await store.read(async (whole) => {
      const seen = await revisionsOf(whole);
      if (seen === NONE || (seen === this.#seen && now < this.#until)) return undefined;
      const topology = await topologies.at(whole);
      const reader = scheduler.between(whole);
      const { starts, until } = await findFindings({ reader, scheduler, topology, now });
      this.#until = until;
      this.#seen = seen;
      return (await areStartsStored(reader, starts)) ? undefined : starts;
    });
    if (changed !== undefined) await store.write((writer) => storeStarts(writer, changed));
  }
}

async function revisionsOf(reader: DcReader): Promise<string> {
  const readings = await reader.readingsRevision();
  // Without any reading there is nothing to find, whatever the inventory.
  return readings === 0 ? NONE : `${await reader.revision()} ${readings}`;
}
