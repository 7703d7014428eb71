import type { GraphBox, GraphEdge, SpecGraph } from "./spec_graph.ts";

export const BOX_SIZE = { width: 280, height: 46 } as const;
const COLUMN_GAP = 80;
const ROW_GAP = 16;
/** Space around a picture, in pixels. */
export const PICTURE_MARGIN = 24;

/** Minimum number of columns for the specs without any dependency. */
const MIN_COLUMNS = 4;

export interface BoxPosition {
  readonly x: number;
  readonly y: number;
}

/** Positions of the boxes and the size of the picture, in pixels. */
export interface GraphLayout {
  readonly positions: ReadonlyMap<string, BoxPosition>;
  readonly width: number;
  readonly height: number;
}

/**
 * Computes the positions of boxes. Columns are layers; specs without any dependency are in rows below. Deterministic.
 * Cost: O(boxes + edges) and sorting each column.
 * @param top height in pixels to leave free for a heading
 */
export function layOutBoxes({ boxes, edges, layers }: SpecGraph, top: number): GraphLayout {
  const connected = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const columns: GraphBox[][] = Array.from({ length: layers }, () => []);
  for (const box of boxes) if (connected.has(box.id)) columns[box.layer]?.push(box);
  const most = columns.reduce((rows, column) => Math.max(rows, column.length), 0);
  const places = new Map<string, BoxPosition>();
  let [width, height] = [BOX_SIZE.width + PICTURE_MARGIN, top + PICTURE_MARGIN];
  const placeBox = (box: GraphBox, column: number, row: number): void => {
    const [x, y] = [
      PICTURE_MARGIN + column * (BOX_SIZE.width + COLUMN_GAP),
      PICTURE_MARGIN + top + row * (BOX_SIZE.height + ROW_GAP),
    ];
    places.set(box.id, { x, y });
    width = Math.max(width, x + BOX_SIZE.width + PICTURE_MARGIN);
    height = Math.max(height, y + BOX_SIZE.height + PICTURE_MARGIN);
  };
  for (const [at, column] of columns.entries()) {
    column.sort((a, b) => a.order - b.order);
    for (const [row, box] of column.entries()) placeBox(box, at, row + (most - column.length) / 2);
  }
  const perRow = Math.max(MIN_COLUMNS, columns.filter((column) => column.length > 0).length);
  for (const [at, box] of boxes.filter(({ id }) => !connected.has(id)).entries()) {
    placeBox(box, at % perRow, (most === 0 ? 0 : most + 1) + Math.floor(at / perRow));
  }
  return { positions: places, width, height };
}

/** SVG path data of an edge and of its arrowhead at the dependent box. */
export interface EdgePaths {
  readonly line: string;
  readonly arrow: string;
}

/** Returns the paths of an edge between two boxes; null if one of the boxes has no position. */
export function computeEdgePaths(
  { from, to, backward }: GraphEdge,
  places: ReadonlyMap<string, BoxPosition>,
): EdgePaths | null {
  const [start, end] = [places.get(from), places.get(to)];
  if (start === undefined || end === undefined) return null;
  const [x1, y1, x2, y2] = [
    start.x + BOX_SIZE.width,
    start.y + BOX_SIZE.height / 2,
    end.x,
    end.y + BOX_SIZE.height / 2,
  ];
  const bend = backward ? COLUMN_GAP : Math.max(COLUMN_GAP / 2, (x2 - x1) / 2);
  return { line: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 6} ${y2}`, arrow: `M${x2} ${y2}l-8 -4v8z` };
}
