import { codeKey } from "#dc/model/code.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Device } from "#dc/model/resources.ts";
import { NodeNumbers } from "../node_numbers.ts";
import { createLoadLanes, type Loads } from "./load_lanes.ts";
import { copyToLength, type PowerEdge } from "./power_edge.ts";
import type { PowerGraph } from "./power_graph.ts";
import { countLiveInlets, type LiveSet } from "./power_live.ts";

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
export interface LoadsAfter {
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
