import { compareText } from "#dc/model/ref.ts";
import { type BlastOptions, carriesFor } from "../power/blast_radius.ts";
import type { LiveSet } from "../power/power_live.ts";
import type { Loads } from "../power/power_load.ts";
import { ApparentLoads, type CarriedLoads, WattLoads } from "./carried_loads.ts";
import type { CompactGraph } from "./compact_graph.ts";
import { LoadSlack } from "./load_slack.ts";
import type { Overloaded } from "./outcome.ts";

const NO_OVERLOADS: readonly Overloaded[] = [];

/** A site before any failure, as a sweep uses it. */
export interface SiteState {
  readonly live: LiveSet;
  readonly loads: Loads;
  readonly options: BlastOptions;
}

/**
 * Live state and loads on one set of arrays, to which failures are applied and undone. A failure costs only the edges
 * that it affects, regardless of the size of the site.
 */
export class FailureState {
  readonly graph: CompactGraph;
  readonly before: SiteState;
  /** Who has power now. */
  readonly live: LiveSet;
  /** Live inlets now, and before anything failed. */
  readonly liveInlets: Int32Array;
  readonly inletsBefore: Int32Array;
  /** Nodes that lost power, the failed ones included. */
  dark: number[] = [];
  /** These nodes and their consumers. */
  reached: number[] = [];
  /** Nodes whose loads were recomputed. */
  changed: number[] = [];
  /** While set, loads are followed even if nothing can be overloaded, and the highest rise of each is kept. */
  peaks: Float64Array | undefined;
  readonly #loads: CarriedLoads;
  readonly #slack: LoadSlack | undefined;
  // Number of the failure that reached, removed or changed a node last; of the round that met it last.
  readonly #reachedBy: Uint32Array;
  readonly #removedBy: Uint32Array;
  readonly #changedBy: Uint32Array;
  readonly #metBy: Uint32Array;
  /** Supplied nodes whose load is not computed yet. */
  readonly #open: Int32Array;
  #failure = 1;
  #round = 0;

  constructor(graph: CompactGraph, before: SiteState) {
    const { size } = graph;
    const { live, loads, options } = before;
    this.graph = graph;
    this.before = before;
    this.live = live.slice();
    const isApparent = loads.phasesVa !== undefined;
    this.#loads = isApparent
      ? new ApparentLoads(graph, { live: this.live, before: loads, basis: options.basis })
      : new WattLoads(graph, this.live, loads);
    this.#slack = isApparent ? undefined : new LoadSlack(graph, live, loads.watts);
    this.#reachedBy = new Uint32Array(size);
    this.#removedBy = new Uint32Array(size);
    this.#changedBy = new Uint32Array(size);
    this.#metBy = new Uint32Array(size);
    this.#open = new Int32Array(size);
    this.liveInlets = new Int32Array(size);
    for (let edge = 0; edge < graph.to.length; edge += 1) {
      const to = graph.to[edge] as number;
      this.liveInlets[to] = (this.liveInlets[to] as number) + (live[graph.from[edge] as number] as number);
    }
    this.inletsBefore = this.liveInlets.slice();
  }

  isRemoved(index: number): boolean {
    return this.#removedBy[index] === this.#failure;
  }

  /** Puts everything back. */
  undo(): void {
    const { outAt, outEdge, to } = this.graph;
    for (const index of this.dark) {
      this.live[index] = 1;
      const end = outAt[index + 1] as number;
      for (let out = outAt[index] as number; out < end; out += 1) {
        const consumer = to[outEdge[out] as number] as number;
        this.liveInlets[consumer] = (this.liveInlets[consumer] as number) + 1;
      }
    }
    for (const index of this.changed) {
      this.#loads.restore(index);
      if (this.peaks !== undefined) this.peaks[index] = 0;
    }
    this.dark = [];
    this.reached = [];
    this.changed = [];
    this.#failure += 1;
  }

