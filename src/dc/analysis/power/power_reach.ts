import type { PowerGraph } from "./power_graph.ts";

/** Returns nodes and everything downstream of them, nearest first. Cost: O(edges downstream). */
export function collectDownstream({ edges }: Pick<PowerGraph, "edges">, nodes: Iterable<number>): Set<number> {
  const seen = new Set(nodes);
  // A Set also iterates over elements added during the loop, so it serves as the queue.
  const { outAt, outEnd, outEdge, to } = edges;
  for (const index of seen) {
    const end = outEnd[index] as number;
    for (let at = outAt[index] as number; at < end; at += 1) seen.add(to[outEdge[at] as number] as number);
  }
  return seen;
}

/** Returns nodes and everything upstream of them, nearest first. Cost: O(edges upstream). */
export function collectUpstream({ edges }: Pick<PowerGraph, "edges">, nodes: Iterable<number>): Set<number> {
  const seen = new Set(nodes);
  const { inAt, inEnd, from } = edges;
  for (const index of seen) {
    const end = inEnd[index] as number;
    for (let at = inAt[index] as number; at < end; at += 1) seen.add(from[at] as number);
  }
  return seen;
}
