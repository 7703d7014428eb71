import type { LoadBasis } from "../../model/enum_values.ts";
import { codeKey } from "../../model/ref.ts";
import type { Device } from "../../model/resources.ts";
import { createLoadLanes, type LoadLane, type Loads } from "./load_lanes.ts";
import { NodeNumbers } from "./node_numbers.ts";
import { copyToLength, type PowerEdge } from "./power_edges.ts";
import { countLiveInlets, type LiveSet } from "./power_live.ts";
import { computeComparableLoad } from "./power_node_table.ts";
import type { PowerGraph } from "./power_nodes.ts";

/**
 * Computes the load of every live node: its own draw and what it distributes. A consumer divides its load over its live
 * inlets, equally or by their recorded draws. Load on an outlet that is bound to an inlet uses that inlet; a transfer
 * switch or UPS uses one inlet for the remainder. The measured draw of a chassis includes its blades. Edges that close
 * a cycle of supply carry nothing, so that the sum of watts equals that of the draws there too. Cost: O(nodes + edges).
 * Source: docs/contract/datacenter-analyses.md#power-loads.
 *
 * @param drawsW own draw of each node, in place of the recorded ones
 */
export function computeLoads(graph: PowerGraph, live: LiveSet, basis: LoadBasis, drawsW?: Float64Array): Loads {
  const order = sortConsumersFirst(graph);
  const isCircular = order.length < graph.nodes.length;
  const returning = isCircular ? findReturningEdges(graph, live, order) : undefined;
  const isCountedEdge = (edge: PowerEdge) =>
    live[edge.from] === 1 && live[edge.to] === 1 && returning?.has(edge) !== true;
  const all = isCircular ? sortConsumersFirst(graph, isCountedEdge) : order;
  const { nodes, isApparent } = graph;
  const made = {
    watts: new Float64Array(nodes.length),
    ...(isApparent && { phasesVa: new Float64Array(3 * nodes.length) }),
    isCircular,
  };
  for (const lane of createLoadLanes(made, { graph, live, basis, drawsW, returningEdges: returning }))
    for (const index of all) lane.recomputeNode(index);
  return made;
}

/** Copies earlier loads with room for added nodes; undefined if the loads cannot be updated node by node. */
function copyLoads({ nodes, isApparent }: PowerGraph, { watts, phasesVa, isCircular }: Loads): Loads | undefined {
  if (isCircular || isApparent !== (phasesVa !== undefined)) return undefined;
  return {
    watts: copyToLength(watts, nodes.length),
    ...(phasesVa !== undefined && { phasesVa: copyToLength(phasesVa, 3 * nodes.length) }),
    isCircular,
  };
}

function findReturningEdges(graph: PowerGraph, live: LiveSet, order: readonly number[]): ReadonlySet<PowerEdge> {
  const ordered = new Set(order);
  return collectReturningEdges(
    graph,
    live,
    [...graph.nodes.keys()].filter((index) => !ordered.has(index)),
  );
}

/** Sorts nodes so that every consumer precedes its supplies. Omits nodes upstream of a cycle of counted edges. */
function sortConsumersFirst(
  { nodes, supplies, edges }: PowerGraph,
  counts?: (edge: PowerEdge) => boolean,
): readonly number[] {
  const { all, inAt, inEnd, from } = edges;
  const open = new Int32Array(nodes.length);
  const order: number[] = [];
  for (let index = 0; index < nodes.length; index += 1) {
    const count = counts === undefined ? supplies.count(index) : supplies.listEdges(index).filter(counts).length;
    open[index] = count;
    if (count === 0) order.push(index);
  }
  // The loop appends to the array while it iterates, so the array also serves as the queue.
  for (const index of order) {
    const end = inEnd[index] as number;
    for (let at = inAt[index] as number; at < end; at += 1) {
      if (counts?.(all[at] as PowerEdge) === false) continue;
      const source = from[at] as number;
      const rest = (open[source] as number) - 1;
      open[source] = rest;
      if (rest === 0) order.push(source);
    }
  }
  return order;
}

/** Loads after a failure, and the nodes whose load may differ from that before. */
interface LoadsAfter {
  readonly loads: Loads;
  readonly changed: readonly number[];
}

/**
 * Computes the loads for the live set after a failure or a change of the graph, but only for nodes that may differ:
 * those that lost an inlet, lost power or changed, and their upstream nodes. A law checks that the result equals
 * `computeLoads`.
 *
 * @param before loads of the nodes before; nodes added since have none yet
 * @param reached nodes without power and their consumers
 * Cost: O(edges of these nodes and their ancestors), plus one copy of the loads; that of `computeLoads` upstream of a
 * cycle.
 */
