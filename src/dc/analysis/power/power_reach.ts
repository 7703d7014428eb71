import type { PowerGraph } from "./power_graph.ts";

/** Nodes and everything downstream of them, nearest first. Cost: O(edges downstream). */
export function downstreamOf({ supplies }: Pick<PowerGraph, "supplies">, nodes: Iterable<number>): Set<number> {
  const seen = new Set(nodes);
  // A Set also iterates over elements added during the loop, so it serves as the queue.
  for (const index of seen) for (const { to } of supplies[index] ?? []) seen.add(to);
  return seen;
}

/** Nodes and everything upstream of them, nearest first. Cost: O(edges upstream). */
export function upstreamOf({ inlets }: Pick<PowerGraph, "inlets">, nodes: Iterable<number>): Set<number> {
  const seen = new Set(nodes);
  for (const index of seen) for (const { from } of inlets[index] ?? []) seen.add(from);
  return seen;
}
