import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "#kernel/clock.ts";
import { CooperativeScheduler, IDLE_PEER } from "./operations/answers/cooperative_scheduler.ts";
import type { TopologyCache } from "./operations/answers/topology.ts";
import { areStartsStored, findFindings, storeStarts } from "./operations/planning/readings/read_findings.ts";
import type { DcReader, DcStore } from "./ports.ts";

/** Pause between two searches, in milliseconds: the precision of a finding's start. */
const PAUSE_MS = 30_000;
/** Maximum share of the time that searches take. */
const SHARE = 0.05;

const NONE = "no readings";

interface Needs {
  readonly store: DcStore;
  readonly clock: Clock;
  readonly topologies: TopologyCache;
}

/**
 * Stores the start of each finding, since only the latest value of a reading is stored. Searches for findings after
 * readings or the inventory have changed, or when time alone turns a reading into a stopped one. Several servers may do
 * this for one database.
 */
export class FindingKeeper {
  readonly #needs: Needs;
  /** Revisions that the last search read. */
  #seen = "";
  #until = 0;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** Searches repeatedly until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const began = performance.now();
      // The store reports its own outage; the next search tries again.
      await this.look(signal).catch(() => {});
      const pauseMs = Math.max(PAUSE_MS, (performance.now() - began) / SHARE);
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Stores the starts of the current findings. @throws the signal's reason once it aborts */
  async look(signal?: AbortSignal): Promise<void> {
    const { store, clock, topologies } = this.#needs;
    const scheduler = new CooperativeScheduler(signal, IDLE_PEER);
    const now = clock.now().getTime();
    const changed = await store.read(async (whole) => {
      const seen = await readRevisions(whole);
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

async function readRevisions(reader: DcReader): Promise<string> {
  const readings = await reader.readingsRevision();
  // Without any reading there are no findings, whatever the inventory contains.
  return readings === 0 ? NONE : `${await reader.revision()} ${readings}`;
}
