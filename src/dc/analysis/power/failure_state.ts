import type { LoadBasis } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import type { Overload } from "#gen/datacenter/v1/messages.ts";
import type { Loads } from "./load_lanes.ts";
import { NodeNumbers } from "./node_numbers.ts";
import { EDGE_BITS, type PowerEdges } from "./power_edges.ts";
import { computeLiveNodes, countLiveInlets, type LiveSet } from "./power_live.ts";
import { FailureLoads } from "./power_load.ts";
import { getBatteryRuntimeS, type PowerGraph } from "./power_nodes.ts";

export interface SiteState {
  readonly graph: PowerGraph;
  readonly live: LiveSet;
  readonly loads: Loads;
  readonly options: FailureOptions;
  /** Each node's own draw in watts and battery seconds (-1 if none), computed once for many tried failures. */
  readonly known?: { readonly drawW: Float64Array; readonly runtimeS: Float64Array };
}

export interface FailureOptions {
  readonly basis: LoadBasis;
  /** Whether nodes with a UPS battery stay on without supply. */
  readonly assumeBattery: boolean;
  /** Minimum battery time in seconds for a battery to count; by default, any recorded time counts. */
  readonly batteryS?: number;
}

export interface Overloaded extends Overload {
  readonly index: number;
}

/** How a failure reached each node. */
export interface FailureTrace {
  /** Distance from the nearest removed node; -1 for unaffected nodes. */
  readonly depth: NodeNumbers;
  /** The node through which power was lost; -1 for none. */
  readonly via: NodeNumbers;
}

export function createFailureTrace({ nodes }: PowerGraph): FailureTrace {
  return { depth: new NodeNumbers(nodes.length), via: new NodeNumbers(nodes.length) };
}

// Bits of a node's marks.
const REMOVED_BIT = 1;
const REACHED_BIT = 2;
const WEAK_BIT = 4;
const MET_BIT = 8;
const DARK_BIT = 16;
const COUNTED_BIT = 32;
// Bit 64 is `CHANGED` of the failure loads.

/**
 * Live state and loads in one set of arrays, to which failures are applied and undone. A failure costs only the edges
 * that it affects, regardless of the size of the site. The nodes that lost power equal the difference of two live sets;
 * a law checks this. Source: docs/contract/datacenter-analyses.md#blast-radius.
 */
export class FailureState {
  readonly before: SiteState;
  readonly loads: FailureLoads;
  /** Nodes that have power during the failure. */
  readonly live: LiveSet;
  /** Nodes that failed or tripped, in that order. */
  removedNodes: number[] = [];
  /** Nodes that lost power, removed nodes included, in breadth-first order. */
  dark: number[] = [];
  /** Nodes that lost power and their consumers, in breadth-first order. */
  reachedNodes: number[] = [];
  /** How the failure spread; undefined unless requested. */
  trace: FailureTrace | undefined;
  /** Whether the failure may affect cycles of supply, in which nodes count each other as live inlets. */
  isCircular = false;
  readonly #graph: PowerGraph;
  readonly #edges: PowerEdges;
  readonly #liveBefore: LiveSet;
  readonly #need: Uint16Array;
  readonly #marks: Uint8Array;
  /** Number of live inlets of each node that the failure reaches. */
  readonly #liveInlets: Uint16Array;
  /** Number of live inlets that each reached node would have if no battery carried a load. */
  #inletsWithoutBatteries: Uint16Array | undefined;

