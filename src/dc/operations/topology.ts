import { type PowerGraph, powerGraph } from "#dc/analysis/power_graph.ts";
import { type LiveSet, liveSet } from "#dc/analysis/power_live.ts";
import { loads } from "#dc/analysis/power_load.ts";
import type { Estate } from "#dc/model/estate.ts";
import type { DcReader } from "#dc/ports.ts";

/** The estate's graphs at one revision. */
export interface Topology {
  readonly revision: number;
  /** With power ports and power cables only. */
  readonly estate: Estate;
  readonly power: PowerGraph;
  /** Which nodes have power before anything fails. */
  readonly live: LiveSet;
  /** What every node carries by allocated draw, in watts. */
  readonly loadsW: Float64Array;
}

/** Keeps the newest topology; a snapshot of another revision builds its own, so that a read after a write sees it. */
export class TopologyCache {
  private newest: Topology | undefined;
  /** What is being built, by revision: reads that come at the same moment wait for one build. */
  private readonly building = new Map<number, Promise<Topology>>();

  async at(reader: DcReader): Promise<Topology> {
    const revision = await reader.revision();
    if (this.newest?.revision === revision) return this.newest;
    const running = this.building.get(revision) ?? this.build(reader, revision);
    this.building.set(revision, running);
    try {
      const built = await running;
      // A slow reader on an old snapshot must not push out a newer one.
      if (this.newest === undefined || this.newest.revision < revision) this.newest = built;
      return built;
    } finally {
      this.building.delete(revision);
    }
  }

  private async build(reader: DcReader, revision: number): Promise<Topology> {
    const estate = await reader.powerEstate();
    const power = powerGraph(estate);
    const live = liveSet(power);
    return { revision, estate, power, live, loadsW: loads(power, live, "ALLOCATED") };
  }
}
