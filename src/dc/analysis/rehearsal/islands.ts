import type { CompactGraph } from "./compact_graph.ts";

/**
 * Numbers the islands of a site: nodes connected by supply or located in one rack. No failure affects another island.
 * @returns by node, the lowest node of its island
 */
export function islandsOf({ size, from, to, rack, rackKeys }: CompactGraph): Int32Array {
  const parents = new Int32Array(size);
  for (let index = 0; index < size; index += 1) parents[index] = index;
  const root = (index: number): number => {
    let at = index;
    while (parents[at] !== at) {
      const above = parents[parents[at] as number] as number;
      parents[at] = above;
      at = above;
    }
    return at;
  };
  const join = (a: number, b: number) => {
    const [one, other] = [root(a), root(b)];
    if (one !== other) parents[Math.max(one, other)] = Math.min(one, other);
  };
  for (let edge = 0; edge < to.length; edge += 1) join(from[edge] as number, to[edge] as number);
  const first = new Int32Array(rackKeys.length).fill(-1);
  for (let index = 0; index < size; index += 1) {
    const number = rack[index] as number;
    if (number < 0) continue;
    if (first[number] === -1) first[number] = index;
    else join(first[number] as number, index);
  }
  for (let index = 0; index < size; index += 1) parents[index] = root(index);
  return parents;
}
