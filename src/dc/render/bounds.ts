import type { Rectangle } from "#dc/model/rack_space.ts";
import type { Item, Point, Text } from "./scene.ts";
import { fitText, measureText } from "./text_width.ts";

/** Height of letters above their baseline, and depth below it, in em. */
const ASCENT = 0.76;
const DESCENT = 0.24;

/** Returns the smallest box around items, or undefined without items. Cost: O(items and letters). */
export function computeItemsBounds(items: readonly Item[]): Rectangle | undefined {
  const boxes = items.flatMap((item) => computeItemBounds(item) ?? []);
  return boxes.length === 0 ? undefined : computeEnclosingRectangle(boxes);
}

function computeItemBounds(item: Item): Rectangle | undefined {
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
export function computeTextBox(item: Text): Rectangle {
  const { x, y, text, size, weight, anchor = "start", maxWidth, rotate = 0 } = item;
  const fittedText = maxWidth === undefined ? text : fitText(text, maxWidth, { size, weight });
  const width = measureText(fittedText, { size, weight });
  const west = { start: 0, middle: -width / 2, end: -width }[anchor];
  const angle = (rotate * Math.PI) / 180;
  const corners = [west, west + width].flatMap((dx) =>
    [-ASCENT * size, DESCENT * size].map(
      (dy): Point => [x + dx * Math.cos(angle) - dy * Math.sin(angle), y + dx * Math.sin(angle) + dy * Math.cos(angle)],
    ),
  );
  return computePointsBox(corners) as Rectangle;
}

function computePointsBox(points: readonly Point[]): Rectangle | undefined {
  if (points.length === 0) return undefined;
  return computeEnclosingRectangle(points.map(([x, y]) => ({ west: x, north: y, east: x, south: y })));
}

/** Returns the smallest rectangle around one or more rectangles. */
export function computeEnclosingRectangle(areas: readonly Rectangle[]): Rectangle {
  return areas.reduce((all, one) => ({
    west: Math.min(all.west, one.west),
    north: Math.min(all.north, one.north),
    east: Math.max(all.east, one.east),
    south: Math.max(all.south, one.south),
  }));
}

function moveBox(box: Rectangle | undefined, [dx, dy]: Point = [0, 0]): Rectangle | undefined {
  if (box === undefined) return undefined;
  return { west: box.west + dx, north: box.north + dy, east: box.east + dx, south: box.south + dy };
}
