import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "#kernel/clock.ts";
import { CooperativeScheduler, IDLE_PEER } from "./operations/answers/cooperative_scheduler.ts";
import type { TopologyCache } from "./operations/answers/topology.ts";
import {
  areFindingStartsStored,
  findFindings,
  storeFindingStarts,
} from "./operations/planning/readings/read_findings.ts";
import type { PassedTime } from "./passed_time.ts";
import type { DcReader, DcStore } from "./ports.ts";

/** Pause between two searches, in milliseconds: the precision of a finding's start. */
const SEARCH_PAUSE_MS = 30_000;
/** Maximum share of the time that searches take. */
const MAX_SEARCH_SHARE = 0.05;

const NO_READINGS = "no readings";

interface FindingKeeperOptions {
  readonly store: DcStore;
  readonly clock: Clock;
  readonly passedTime: PassedTime;
  readonly topologies: TopologyCache;
}

/**
 * Stores the start of each finding, since only the latest value of a reading is stored. Searches for findings after
 * readings or the inventory have changed, or when time alone turns a reading into a stopped one. Several servers may do
 * this for one database.
 */
export class FindingKeeper {
  readonly #options: FindingKeeperOptions;
  /** Revisions that the last search read. */
  #searchedRevisions = "";
  #validFrom = 0;
  #validUntil = 0;

  constructor(needs: FindingKeeperOptions) {
    this.#options = needs;
  }

  /** Searches repeatedly until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const began = performance.now();
      // The store reports its own outage; the next search tries again.
      await this.updateFindingStarts(signal).catch(() => {});
      const pauseMs = Math.max(SEARCH_PAUSE_MS, (performance.now() - began) / MAX_SEARCH_SHARE);
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Stores the starts of the current findings. @throws the signal's reason once it aborts */
  async updateFindingStarts(signal?: AbortSignal): Promise<void> {
    const { store, clock, passedTime, topologies } = this.#options;
    const scheduler = new CooperativeScheduler(signal, IDLE_PEER);
    const now = clock.now().getTime();
    const changed = await store.read(async (whole) => {
      const seen = await readRevisions(whole);
      if (seen === NO_READINGS || !(await passedTime.isClockSettled(whole))) return undefined;
      if (seen === this.#searchedRevisions && this.#validFrom <= now && now < this.#validUntil) return undefined;
      const topology = await topologies.getTopology(whole);
      const reader = scheduler.createYieldingReader(whole);
      const { starts, until } = await findFindings({ reader, scheduler, topology, now });
      this.#validFrom = now;
      this.#validUntil = until;
      this.#searchedRevisions = seen;
      return (await areFindingStartsStored(reader, starts)) ? undefined : starts;
    });
    if (changed === undefined) return;
    await store.write(async (writer) => {
      await passedTime.count(writer);
      await storeFindingStarts(writer, changed);
    });
  }
}

async function readRevisions(reader: DcReader): Promise<string> {
  const readings = await reader.readingsRevision();
  // Without any reading there are no findings, whatever the inventory contains.
  return readings === 0 ? NO_READINGS : `${await reader.revision()} ${readings}`;
}
