import { drawW } from "#dc/model/draw.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import { NodeNumbers } from "./node_numbers.ts";
import { returningEdges } from "./power_circles.ts";
import type { PowerEdge, PowerGraph } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";

/** What a node itself draws, in watts. */
export function ownDrawW(graph: PowerGraph, index: number, basis: LoadBasis): number {
  const node = graph.nodes[index];
  if (node?.kind === "DEVICE") return drawW(node.device, basis);
  return node?.kind === "CRAC" ? drawW(node.crac, basis) : 0;
}

const NONE: ReadonlySet<PowerEdge> = new Set();
/** Loads of graphs with circles, which cannot be followed piece by piece. */
const circular = new WeakSet<Float64Array>();

/** Whether loads are those of a graph in which supply runs in a circle somewhere. */
export function isCircular(loadsW: Float64Array): boolean {
  return circular.has(loadsW);
}

/**
 * What every live node carries, in watts: its own draw and what it passes on. A consumer splits its load over its live
 * inlets, equally or by their recorded draws; a transfer switch takes everything from its first live one. Supply that
 * runs in a circle carries nothing where it comes back, so that the watts are those of the draws there as well.
 * Cost: O(nodes + edges). Source: docs/contract/datacenter-analyses.md#power-loads.
 */
export function loads(graph: PowerGraph, live: LiveSet, basis: LoadBasis): Float64Array {
  const carried = new Float64Array(graph.nodes.length);
  const order = consumersFirst(graph);
  if (order.length === carried.length) {
    const carrying = { graph, live, carried, returning: NONE };
    for (const index of order) carried[index] = carriedBy(carrying, index, basis);
    return carried;
  }
  const ordered = new Set(order);
  const among = [...graph.nodes.keys()].filter((index) => !ordered.has(index));
  const returning = returningEdges(graph, live, among);
  const counts = (edge: PowerEdge) => live[edge.from] === 1 && live[edge.to] === 1 && !returning.has(edge);
  const carrying = { graph, live, carried, returning };
  for (const index of consumersFirst(graph, counts)) carried[index] = carriedBy(carrying, index, basis);
  circular.add(carried);
  return carried;
}

interface Carrying {
  readonly graph: PowerGraph;
  readonly live: LiveSet;
  readonly carried: Float64Array;
  /** Edges that carry nothing. */
  readonly returning: ReadonlySet<PowerEdge>;
}

/** Sums up what a node's consumers take of it, theirs being known, and its own draw. */
function carriedBy({ graph, live, carried, returning }: Carrying, index: number, basis: LoadBasis): number {
  if (live[index] !== 1) return 0;
  let watts = ownDrawW(graph, index, basis);
  for (const edge of graph.supplies[index] ?? []) {
    if (live[edge.to] !== 1 || returning.has(edge)) continue;
    watts += (carried[edge.to] ?? 0) * shareOf(graph, live, edge, returning);
  }
  return watts;
}

/** The part of a live consumer's load that arrives by one of its live inlets. */
function shareOf(graph: PowerGraph, live: LiveSet, edge: PowerEdge, returning: ReadonlySet<PowerEdge>): number {
  const node = graph.nodes[edge.to];
  const inlets = graph.inlets[edge.to] ?? [];
  if (node?.kind === "DEVICE" && node.device.kind === "TRANSFER_SWITCH") {
    return inlets.find((inlet) => live[inlet.from] === 1 && !returning.has(inlet)) === edge ? 1 : 0;
  }
  let count = 0;
  let sum = 0;
  let recorded = true;
  for (const inlet of inlets) {
    if (live[inlet.from] !== 1 || returning.has(inlet)) continue;
    const { allocatedW = 0 } = inlet;
    count += 1;
    sum += allocatedW;
    if (allocatedW <= 0) recorded = false;
  }
  return recorded ? (edge.allocatedW ?? 0) / sum : 1 / count;
}

/** Nodes in an order in which every consumer comes before its supplies. Nodes above a circle of counted edges are left out. */
function consumersFirst(
  { supplies, inlets }: PowerGraph,
  counts: (edge: PowerEdge) => boolean = () => true,
): readonly number[] {
  const open = Int32Array.from(supplies, (edges) => {
    let count = 0;
    for (const edge of edges) if (counts(edge)) count += 1;
    return count;
  });
  const order: number[] = [];
  for (let index = 0; index < open.length; index += 1) if (open[index] === 0) order.push(index);
  // The array grows while it is walked, so it is the queue as well.
  for (const index of order) {
    for (const edge of inlets[index] ?? []) {
      if (!counts(edge)) continue;
      const rest = (open[edge.from] ?? 0) - 1;
      open[edge.from] = rest;
      if (rest === 0) order.push(edge.from);
    }
  }
  return order;
}

/** Loads after a failure, and the nodes whose load may differ from before. */
export interface LoadsAfter {
  readonly loadsW: Float64Array;
  readonly changed: readonly number[];
}

/**
 * What `loads` would answer for the live set after a failure or a change of the graph, worked out only where it can
 * differ: at the nodes that lost an inlet, went dark or changed, and upstream of them. A law checks that it is equal.
 *
 * @param before what the nodes carried; those that came since carry nothing yet
 * @param reached dark nodes and their consumers
 * Cost: O(edges of these nodes and their ancestors), plus one copy of the loads; that of `loads` above a circle.
 */
export function loadsAfter(
  graph: PowerGraph,
  before: Float64Array,
  { live, reached }: { readonly live: LiveSet; readonly reached: readonly number[] },
  basis: LoadBasis,
): LoadsAfter {
  const { changed, open } = withAncestors(graph, reached);
  if (isCircular(before)) return { loadsW: loads(graph, live, basis), changed };
  const loadsW = new Float64Array(graph.nodes.length);
  loadsW.set(before);
  const ready = changed.filter((index) => open.at(index) === 0);
  const carrying = { graph, live, carried: loadsW, returning: NONE };
  for (const index of ready) {
    loadsW[index] = carriedBy(carrying, index, basis);
    for (const { from } of graph.inlets[index] ?? []) {
      const rest = open.at(from) - 1;
      open.set(from, rest);
      if (rest === 0) ready.push(from);
    }
  }
  // What is left over stands above a circle.
  return ready.length === changed.length ? { loadsW, changed } : { loadsW: loads(graph, live, basis), changed };
}

/** Some nodes and everything upstream of them; `open` counts the edges by which each supplies another of them. */
function withAncestors({ nodes, inlets }: PowerGraph, start: readonly number[]) {
  const open = new NodeNumbers(nodes.length);
  const changed = [...start];
  for (const index of changed) open.set(index, 0);
  for (const index of changed) {
    for (const { from } of inlets[index] ?? []) {
      const known = open.at(from);
      if (known < 0) changed.push(from);
      open.set(from, Math.max(known, 0) + 1);
    }
  }
  return { changed, open };
}

/**
 * What a node carries when everything that can reach it hangs on it alone: the full draws of the distinct consumers
 * downstream, in watts. Cost: O(edges downstream). Source: docs/contract/datacenter-analyses.md#p8.
 */
export function failoverLoadW(graph: PowerGraph, start: number, basis: LoadBasis): number {
  const seen = new Set([start]);
  let watts = 0;
  // A Set iterates over what is added meanwhile, so it is also the queue.
  for (const index of seen) {
    watts += ownDrawW(graph, index, basis);
    for (const { to } of graph.supplies[index] ?? []) seen.add(to);
  }
  return watts;
}
