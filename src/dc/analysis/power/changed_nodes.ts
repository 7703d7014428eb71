import type { PowerGraph } from "./power_graph.ts";

/** The nodes that differ between two states of a graph in themselves, their inlets or their supplies: a change makes new ones. */
export function changedNodes(now: PowerGraph, before: PowerGraph): readonly number[] {
  const found: number[] = [];
  const size = Math.max(now.nodes.length, before.nodes.length);
  for (let index = 0; index < size; index += 1) {
    const isSame = now.nodes[index] === before.nodes[index] && now.edges.isSame(before.edges, index);
    if (!isSame) found.push(index);
  }
  return found;
}

/** Marks nodes and everything that supply connects to them. Cost: the marked nodes, and a byte for each node. */
export function joinedBySupply({ nodes, edges }: PowerGraph, start: readonly number[]): Uint8Array {
  const { inAt, inEnd, from, outAt, outEnd, outEdge, to } = edges;
  const marks = new Uint8Array(nodes.length);
  const found = start.filter((index) => index < nodes.length);
  for (const index of found) marks[index] = 1;
  const add = (index: number) => {
    if (marks[index] === 1) return;
    marks[index] = 1;
    found.push(index);
  };
  // The array grows while it is walked, so it is the queue as well.
  for (const index of found) {
    for (let at = inAt[index] as number; at < (inEnd[index] as number); at += 1) add(from[at] as number);
    for (let at = outAt[index] as number; at < (outEnd[index] as number); at += 1)
      add(to[outEdge[at] as number] as number);
  }
  return marks;
}
