import type { PowerGraph } from "../power/power_graph.ts";
import { nodeKey } from "../power/power_keys.ts";

/** The numbers of one element in two states of a graph; -1 in the one that lacks it. */
export type ElementPair = readonly [before: number, after: number];

/** Every element of either of two states of a graph. Cost: O(nodes), without looking at those that are the same. */
export function* elementPairs(before: PowerGraph, after: PowerGraph): Generator<ElementPair> {
  const size = Math.max(before.nodes.length, after.nodes.length);
  for (let index = 0; index < size; index += 1) yield* pairsAt(before, after, index);
}

/** The elements that have a number in either state. */
export function* pairsAt(before: PowerGraph, after: PowerGraph, index: number): Generator<ElementPair> {
  const [was, is] = [before.nodes[index], after.nodes[index]];
  if (was === is) {
    yield [index, index];
    return;
  }
  const [had, has] = [nodeKey(was), nodeKey(is)];
  // The number of a removed element may be that of another one now.
  if (has !== "") yield [had === has ? index : (before.indexOf.get(has) ?? -1), index];
  if (had !== "" && had !== has && after.indexOf.get(had) === undefined) yield [index, -1];
}
