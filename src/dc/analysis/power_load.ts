import { drawW } from "#dc/model/draw.ts";
import type { LoadBasis } from "#dc/model/words.ts";
import { NodeNumbers } from "./node_numbers.ts";
import type { PowerEdge, PowerGraph } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";

/** What a node itself draws, in watts. */
export function ownDrawW(graph: PowerGraph, index: number, basis: LoadBasis): number {
  const node = graph.nodes[index];
  if (node?.kind === "DEVICE") return drawW(node.device, basis);
  return node?.kind === "CRAC" ? drawW(node.crac, basis) : 0;
}

/**
 * What every live node carries, in watts: its own draw and what it passes on. A consumer splits its load over its live
 * inlets, equally or by their recorded draws; a transfer switch takes everything from its first live one.
 * Cost: O(nodes + edges). Source: data contract 8.5.
 */
export function loads(graph: PowerGraph, live: LiveSet, basis: LoadBasis): Float64Array {
  const carried = new Float64Array(graph.nodes.length);
  for (const index of consumersFirst(graph)) carried[index] = carriedBy(graph, live, carried, index, basis);
  return carried;
}

/** Sums up what a node's consumers take of it, theirs being known, and its own draw. */
function carriedBy(graph: PowerGraph, live: LiveSet, carried: Float64Array, index: number, basis: LoadBasis): number {
  if (live[index] !== 1) return 0;
  let watts = ownDrawW(graph, index, basis);
  for (const edge of graph.supplies[index] ?? []) {
    if (live[edge.to] === 1) watts += (carried[edge.to] ?? 0) * shareOf(graph, live, edge);
  }
  return watts;
}

/** The part of a live consumer's load that arrives by one of its live inlets. */
function shareOf(graph: PowerGraph, live: LiveSet, edge: PowerEdge): number {
  const node = graph.nodes[edge.to];
  const inlets = graph.inlets[edge.to] ?? [];
  if (node?.kind === "DEVICE" && node.device.kind === "TRANSFER_SWITCH") {
    return inlets.find(({ from }) => live[from] === 1) === edge ? 1 : 0;
  }
  let count = 0;
  let sum = 0;
  let recorded = true;
  for (const { from, allocatedW = 0 } of inlets) {
    if (live[from] !== 1) continue;
    count += 1;
    sum += allocatedW;
    if (allocatedW <= 0) recorded = false;
  }
  return recorded ? (edge.allocatedW ?? 0) / sum : 1 / count;
}

/** Nodes in an order in which every consumer comes before its supplies. Nodes of a circle are left out. */
function consumersFirst({ supplies, inlets }: PowerGraph): readonly number[] {
  const open = Int32Array.from(supplies, (edges) => edges.length);
  const order: number[] = [];
  for (let index = 0; index < open.length; index += 1) if (open[index] === 0) order.push(index);
  // The array grows while it is walked, so it is the queue as well.
  for (const index of order) {
    for (const { from } of inlets[index] ?? []) {
      const rest = (open[from] ?? 0) - 1;
      open[from] = rest;
      if (rest === 0) order.push(from);
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
 * What `loads` would answer for the live set after a failure, worked out only where it can differ: at the nodes that
 * lost an inlet or went dark, and upstream of them. A law checks that it is equal.
 *
 * @param reached dark nodes and their consumers
 * Cost: O(edges of these nodes and their ancestors), plus one copy of the loads.
 */
export function loadsAfter(
  graph: PowerGraph,
  before: Float64Array,
  { live, reached }: { readonly live: LiveSet; readonly reached: readonly number[] },
  basis: LoadBasis,
): LoadsAfter {
  const { changed, open } = withAncestors(graph, reached);
  const loadsW = before.slice();
  const ready = changed.filter((index) => open.at(index) === 0);
  for (const index of ready) {
    loadsW[index] = carriedBy(graph, live, loadsW, index, basis);
    for (const { from } of graph.inlets[index] ?? []) {
      const rest = open.at(from) - 1;
      open.set(from, rest);
      if (rest === 0) ready.push(from);
    }
  }
  return { loadsW, changed };
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
 * downstream, in watts. Cost: O(edges downstream). Source: data contract 8.5, failover load.
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