export function updateLoads(
  graph: PowerGraph,
  before: Loads,
  { live, reached }: { readonly live: LiveSet; readonly reached: readonly number[] },
  basis: LoadBasis,
): LoadsAfter {
  const { changed, open } = collectNodesWithAncestors(graph, reached);
  const after = copyLoads(graph, before);
  if (after === undefined) return { loads: computeLoads(graph, live, basis), changed };
  const lanes = createLoadLanes(after, { graph, live, basis });
  const { inAt, inEnd, from } = graph.edges;
  const ready = changed.filter((index) => open.at(index) === 0);
  // The loop appends to the array while it iterates, so the array also serves as the queue.
  for (const index of ready) {
    for (const lane of lanes) lane.recomputeNode(index);
    for (let at = inAt[index] as number; at < (inEnd[index] as number); at += 1) {
      const source = from[at] as number;
      const rest = open.at(source) - 1;
      open.set(source, rest);
      if (rest === 0) ready.push(source);
    }
  }
  // The remaining nodes are upstream of a cycle.
  if (ready.length < changed.length) return { loads: computeLoads(graph, live, basis), changed };
  return { loads: after, changed };
}

/** Collects nodes and everything upstream; `open` counts the edges of each node to other collected nodes. */
function collectNodesWithAncestors({ nodes, edges }: PowerGraph, start: readonly number[]) {
  const open = new NodeNumbers(nodes.length);
  const changed = [...start];
  for (const index of changed) open.set(index, 0);
  const { inAt, inEnd, from } = edges;
  for (const index of changed) {
    for (let at = inAt[index] as number; at < (inEnd[index] as number); at += 1) {
      const source = from[at] as number;
      const known = open.at(source);
      if (known < 0) changed.push(source);
      open.set(source, Math.max(known, 0) + 1);
    }
  }
  return { changed, open };
}

/**
 * Returns live edges that close a cycle of supply. Writes reject cycles, but other programs may change the database.
 * Such an edge carries nothing, because its consumer was live before its supply. Without these edges, every live
 * element is connected to roots, and no cycle remains.
 *
 * @param among nodes that may be on cycles
 * Cost: O(edges among these nodes) for each cycle.
 */
function collectReturningEdges(graph: PowerGraph, live: LiveSet, among: readonly number[]): ReadonlySet<PowerEdge> {
  const open = new Set(among.filter((index) => live[index] === 1));
  const returning = new Set<PowerEdge>();
  for (const start of open) {
    const supplied = collectReachableNodes(start, open, (at) => graph.supplies.listEdges(at).map(({ to }) => to));
    const supplying = collectReachableNodes(start, open, (at) => graph.inlets.listEdges(at).map(({ from }) => from));
    const circle = new Set([start, ...supplied].filter((at) => at === start || supplying.has(at)));
    for (const at of circle) open.delete(at);
    for (const edge of listBackwardEdges(graph, live, circle)) returning.add(edge);
  }
  return returning;
}

/** Lists edges inside a cycle whose source becomes live no earlier than their consumer. */
function listBackwardEdges(graph: PowerGraph, live: LiveSet, circle: ReadonlySet<number>): readonly PowerEdge[] {
  const round = computeLiveRounds(graph, live, circle);
  const isBackward = ({ from, to }: PowerEdge) => circle.has(to) && (round.get(from) ?? 0) >= (round.get(to) ?? 0);
  return [...circle].flatMap((at) => graph.supplies.listEdges(at).filter(isBackward));
}

/** Returns the nodes of a set that can be reached from a node inside it. */
function collectReachableNodes(
  start: number,
  inside: ReadonlySet<number>,
  next: (at: number) => readonly number[],
): Set<number> {
  const found = new Set(next(start).filter((at) => inside.has(at)));
  // A Set also iterates over elements added during the loop, so it serves as the queue.
  for (const at of found) for (const one of next(at)) if (inside.has(one)) found.add(one);
  return found;
}

/** Maps each node of a cycle to the round in which supply from outside the cycle makes it live. */
function computeLiveRounds(graph: PowerGraph, live: LiveSet, circle: ReadonlySet<number>): ReadonlyMap<number, number> {
  const lit = live.slice();
  for (const at of circle) lit[at] = 0;
  const round = new Map<number, number>();
  for (let number = 0; ; number += 1) {
    const next = [...circle].filter(
      (at) => lit[at] === 0 && countLiveInlets(graph, lit, at) >= (graph.nodes[at]?.need ?? 0),
    );
    if (next.length === 0) return round;
    for (const at of next) {
      lit[at] = 1;
      round.set(at, number);
    }
  }
}

/** Power graph and loads of a site. */
interface SiteLoads {
  readonly power: PowerGraph;
  loads(basis: LoadBasis): Float64Array;
}

/** Sums the heat of power equipment in watts, a share of the power that it passes on. */
export function sumPowerLossesW(devices: readonly Device[], site: SiteLoads, basis: LoadBasis): number {
  let sum = 0;
  for (const { code, power } of devices) {
    if (power?.efficiencyPct === undefined) continue;
    const watts = site.loads(basis)[site.power.indexOf.get(`device:${codeKey(code)}`) ?? -1] ?? 0;
    sum += watts * (1 - power.efficiencyPct / 100);
  }
  return sum;
}

/** Loads before a failure, and the draws that they are computed from. */
interface LoadsBefore {
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
