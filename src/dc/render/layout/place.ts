import type { LayoutColumn } from "#kernel/layout/order.ts";

/** Number of passes in which boxes move towards their neighbours. */
const PLACEMENT_PASSES = 6;

export interface PlaceInput {
  readonly columns: readonly LayoutColumn[];
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
  readonly heights: readonly number[];
  /** Minimum space between two boxes of a column, in pixels. */
  readonly gap: number;
}

/**
 * Returns the middle of every box on the axis along its column, so that the smallest edge is at 0. Boxes are close to
 * their neighbours in other columns, keep the order of the column, and are never nearer to each other than the gap.
 * Cost: O(boxes + edges).
 */
export function placeBoxes(input: PlaceInput): readonly number[] {
  const { columns, before, after, heights } = input;
  const middles = stackColumns(input);
  for (let round = 0; round < PLACEMENT_PASSES; round += 1) {
    for (const column of columns) settleColumn(column, before, { ...input, middles });
    for (const column of columns.toReversed()) settleColumn(column, after, { ...input, middles });
  }
  const top = Math.min(...middles.map((middle, box) => middle - (heights[box] ?? 0) / 2));
  return middles.map((middle) => Math.round((middle - top) * 2) / 2);
}

/** Stacks the boxes of each column, centred on 0. */
function stackColumns({ columns, heights, gap }: PlaceInput): number[] {
  const middles = new Array<number>(heights.length).fill(0);
  for (const column of columns) {
    const total = column.reduce((sum, box) => sum + (heights[box] ?? 0) + gap, -gap);
    let at = -total / 2;
    for (const box of column) {
      const height = heights[box] ?? 0;
      middles[box] = at + height / 2;
      at += height + gap;
    }
  }
  return middles;
}

interface PositionBlock {
  readonly sum: number;
  readonly count: number;
}

/**
 * Moves the boxes of a column as near as possible to the mean of their neighbours, by least squares while keeping the
 * order: boxes that would overlap become one block that moves to its own mean (pool adjacent violators).
 */
function settleColumn(
  column: LayoutColumn,
  neighbours: PlaceInput["before"],
  { heights, gap, middles }: PlaceInput & { readonly middles: number[] },
): void {
  const offsets: number[] = [];
  for (const [at, box] of column.entries()) {
    const above = column[at - 1];
    const step = above === undefined ? 0 : ((heights[above] ?? 0) + (heights[box] ?? 0)) / 2 + gap;
    offsets.push((offsets[at - 1] ?? 0) + step);
  }
  const wishes = column.map(
    (box, at) => computeDesiredPosition(box, neighbours[box] ?? [], middles) - (offsets[at] ?? 0),
  );
  const tops = poolPositions(wishes).flatMap(({ sum, count }) => new Array<number>(count).fill(sum / count));
  for (const [at, box] of column.entries()) middles[box] = (tops[at] ?? 0) + (offsets[at] ?? 0);
}

function computeDesiredPosition(box: number, neighbours: readonly number[], middles: readonly number[]): number {
  if (neighbours.length === 0) return middles[box] ?? 0;
  return neighbours.reduce((sum, other) => sum + (middles[other] ?? 0), 0) / neighbours.length;
}

/** Returns the non-decreasing sequence nearest to the desired positions, as blocks of equal positions. */
function poolPositions(desiredPositions: readonly number[]): readonly PositionBlock[] {
  const blocks: PositionBlock[] = [];
  for (const wish of desiredPositions) {
    let block: PositionBlock = { sum: wish, count: 1 };
    for (
      let last = blocks.at(-1);
      last !== undefined && computeBlockMean(last) > computeBlockMean(block);
      last = blocks.at(-1)
    ) {
      block = { sum: block.sum + last.sum, count: block.count + last.count };
      blocks.pop();
    }
    blocks.push(block);
  }
  return blocks;
}

function computeBlockMean({ sum, count }: PositionBlock): number {
  return sum / count;
}
