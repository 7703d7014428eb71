/** An edge of a layout, by the indexes of its two boxes. */
export interface LayoutEdge {
  readonly from: number;
  readonly to: number;
}

/**
 * Assigns every box to a layer such that edges lead to higher layers, and every box is as close as possible to its
 * consumers.
 *
 * @param last boxes that go to the last column if they have no consumers
 * @returns layers from 0, and the edges that had to be reversed because they close a cycle
 *
 * Cost: O(boxes + edges). Source: longest-path layering as in Sugiyama, Tagawa and Toda, 1981.
 */
export function layersOf(
  count: number,
  edges: readonly LayoutEdge[],
  last: (box: number) => boolean = () => false,
): { readonly layers: readonly number[]; readonly turned: ReadonlySet<LayoutEdge> } {
  const order = sourcesFirst(count, edges);
  const place = new Int32Array(count);
  for (const [at, box] of order.entries()) place[box] = at;
  const forward = (edge: LayoutEdge) => (place[edge.from] ?? 0) <= (place[edge.to] ?? 0);
  const turned = new Set(edges.filter((edge) => !forward(edge)));
  const straight = edges.map((edge) => (turned.has(edge) ? { from: edge.to, to: edge.from } : edge));
  const out = listBy(count, straight, "from", "to");
  const layers = new Array<number>(count).fill(0);
  for (const box of order) {
    for (const to of out[box] ?? []) layers[to] = Math.max(layers[to] ?? 0, (layers[box] ?? 0) + 1);
  }
  const rightmost = layers.reduce((most, layer) => Math.max(most, layer), 0);
  for (const box of order.toReversed()) {
    const consumers = out[box] ?? [];
    if (consumers.length > 0) layers[box] = Math.min(...consumers.map((to) => layers[to] ?? 0)) - 1;
    else if (last(box)) layers[box] = rightmost;
  }
  return { layers, turned };
}

/** Neighbours of every box; edges from a box to itself are ignored. */
export function listBy(
  count: number,
  edges: readonly LayoutEdge[],
  key: "from" | "to",
  value: "from" | "to",
): readonly (readonly number[])[] {
  const lists: number[][] = Array.from({ length: count }, () => []);
  for (const edge of edges) if (edge.from !== edge.to) lists[edge[key]]?.push(edge[value]);
  return lists;
}

/** An order in which sources come before consumers; a cycle is broken at its first box. */
function sourcesFirst(count: number, edges: readonly LayoutEdge[]): readonly number[] {
  const out = listBy(count, edges, "from", "to");
  const open = listBy(count, edges, "to", "from").map((list) => list.length);
  const boxes = [...open.keys()];
  const order = new Set(boxes.filter((box) => open[box] === 0));
  const follow = (start: number): void => {
    order.add(start);
    const queue = [start];
    for (const box of queue) {
      for (const to of out[box] ?? []) {
        open[to] = (open[to] ?? 0) - 1;
        if (open[to] !== 0 || order.has(to)) continue;
        order.add(to);
        queue.push(to);
      }
    }
  };
  for (const box of [...order]) follow(box);
  // The remaining boxes are in cycles, or downstream of them.
  for (const box of boxes) if (!order.has(box)) follow(box);
  return [...order];
}
