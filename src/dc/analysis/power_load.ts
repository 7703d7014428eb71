import { drawW } from "#dc/model/draw.ts";
import type { LoadBasis } from "#dc/model/words.ts";
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
  for (const index of consumersFirst(graph)) {
    if (live[index] !== 1) {
      carried[index] = 0;
      continue;
    }
    const total = (carried[index] ?? 0) + ownDrawW(graph, index, basis);
    carried[index] = total;
    for (const [edge, share] of split(graph, live, index))
      carried[edge.from] = (carried[edge.from] ?? 0) + total * share;
  }
  return carried;
}

function split(graph: PowerGraph, live: LiveSet, index: number): readonly (readonly [PowerEdge, number])[] {
  const inlets = (graph.inlets[index] ?? []).filter(({ from }) => live[from] === 1);
  const [first] = inlets;
  const node = graph.nodes[index];
  if (first === undefined) return [];
  if (node?.kind === "DEVICE" && node.device.kind === "TRANSFER_SWITCH") return [[first, 1]];
  const recorded = inlets.every(({ allocatedW = 0 }) => allocatedW > 0);
  const sum = inlets.reduce((total, { allocatedW = 0 }) => total + allocatedW, 0);
  return inlets.map((edge) => [edge, recorded ? (edge.allocatedW ?? 0) / sum : 1 / inlets.length]);
}

/** Nodes in an order in which every consumer comes before its supplies. Nodes of a circle come last. */
function consumersFirst(graph: PowerGraph): readonly number[] {
  const open = graph.supplies.map((edges) => edges.length);
  const order = [...open.keys()].filter((index) => open[index] === 0);
  for (const index of order) {
    for (const { from } of graph.inlets[index] ?? []) {
      open[from] = (open[from] ?? 0) - 1;
      if (open[from] === 0) order.push(from);
    }
  }
  return order;
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