  constructor(before: SiteState) {
    const { graph, live, loads, options, known } = before;
    this.before = before;
    this.#graph = graph;
    this.live = live.slice();
    this.#edges = graph.edges;
    this.#liveBefore = live;
    this.#need = graph.columns.need;
    this.#marks = new Uint8Array(graph.nodes.length);
    this.loads = new FailureLoads(
      { graph, live: this.live, marks: this.#marks },
      {
        loads,
        basis: options.basis,
        ...(known !== undefined && { drawsW: known.drawW }),
      },
    );
    this.#liveInlets = new Uint16Array(graph.nodes.length);
  }

  isRemoved(index: number): boolean {
    return ((this.#marks[index] as number) & REMOVED_BIT) !== 0;
  }

  /** Returns the number of live inlets that a reached node still has. */
  countLiveInlets(index: number): number {
    return this.#liveInlets[index] as number;
  }

  /** Restores the live state and the loads before the failure. */
  restoreState(): void {
    this.loads.restoreLoads();
    this.#restoreLiveState();
  }

  #restoreLiveState(): void {
    for (const index of this.dark) this.live[index] = 1;
    for (const index of this.reachedNodes) this.#marks[index] = 0;
    for (const index of this.removedNodes) this.#marks[index] = 0;
    this.removedNodes = [];
    this.dark = [];
    this.reachedNodes = [];
  }

  /** Spreads the loss of all removed nodes again as one failure, and traces it. Loads do not change. */
  traceAsOneFailure(): void {
    const all = this.removedNodes;
    this.#restoreLiveState();
    this.trace = createFailureTrace(this.#graph);
    this.spread(all);
  }

  /**
   * Turns nodes off and spreads the loss downstream; nodes that are already dark do not spread it.
   * @returns the nodes that this loss reaches
   */
  spread(nodes: readonly number[]): readonly number[] {
    const { live, dark } = this;
    const begin = dark.length;
    // A further loss may reach nodes that an earlier loss reached.
    const again: number[] | undefined = this.removedNodes.length === 0 ? undefined : [];
    for (const index of nodes) {
      this.#marks[index] = (this.#marks[index] as number) | REMOVED_BIT;
      this.removedNodes.push(index);
    }
    const outcome = this.isCircular ? this.#computeLiveSet(live) : undefined;
    for (const index of nodes) {
      if (live[index] !== 1) continue;
      live[index] = 0;
      dark.push(index);
      this.#markReached(index);
      if (again !== undefined) this.#recordMetNode(index, again);
      this.trace?.depth.set(index, 0);
    }
    for (let at = begin; at < dark.length; at += 1) this.#spreadFrom(dark[at] as number, outcome, again);
    if (again === undefined) return this.reachedNodes;
    for (const index of again) this.#marks[index] = (this.#marks[index] as number) & ~MET_BIT;
    return again;
  }

  #spreadFrom(index: number, outcome: LiveSet | undefined, again: number[] | undefined): void {
    const { outAt, outEnd, outEdge, to } = this.#edges;
    const { live, dark, trace } = this;
    const left = this.#liveInlets;
    const end = outEnd[index] as number;
    for (let out = outAt[index] as number; out < end; out += 1) {
      const consumer = to[outEdge[out] as number] as number;
      if (this.#markReached(consumer)) trace?.depth.set(consumer, trace.depth.at(index) + 1);
      if (again !== undefined) this.#recordMetNode(consumer, again);
      left[consumer] = (left[consumer] as number) - 1;
      if (live[consumer] !== 1 || this.#keepsPower(consumer, outcome)) continue;
      live[consumer] = 0;
      trace?.via.set(consumer, index);
      dark.push(consumer);
    }
  }

  #recordMetNode(index: number, met: number[]): void {
    const marks = this.#marks[index] as number;
    if ((marks & MET_BIT) !== 0) return;
    this.#marks[index] = marks | MET_BIT;
    met.push(index);
  }

  /** Whether a node keeps its power after the loss. Cycles need `outcome`, the live set after the loss. */
  #keepsPower(index: number, outcome: LiveSet | undefined): boolean {
    if (outcome !== undefined) return outcome[index] === 1;
    return (this.#liveInlets[index] as number) >= (this.#need[index] as number) || this.isKeptByBattery(index);
  }

  /** Computes the loads after a loss. @param reached the nodes that the loss reaches */
  updateLoads(reached: readonly number[]): void {
    if (this.isCircular) this.loads.recomputeAll(reached);
    else this.loads.updateUpstream(reached);
  }

  /**
   * Computes the live set without the removed nodes.
   * @param baseline live set before the loss, from which nodes with batteries stay on
   */
  #computeLiveSet(baseline?: LiveSet): LiveSet {
    const stays = (index: number) => baseline?.[index] === 1 && this.isKeptByBattery(index);
    return computeLiveNodes(this.#graph, new Set(this.removedNodes), stays);
  }

  /** Marks a node as reached. @returns false if it was marked before */
  #markReached(index: number): boolean {
    const marks = this.#marks[index] as number;
    if ((marks & REACHED_BIT) !== 0) return false;
    this.#marks[index] = marks | REACHED_BIT;
    this.#liveInlets[index] = countLiveInlets(this.#graph, this.#liveBefore, index);
    this.reachedNodes.push(index);
    return true;
  }

  /** Whether a node with a battery stays on without supply. */
  isKeptByBattery(index: number): boolean {
    const { assumeBattery, batteryS } = this.before.options;
    if (!assumeBattery || this.isRemoved(index)) return false;
    return lastsBatteryLongEnough(this.#getRuntimeS(index), batteryS);
  }

  /** Returns a node's recorded battery time in seconds; -1 if none is recorded. */
  #getRuntimeS(index: number): number {
    return this.before.known?.runtimeS[index] ?? getBatteryRuntimeS(this.#graph.nodes[index]) ?? -1;
  }

  /** Returns the shortest recorded battery time in seconds of UPSes that lost supply; undefined if there are none. */
  findShortestRuntimeS(): number | undefined {
    let shortest: number | undefined;
    for (const index of this.reachedNodes) {
      const runtimeS = this.#getRuntimeS(index);
      if (runtimeS < 0 || this.countLiveInlets(index) !== 0) continue;
      // UPSes that failed, tripped or were off before do not count.
      if (this.#liveBefore[index] === 1 && !this.isRemoved(index)) shortest = Math.min(shortest ?? runtimeS, runtimeS);
    }
    return shortest;
  }

  /** Returns live elements above their limit whose load the failure raised, worst first. */
  listOverloads(): readonly Overloaded[] {
    const { nodes, columns } = this.#graph;
    const { loads, live } = this;
    const found: Overloaded[] = [];
    for (const index of loads.changedNodes) {
      const limit = columns.limitW[index] as number;
      if (limit === Number.POSITIVE_INFINITY || live[index] !== 1) continue;
      const load = loads.computeComparable(index);
      if (load <= limit || load <= loads.computeComparableBefore(index)) continue;
      const { ref = "", capacityW = 0 } = nodes[index] ?? {};
      found.push({
        index,
        ref,
        loadBeforeW: loads.getWattsBefore(index),
        loadAfterW: loads.after.watts[index] as number,
        capacityW,
        utilizationPct: (load / capacityW) * 100,
        severity: load > capacityW ? "WOULD_TRIP" : "OVER_DERATED",
      });
    }
    if (found.length < 2) return found;
    return found.sort((a, b) => b.utilizationPct - a.utilizationPct || compareText(a.ref, b.ref));
  }

  /** Returns live nodes that the failure reached, and live nodes whose live inlets all depend on them. */
  listWeakenedNodes(): readonly number[] {
    const { outAt, outEnd, outEdge, to } = this.#edges;
    const { live } = this;
    const marks = this.#marks;
    const found = this.reachedNodes.filter((index) => live[index] === 1);
    for (const index of found) marks[index] = (marks[index] as number) | WEAK_BIT;
    // The loop appends to the array while it iterates, so the array also serves as the queue.
    for (const index of found) {
      const end = outEnd[index] as number;
      for (let out = outAt[index] as number; out < end; out += 1) {
        const edge = outEdge[out] as number;
        const consumer = to[edge] as number;
        if (((marks[consumer] as number) & WEAK_BIT) !== 0 || live[consumer] !== 1 || !this.#doesEdgeWeaken(edge))
          continue;
        marks[consumer] = (marks[consumer] as number) | WEAK_BIT;
        found.push(consumer);
      }
    }
    for (const index of found) marks[index] = (marks[index] as number) & ~WEAK_BIT;
    return found;
  }

  #doesEdgeWeaken(edge: number): boolean {
    const { how, to, inAt, inEnd, from } = this.#edges;
    const bits = how[edge] as number;
    if ((bits & EDGE_BITS.GATE) !== 0) return true;
    // An outlet that is bound to an inlet is as well supplied as the source of that inlet.
    if ((bits & EDGE_BITS.THROUGH) !== 0) return false;
    const consumer = to[edge] as number;
    const end = inEnd[consumer] as number;
    for (let at = inAt[consumer] as number; at < end; at += 1) {
      const source = from[at] as number;
      if (this.live[source] === 1 && ((this.#marks[source] as number) & WEAK_BIT) === 0) return false;
    }
    return true;
  }

  /** Returns the live nodes that would be de-energized without batteries. */
  listNodesOnBattery(): readonly number[] {
    const { outAt, outEnd, outEdge, to } = this.#edges;
    const marks = this.#marks;
    const outcome = this.isCircular ? this.#computeLiveSet() : undefined;
    const counted: number[] = [];
    const dark = this.removedNodes.filter((index) => this.#liveBefore[index] === 1);
    for (const index of dark) marks[index] = (marks[index] as number) | DARK_BIT;
    const lose = (consumer: number): void => {
      const isEnough = this.#subtractInlet(consumer, counted) >= (this.#need[consumer] as number);
      if (((marks[consumer] as number) & DARK_BIT) !== 0 || this.#liveBefore[consumer] !== 1) return;
      if (outcome === undefined ? isEnough : outcome[consumer] === 1) return;
      marks[consumer] = (marks[consumer] as number) | DARK_BIT;
      dark.push(consumer);
    };
    // The loop appends to the array while it iterates, so the array also serves as the queue.
    for (const index of dark) {
      const end = outEnd[index] as number;
      for (let out = outAt[index] as number; out < end; out += 1) lose(to[outEdge[out] as number] as number);
    }
    for (const index of dark) marks[index] = (marks[index] as number) & ~DARK_BIT;
    for (const index of counted) marks[index] = (marks[index] as number) & ~COUNTED_BIT;
    return dark.filter((index) => this.live[index] === 1);
  }

  /**
   * Subtracts one from the live inlets that a node has without batteries, and returns the result.
   * @param counted receives nodes whose inlets are counted for the first time
   */
  #subtractInlet(index: number, counted: number[]): number {
    const marks = this.#marks[index] as number;
    this.#inletsWithoutBatteries ??= new Uint16Array(this.#marks.length);
    const isCounted = (marks & COUNTED_BIT) !== 0;
    const rest =
      (isCounted
        ? (this.#inletsWithoutBatteries[index] as number)
        : countLiveInlets(this.#graph, this.#liveBefore, index)) - 1;
    this.#inletsWithoutBatteries[index] = rest;
    if (isCounted) return rest;
    this.#marks[index] = marks | COUNTED_BIT;
    counted.push(index);
    return rest;
  }
}

/** Whether a recorded battery time, at least `batteryS` seconds, keeps the load on. Source: docs/rpcs.md#device. */
export function lastsBatteryLongEnough(runtimeS: number, batteryS = 0): boolean {
  return runtimeS > 0 && runtimeS >= batteryS;
}