  /** Turns nodes off, spreads the loss and updates the loads. @returns the overloaded elements, the worst first */
  lose(nodes: readonly number[]): readonly Overloaded[] {
    const { outAt, outEdge, to, need } = this.graph;
    const { live, liveInlets, dark } = this;
    const begin = dark.length;
    const reached: number[] = [];
    this.#round += 1;
    for (const index of nodes) {
      this.#removedBy[index] = this.#failure;
      if (live[index] !== 1) continue;
      live[index] = 0;
      dark.push(index);
      this.#reach(index, reached);
    }
    for (let at = begin; at < dark.length; at += 1) {
      const index = dark[at] as number;
      const end = outAt[index + 1] as number;
      for (let out = outAt[index] as number; out < end; out += 1) {
        const consumer = to[outEdge[out] as number] as number;
        const left = (liveInlets[consumer] as number) - 1;
        liveInlets[consumer] = left;
        this.#reach(consumer, reached);
        if (live[consumer] !== 1 || left >= (need[consumer] as number) || this.carriesOn(consumer)) continue;
        live[consumer] = 0;
        dark.push(consumer);
      }
    }
    if (this.#mayRest(reached)) return NO_OVERLOADS;
    this.#follow(reached);
    return this.#overloaded();
  }

  /** Whether no load needs to be followed. */
  #mayRest(reached: readonly number[]): boolean {
    if (this.changed.length > 0 || this.peaks !== undefined) return false;
    return this.#slack?.suffices(reached, this.live) === true;
  }

  #reach(index: number, now: number[]): void {
    if (this.#metBy[index] !== this.#round) {
      this.#metBy[index] = this.#round;
      now.push(index);
    }
    if (this.#reachedBy[index] === this.#failure) return;
    this.#reachedBy[index] = this.#failure;
    this.reached.push(index);
  }

  /** Whether a UPS stays on without supply. */
  carriesOn(index: number): boolean {
    const { assumeBattery, batteryS } = this.before.options;
    return assumeBattery && carriesFor(this.graph.runtimeS[index] as number, batteryS) && !this.isRemoved(index);
  }

  /** Computes the loads of these nodes and of everything upstream of them, consumers first. */
  #follow(start: readonly number[]): void {
    const { inAt, from } = this.graph;
    const open = this.#open;
    const ready = this.#withAncestors(start).filter((index) => open[index] === 0);
    // The array grows while it is walked, so it is the queue as well.
    for (const index of ready) {
      this.#loads.renew(index);
      if (this.peaks !== undefined) this.peaks[index] = Math.max(this.peaks[index] as number, this.#riseOf(index));
      if (this.#changedBy[index] !== this.#failure) {
        this.#changedBy[index] = this.#failure;
        this.changed.push(index);
      }
      const end = inAt[index + 1] as number;
      for (let edge = inAt[index] as number; edge < end; edge += 1) {
        const source = from[edge] as number;
        const rest = (open[source] as number) - 1;
        open[source] = rest;
        if (rest === 0) ready.push(source);
      }
    }
  }

  /** Some nodes and everything upstream of them; `open` counts the edges by which each supplies another of them. */
  #withAncestors(start: readonly number[]): readonly number[] {
    const { inAt, from } = this.graph;
    const open = this.#open;
    this.#round += 1;
    const all = start.slice();
    for (const index of all) {
      this.#metBy[index] = this.#round;
      open[index] = 0;
    }
    for (const index of all) {
      const end = inAt[index + 1] as number;
      for (let edge = inAt[index] as number; edge < end; edge += 1) {
        const source = from[edge] as number;
        if (this.#metBy[source] !== this.#round) {
          this.#metBy[source] = this.#round;
          open[source] = 0;
          all.push(source);
        }
        open[source] = (open[source] as number) + 1;
      }
    }
    return all;
  }

  /** In watts. Effects of phases and power factors are not additive, so they have no bound. */
  #riseOf(index: number): number {
    const rise = (this.#loads.watts[index] as number) - this.#loads.wattsBefore(index);
    return this.#slack === undefined && rise !== 0 ? Number.POSITIVE_INFINITY : rise;
  }

  #overloaded(): readonly Overloaded[] {
    const { capacityW, limitW, graph } = this.graph;
    const found: Overloaded[] = [];
    for (const index of this.changed) {
      const capacity = capacityW[index] as number;
      if (capacity === 0 || this.live[index] !== 1) continue;
      const load = this.#loads.comparable(index);
      if (load <= (limitW[index] as number) || load <= this.#loads.comparableBefore(index)) continue;
      found.push({
        index,
        ref: graph.nodes[index]?.ref ?? "",
        loadBeforeW: Math.round(this.#loads.wattsBefore(index)),
        loadAfterW: Math.round(this.#loads.watts[index] as number),
        capacityW: capacity,
        utilizationPct: (load / capacity) * 100,
        severity: load > capacity ? "WOULD_TRIP" : "OVER_DERATED",
      });
    }
    if (found.length < 2) return found;
    return found.sort((a, b) => b.utilizationPct - a.utilizationPct || compareText(a.ref, b.ref));
  }
}
