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
export function countCrossings(columns: readonly LayoutColumn[], after: BoxNeighbours["after"]): number {
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
