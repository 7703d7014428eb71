import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { PowerEdge } from "../power/power_graph.ts";
import type { LiveSet } from "../power/power_live.ts";
import { type Carrying, carry, type Loads } from "../power/power_load.ts";
import { comparableLoad } from "../power/power_overloads.ts";
import { type CompactGraph, EDGE } from "./compact_graph.ts";

/** The loads of a rehearsal, recomputed and restored node by node. */
export interface CarriedLoads {
  /** Computes the load of a node from the loads of its consumers. */
  renew(index: number): void;
  /** Restores the load of a node before any failure. */
  restore(index: number): void;
  /** Load in the unit of the node's capacity, whole. */
  comparable(index: number): number;
  comparableBefore(index: number): number;
  wattsBefore(index: number): number;
  readonly watts: Float64Array;
}

/** Loads of a graph in which a watt is a volt-ampere. Equal to those of `loads` to the last bit. */
export class WattLoads implements CarriedLoads {
  readonly watts: Float64Array;
  readonly #graph: CompactGraph;
  readonly #live: LiveSet;
  readonly #before: Float64Array;

  /** @param live follows the failures that are tried */
  constructor(graph: CompactGraph, live: LiveSet, before: Loads) {
    this.#graph = graph;
    this.#live = live;
    this.#before = before.watts;
    this.watts = before.watts.slice();
  }

  comparable(index: number): number {
    return whole(this.watts[index] as number);
  }

  comparableBefore(index: number): number {
    return whole(this.#before[index] as number);
  }

  wattsBefore(index: number): number {
    return this.#before[index] as number;
  }

  restore(index: number): void {
    this.watts[index] = this.#before[index] as number;
  }

  renew(index: number): void {
    const { outAt, outEdge, to, how, drawW, measuresBlades } = this.#graph;
    const live = this.#live;
    if (live[index] !== 1) {
      this.watts[index] = 0;
      return;
    }
    let sum = drawW[index] as number;
    const end = outAt[index + 1] as number;
    for (let at = outAt[index] as number; at < end; at += 1) {
      const edge = outEdge[at] as number;
      const bits = how[edge] as number;
      if (live[to[edge] as number] !== 1 || (bits & EDGE.GATE) !== 0) continue;
      if ((bits & EDGE.BAY) !== 0 && measuresBlades[index] === 1) continue;
      sum += this.#flow(edge);
    }
    this.watts[index] = sum;
  }

  /** Load of a live consumer on one of its live inlets. */
  #flow(edge: number): number {
    const { to, inAt, isOutlet, binds } = this.#graph;
    const consumer = to[edge] as number;
    const total = this.watts[consumer] as number;
    if ((inAt[consumer + 1] as number) - (inAt[consumer] as number) === 1 || isOutlet[consumer] === 1) return total;
    if (binds[consumer] !== 1) return total * this.#share(consumer, edge);
    let bound = 0;
    let here = 0;
    const { outAt, outEdge, how, through } = this.#graph;
    const end = outAt[consumer + 1] as number;
    for (let at = outAt[consumer] as number; at < end; at += 1) {
      const out = outEdge[at] as number;
      const outlet = to[out] as number;
      if (((how[out] as number) & EDGE.THROUGH) === 0 || this.#live[outlet] !== 1) continue;
      bound += this.watts[outlet] as number;
      if (through[out] === edge) here += this.watts[outlet] as number;
    }
    return here + (total - bound) * this.#share(consumer, edge);
  }

  #share(consumer: number, edge: number): number {
    const { inAt, from, recordedW, drawsFromOne } = this.#graph;
    if (drawsFromOne[consumer] === 1) return this.#active(consumer) === edge ? 1 : 0;
    let count = 0;
    let sum = 0;
    let recorded = true;
    const end = inAt[consumer + 1] as number;
    for (let at = inAt[consumer] as number; at < end; at += 1) {
      if (this.#live[from[at] as number] !== 1) continue;
      const watts = recordedW[at] as number;
      count += 1;
      sum += watts;
      if (watts <= 0) recorded = false;
    }
    return recorded ? (recordedW[edge] as number) / sum : 1 / count;
  }

  /** The inlet that a transfer switch or UPS draws from. */
  #active(consumer: number): number {
    const { inAt, from, preferred } = this.#graph;
    const wanted = preferred[consumer] as number;
    if (wanted >= 0 && this.#live[from[wanted] as number] === 1) return wanted;
    const end = inAt[consumer + 1] as number;
    for (let at = inAt[consumer] as number; at < end; at += 1) if (this.#live[from[at] as number] === 1) return at;
    return -1;
  }
}

const NONE: ReadonlySet<PowerEdge> = new Set();

/** Loads of a graph with power factors or legs, by the same computation as everywhere else. */
export class ApparentLoads implements CarriedLoads {
  readonly watts: Float64Array;
  readonly #graph: CompactGraph;
  readonly #before: Loads;
  readonly #after: Loads;
  readonly #lanes: readonly Carrying[];

  constructor(
    graph: CompactGraph,
    { live, before, basis }: { readonly live: LiveSet; readonly before: Loads; readonly basis: LoadBasis },
  ) {
    this.#graph = graph;
    this.#before = before;
    const phasesVa = before.phasesVa?.slice() ?? new Float64Array(3 * graph.size);
    this.watts = before.watts.slice();
    this.#after = { ...before, watts: this.watts, phasesVa };
    const shared = { graph: graph.graph, live, returning: NONE, basis };
    this.#lanes = [
      { ...shared, width: 1, carried: this.watts },
      { ...shared, width: 3, carried: phasesVa },
    ];
  }

  comparable(index: number): number {
    return comparableLoad(this.#graph.graph, index, this.#after);
  }

  comparableBefore(index: number): number {
    return comparableLoad(this.#graph.graph, index, this.#before);
  }

  wattsBefore(index: number): number {
    return this.#before.watts[index] as number;
  }

  restore(index: number): void {
    this.watts[index] = this.#before.watts[index] as number;
    const { phasesVa } = this.#after;
    if (phasesVa === undefined) return;
    for (let at = 3 * index; at < 3 * index + 3; at += 1) phasesVa[at] = this.#before.phasesVa?.[at] as number;
  }

  renew(index: number): void {
    for (const lane of this.#lanes) carry(lane, index);
  }
}

/** As `comparableLoad` rounds. */
function whole(load: number): number {
  return Math.round(load + 1e-6);
}
