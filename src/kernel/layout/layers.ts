/** An edge of a layout, as the indexes of its two boxes. */
export interface LayoutEdge {
  readonly from: number;
  readonly to: number;
}

interface LayerOptions {
  /** Whether a box goes to the last column if it has no consumers. */
  readonly isLastColumnBox?: (box: number) => boolean;
  /** Whether boxes are placed as close as possible to their sources instead of their consumers. */
  readonly isNearSources?: boolean;
}

/**
 * Assigns every box to a layer such that edges lead to higher layers, and every box is as close as possible to its
 * consumers.
 *
 * @returns layers from 0, and the edges that had to be reversed because they close a cycle
 *
 * Cost: O(boxes + edges). Source: longest-path layering as in Sugiyama, Tagawa and Toda, 1981.
 */
export function assignLayers(
  count: number,
  edges: readonly LayoutEdge[],
  { isLastColumnBox = () => false, isNearSources = false }: LayerOptions = {},
): { readonly layers: readonly number[]; readonly turned: ReadonlySet<LayoutEdge> } {
  const order = orderSourcesFirst(count, edges);
  const place = new Int32Array(count);
  for (const [at, box] of order.entries()) place[box] = at;
  const isForward = (edge: LayoutEdge) => (place[edge.from] ?? 0) <= (place[edge.to] ?? 0);
  const turned = new Set(edges.filter((edge) => !isForward(edge)));
  const straight = edges.map((edge) => (turned.has(edge) ? { from: edge.to, to: edge.from } : edge));
  const out = listNeighbours(count, straight, "from", "to");
  const layers = new Array<number>(count).fill(0);
  for (const box of order) {
    for (const to of out[box] ?? []) layers[to] = Math.max(layers[to] ?? 0, (layers[box] ?? 0) + 1);
  }
  if (isNearSources) return { layers, turned };
  const rightmost = layers.reduce((most, layer) => Math.max(most, layer), 0);
  for (const box of order.toReversed()) {
    const consumers = out[box] ?? [];
    if (consumers.length > 0)
      layers[box] = consumers.reduce((least, to) => Math.min(least, layers[to] ?? 0), Infinity) - 1;
    else if (isLastColumnBox(box)) layers[box] = rightmost;
  }
  return { layers, turned };
}

/** Returns the neighbours of every box; ignores edges from a box to itself. */
export function listNeighbours(
  count: number,
  edges: readonly LayoutEdge[],
  key: "from" | "to",
  value: "from" | "to",
): readonly (readonly number[])[] {
  const lists: number[][] = Array.from({ length: count }, () => []);
  for (const edge of edges) if (edge.from !== edge.to) lists[edge[key]]?.push(edge[value]);
  return lists;
}

/**
 * Orders boxes such that sources come before consumers, except at edges that close a cycle. The order is the reverse
 * postorder of a depth-first search along the edges.
 */
function orderSourcesFirst(count: number, edges: readonly LayoutEdge[]): readonly number[] {
  const out = listNeighbours(count, edges, "from", "to");
  const sources = listNeighbours(count, edges, "to", "from");
  const boxes = [...sources.keys()];
  const left: number[] = [];
  const next = new Int32Array(count).fill(-1);
  for (const start of [...boxes.filter((box) => sources[box]?.length === 0), ...boxes]) {
    if (next[start] !== -1) continue;
    // The search keeps its own stack, because a chain may be longer than the call stack.
    const path = [start];
    next[start] = 0;
    for (let box = path.at(-1); box !== undefined; box = path.at(-1)) {
      const at = next[box] ?? 0;
      const to = out[box]?.[at];
      next[box] = at + 1;
      if (to === undefined) left.push(path.pop() ?? box);
      else if (next[to] === -1) {
        next[to] = 0;
        path.push(to);
      }
    }
  }
  return left.reverse();
}

/** Boxes of one layer, from top to bottom. */
export type LayoutColumn = readonly number[];

/** Number of rounds; each sweeps forward and back. More rounds change little in graphs of this size. */
const DEFAULT_ROUNDS = 8;

interface BoxNeighbours {
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
}

/**
 * Orders the boxes of every layer so that few edges cross. Counts crossings between adjacent layers. Ties follow the
 * given order, so the result is deterministic.
 *
 * Cost: O(rounds × edges × log edges). Source: barycentre heuristic of Sugiyama, Tagawa and Toda, 1981.
 */
export function orderColumns(
  columns: readonly LayoutColumn[],
  { before, after }: BoxNeighbours,
  rounds = DEFAULT_ROUNDS,
): readonly LayoutColumn[] {
  let best = columns;
  let fewest = countCrossings(columns, after);
  let current = columns;
  for (let round = 0; round < rounds && fewest > 0; round += 1) {
    current = sortByNeighbours(current, before);
    current = sortByNeighbours(current.toReversed(), after).toReversed();
    const found = countCrossings(current, after);
    if (found >= fewest) continue;
    best = current;
    fewest = found;
  }
  return best;
}

/** Orders each column by the mean position of the neighbours in the column before it. */
function sortByNeighbours(
  columns: readonly LayoutColumn[],
  neighbours: BoxNeighbours["before"],
): readonly LayoutColumn[] {
  const place = new Map<number, number>();
  return columns.map((column, index) => {
    const wish = new Map(
      column.map((box, at) => [box, computeMeanPosition(neighbours[box] ?? [], place) ?? (at + 0.5) / column.length]),
    );
    const sorted = index === 0 ? column : column.toSorted((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
    for (const [at, box] of sorted.entries()) place.set(box, (at + 0.5) / sorted.length);
    return sorted;
  });
}

function computeMeanPosition(boxes: readonly number[], place: ReadonlyMap<number, number>): number | undefined {
  const places = boxes.flatMap((box) => place.get(box) ?? []);
  return places.length === 0 ? undefined : places.reduce((sum, one) => sum + one, 0) / places.length;
}

/** Counts the pairs of edges that cross, over all pairs of neighbouring columns. */
function countCrossings(columns: readonly LayoutColumn[], after: BoxNeighbours["after"]): number {
  return columns.reduce((sum, column, index) => sum + countColumnCrossings(column, columns[index + 1] ?? [], after), 0);
}

/** Counts the crossings between two columns with a Fenwick tree, as inversions of the edges' ends in the second one. */
function countColumnCrossings(column: LayoutColumn, next: LayoutColumn, after: BoxNeighbours["after"]): number {
  const place = new Map(next.map((box, at) => [box, at]));
  const tree = new Int32Array(next.length + 1);
  let seen = 0;
  let count = 0;
  for (const box of column) {
    const ends = (after[box] ?? []).flatMap((to) => place.get(to) ?? []);
    for (const end of ends) {
      let notAbove = 0;
      for (let at = end + 1; at > 0; at -= at & -at) notAbove += tree[at] ?? 0;
      count += seen - notAbove;
    }
    for (const end of ends) {
      for (let at = end + 1; at <= next.length; at += at & -at) tree[at] = (tree[at] ?? 0) + 1;
      seen += 1;
    }
  }
  return count;
}
