import type { CompactGraph } from "./compact_graph.ts";
import { suppliesFirst } from "./load_slack.ts";

/** Marks the islands of supply in which supply runs in a circle. */
export function aroundCircles(graph: CompactGraph, island: Int32Array): Uint8Array {
  const ordered = new Uint8Array(graph.size);
  for (const index of suppliesFirst(graph)) ordered[index] = 1;
  const circular = new Set<number>();
  for (let index = 0; index < graph.size; index += 1) if (ordered[index] !== 1) circular.add(island[index] as number);
  return island.reduce((marks, one, index) => {
    if (circular.has(one)) marks[index] = 1;
    return marks;
  }, new Uint8Array(graph.size));
}
