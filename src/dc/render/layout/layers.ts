/** An edge of a layout by the places of its two boxes. */
export interface LayoutEdge {
  readonly from: number;
  readonly to: number;
}

/**
 * Gives every box a layer such that edges lead to higher layers: as far left as its sources allow, and sources as close
 * as possible to what they lead to.
 *
 * @returns layers from 0, and the edges that had to be turned round because they close a circle
 *
 * Cost: O(boxes + edges). Source: longest-path layering as in Sugiyama, Tagawa and Toda, 1981.
 */
export function layersOf(
  count: number,
  edges: readonly LayoutEdge[],
): { readonly layers: readonly number[]; readonly turned: ReadonlySet<LayoutEdge> } {
  const order = sourcesFirst(count, edges);
  const place = new Int32Array(count);
  for (const [at, box] of order.entries()) place[box] = at;
  const forward = (edge: LayoutEdge) => (place[edge.from] ?? 0) <= (place[edge.to] ?? 0);
  const turned = new Set(edges.filter((edge) => !forward(edge)));
  const straight = edges.map((edge) => (turned.has(edge) ? { from: edge.to, to: edge.from } : edge));
  const out = listBy(count, straight, "from", "to");
  const into = listBy(count, straight, "to", "from");
  const layers = new Array<number>(count).fill(0);
  for (const box of order) {
    for (const to of out[box] ?? []) layers[to] = Math.max(layers[to] ?? 0, (layers[box] ?? 0) + 1);
  }
  // A box without sources moves up to its nearest consumer.
  for (const box of order.toReversed()) {
    const consumers = out[box] ?? [];
    if ((into[box] ?? []).length > 0 || consumers.length === 0) continue;
    layers[box] = Math.min(...consumers.map((to) => layers[to] ?? 0)) - 1;
  }
  return { layers, turned };
}

/** Neighbours of every box; an edge from a box to itself counts for nothing. */
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

/** An order in which sources come before consumers; a circle is cut at its first box. */
function sourcesFirst(count: number, edges: readonly LayoutEdge[]): readonly number[] {
  const out = listBy(count, edges, "from", "to");
  const open = new Int32Array(count);
  for (const { from, to } of edges) if (from !== to) open[to] = (open[to] ?? 0) + 1;
  const order: number[] = [];
  const taken = new Uint8Array(count);
  const take = (box: number): void => {
    taken[box] = 1;
    order.push(box);
  };
  for (let box = 0; box < count; box += 1) if (open[box] === 0) take(box);
  let next = 0;
  for (let at = 0; order.length < count || at < order.length; at += 1) {
    const box = order[at];
    if (box === undefined) {
      // What is left stands in circles, or behind them.
      while (taken[next] === 1) next += 1;
      take(next);
      at -= 1;
      continue;
    }
    for (const to of out[box] ?? []) {
      open[to] = (open[to] ?? 0) - 1;
      if (open[to] === 0 && taken[to] === 0) take(to);
    }
  }
  return order;
}
