import type { Item, Point } from "./scene.ts";
import { fitText, measureText } from "./text_width.ts";

export interface Box {
  readonly west: number;
  readonly north: number;
  readonly east: number;
  readonly south: number;
}

/** Height of letters above their baseline, and depth below it, in em. */
const ASCENT = 0.76;
const DESCENT = 0.24;

/** Returns the smallest box around items, or undefined without items. Cost: O(items and letters). */
export function computeItemsBounds(items: readonly Item[]): Box | undefined {
  let all: Box | undefined;
  for (const item of items) {
    const box = computeItemBounds(item);
    if (box !== undefined) all = all === undefined ? box : uniteBoxes(all, box);
  }
  return all;
}

function computeItemBounds(item: Item): Box | undefined {
  switch (item.kind) {
    case "rect":
      return { west: item.x, north: item.y, east: item.x + item.width, south: item.y + item.height };
    case "circle":
      return { west: item.cx - item.r, north: item.cy - item.r, east: item.cx + item.r, south: item.cy + item.r };
    case "line":
      return computePointsBox([
        [item.x1, item.y1],
        [item.x2, item.y2],
      ]);
    case "path":
      return computePointsBox(item.points);
    case "text":
      return computeTextBox(item);
    default:
      return moveBox(computeItemsBounds(item.items), item.at);
  }
}

/** Returns the bounding box of a text as it is drawn, truncated and rotated. */
export function computeTextBox({
  x,
  y,
  text,
  size,
  weight,
  anchor = "start",
  maxWidth,
  rotate = 0,
}: Extract<Item, { readonly kind: "text" }>): Box {
  const fittedText = maxWidth === undefined ? text : fitText(text, maxWidth, { size, weight });
  const width = measureText(fittedText, { size, weight });
  const west = { start: 0, middle: -width / 2, end: -width }[anchor];
  const angle = (rotate * Math.PI) / 180;
  const corners = [west, west + width].flatMap((dx) =>
    [-ASCENT * size, DESCENT * size].map(
      (dy): Point => [x + dx * Math.cos(angle) - dy * Math.sin(angle), y + dx * Math.sin(angle) + dy * Math.cos(angle)],
    ),
  );
  return computePointsBox(corners) as Box;
}

function computePointsBox(points: readonly Point[]): Box | undefined {
  if (points.length === 0) return undefined;
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return {
    west: xs.reduce((a, b) => Math.min(a, b)),
    north: ys.reduce((a, b) => Math.min(a, b)),
    east: xs.reduce((a, b) => Math.max(a, b)),
    south: ys.reduce((a, b) => Math.max(a, b)),
  };
}

function uniteBoxes(a: Box, b: Box): Box {
  return {
    west: Math.min(a.west, b.west),
    north: Math.min(a.north, b.north),
    east: Math.max(a.east, b.east),
    south: Math.max(a.south, b.south),
  };
}

function moveBox(box: Box | undefined, [dx, dy]: Point = [0, 0]): Box | undefined {
  if (box === undefined) return undefined;
  return { west: box.west + dx, north: box.north + dy, east: box.east + dx, south: box.south + dy };
}
