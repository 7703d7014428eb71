import type { LoadBasis } from "#dc/model/enum_values.ts";
import { createLoadLanes, type LoadLane, type Loads } from "./load_lanes.ts";
import type { PowerGraph } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";
import { computeLoads } from "./power_load.ts";
import { computeComparableLoad } from "./power_overloads.ts";

/** Loads before a failure, and the draws that they are computed from. */
export interface LoadsBefore {
  readonly loads: Loads;
  readonly basis: LoadBasis;
  /** Own draw of each node in watts, computed once for callers that try many failures. */
  readonly drawsW?: Float64Array;
}

/** Graph, live set and marks of the nodes during a failure. */
interface FailureNodes {
  readonly graph: PowerGraph;
  readonly live: LiveSet;
  /** Mark bits of each node; `CHANGED` is set once its load was computed. */
  readonly marks: Uint8Array;
}

/** Mark bit of a node whose load was computed since the failures began. */
const CHANGED_BIT = 64;

/** Loads that are updated after each failure and restored by `undo`. */
export class FailureLoads {
  readonly after: Loads;
  /** Nodes whose loads were computed since the failures began. */
  changedNodes: number[] = [];
  /** Records the largest rise of each node's load in watts; undefined if rises are not recorded. */
  peaks: Float64Array | undefined;
  readonly #graph: PowerGraph;
  readonly #live: LiveSet;
  readonly #before: LoadsBefore;
  readonly #lanes: readonly LoadLane[];
  readonly #marks: Uint8Array;
  /** Number of supplied nodes whose load is not computed yet, plus 1; 0 for nodes that are not affected. */
  readonly #openConsumers: Int32Array;
  /** Whether all loads were recomputed. */
  #isRenewed = false;

  constructor({ graph, live, marks }: FailureNodes, before: LoadsBefore) {
    const { watts, phasesVa } = before.loads;
    this.#graph = graph;
    this.#live = live;
    this.#before = before;
    this.after = {
      ...before.loads,
      watts: watts.slice(),
      ...(phasesVa !== undefined && { phasesVa: phasesVa.slice() }),
    };
    this.#lanes = createLoadLanes(this.after, { graph, live, basis: before.basis, drawsW: before.drawsW });
    this.#marks = marks;
    this.#openConsumers = new Int32Array(graph.nodes.length);
  }

  /** Returns the load of a node in the unit of its capacity. */
  computeComparable(index: number): number {
    return computeComparableLoad(this.#graph, index, this.after);
  }

  computeComparableBefore(index: number): number {
    return computeComparableLoad(this.#graph, index, this.#before.loads);
  }

  getWattsBefore(index: number): number {
    return this.#before.loads.watts[index] as number;
  }

  /** Computes the loads of some nodes and of everything upstream of them, consumers first. */
  updateUpstream(start: readonly number[]): void {
    const { inAt, inEnd, from } = this.#graph.edges;
    const open = this.#openConsumers;
    const ready = this.#collectAncestors(start).filter((index) => open[index] === 1);
    const [watts, phases] = [this.#lanes[0] as LoadLane, this.#lanes[1]];
    const { changedNodes } = this;
    const marks = this.#marks;
    // The loop appends to the array while it iterates, so the array also serves as the queue.
    for (const index of ready) {
      watts.recomputeNode(index);
      phases?.recomputeNode(index);
      if (this.peaks !== undefined) this.peaks[index] = Math.max(this.peaks[index] as number, this.#computeRise(index));
      if (((marks[index] as number) & CHANGED_BIT) === 0) {
        marks[index] = (marks[index] as number) | CHANGED_BIT;
        changedNodes.push(index);
      }
      open[index] = 0;
      const end = inEnd[index] as number;
      for (let edge = inAt[index] as number; edge < end; edge += 1) {
        const source = from[edge] as number;
        const rest = (open[source] as number) - 1;
        open[source] = rest;
        if (rest === 1) ready.push(source);
      }
    }
  }

  /** Recomputes all loads, for a site with cycles of supply. @param start nodes whose own supply changed */
  recomputeAll(start: readonly number[]): void {
    for (const index of this.#collectAncestors(start)) {
      this.#openConsumers[index] = 0;
      const marks = this.#marks[index] as number;
      if ((marks & CHANGED_BIT) !== 0) continue;
      this.#marks[index] = marks | CHANGED_BIT;
      this.changedNodes.push(index);
    }
    const { watts, phasesVa } = computeLoads(this.#graph, this.#live, this.#before.basis);
    this.after.watts.set(watts);
    this.after.phasesVa?.set(phasesVa ?? []);
    this.#isRenewed = true;
  }

  restoreLoads(): void {
    const { watts, phasesVa } = this.#before.loads;
    const after = this.after;
    for (const index of this.changedNodes) {
      this.#marks[index] = (this.#marks[index] as number) & ~CHANGED_BIT;
      after.watts[index] = watts[index] as number;
      if (this.peaks !== undefined) this.peaks[index] = 0;
      if (phasesVa === undefined || after.phasesVa === undefined) continue;
      for (let at = 3 * index; at < 3 * index + 3; at += 1) after.phasesVa[at] = phasesVa[at] as number;
    }
    this.changedNodes = [];
    if (!this.#isRenewed) return;
    after.watts.set(watts);
    after.phasesVa?.set(phasesVa ?? []);
    this.#isRenewed = false;
  }

  /** Returns the rise of a node's load in watts; infinite with recorded phases, because their effects do not add up. */
  #computeRise(index: number): number {
    const rise = (this.after.watts[index] as number) - this.getWattsBefore(index);
    return this.#lanes.length > 1 && rise !== 0 ? Number.POSITIVE_INFINITY : rise;
  }

  /** Collects nodes and all upstream. Sets `#open` of each to 1 plus the number of edges to other collected nodes. */
  #collectAncestors(start: readonly number[]): readonly number[] {
    const { inAt, inEnd, from } = this.#graph.edges;
    const open = this.#openConsumers;
    const all = start.slice();
    for (const index of all) open[index] = 1;
    for (const index of all) {
      const end = inEnd[index] as number;
      for (let edge = inAt[index] as number; edge < end; edge += 1) {
        const source = from[edge] as number;
        const known = open[source] as number;
        if (known === 0) all.push(source);
        open[source] = Math.max(known, 1) + 1;
      }
    }
    return all;
  }
}
