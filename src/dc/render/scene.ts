import type { Coloring, RenderView } from "../model/enum_values.ts";
import type { Rectangle } from "../model/rack_space.ts";
import type { Paint } from "./palette.ts";
import { fitText, measureText } from "./text_width.ts";

// Pictures independent of file formats. Lengths are pixels at the picture's default width, and y grows downwards. Items
// are painted in order. Colours are names, so that one scene serves every theme.

export interface Scene {
  /** One line that names the picture, for screen readers. */
  readonly title: string;
  /** Content of the picture, in one or two sentences. */
  readonly description: string;
  readonly width: number;
  readonly height: number;
  readonly items: readonly Item[];
}

export type Item = Rect | Line | Path | Circle | Text | Group;

export interface Stroke {
  readonly stroke?: Paint;
  /** Width in pixels; 1 if only a stroke is given. */
  readonly strokeWidth?: number;
  readonly dash?: "dashed" | "dotted";
}

/** Lines drawn over a fill, so that states differ even without colour. */
export type Hatch = "diagonal" | "cross" | "dots";

interface Shape extends Stroke {
  readonly fill?: Paint;
  readonly hatch?: { readonly pattern: Hatch; readonly paint: Paint };
  /** Opacity from 0 to 1; 1 if absent. */
  readonly opacity?: number;
}

export interface Rect extends Shape {
  readonly kind: "rect";
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly radius?: number;
}

export interface Circle extends Shape {
  readonly kind: "circle";
  readonly cx: number;
  readonly cy: number;
  readonly r: number;
}

export interface Line extends Stroke {
  readonly kind: "line";
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

/** Upper left corner and width in pixels of content whose height follows from it. */
export interface PixelRow {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** An area of a picture in pixels. */
export interface PixelArea extends PixelRow {
  readonly height: number;
}

export type Point = readonly [x: number, y: number];

/** Straight or curved strokes through points; `closed` makes it an area. */
export interface Path extends Shape {
  readonly kind: "path";
  readonly points: readonly Point[];
  /** "cubic": each three points after the first are two control points and an end. Straight lines if absent. */
  readonly curve?: "cubic";
  readonly closed?: boolean;
  /** Draws a filled arrow head at the last point, in the stroke's colour. */
  readonly arrow?: boolean;
}

export interface Text {
  readonly kind: "text";
  /** Position of the anchor; y is the baseline. */
  readonly x: number;
  readonly y: number;
  /** Text of one line. */
  readonly text: string;
  readonly size: number;
  readonly fill: Paint;
  readonly anchor?: "start" | "middle" | "end";
  readonly weight?: "bold";
  /** Maximum width in pixels. Longer text is truncated with an ellipsis; the group's tooltip contains all of it. */
  readonly maxWidth?: number;
  /** Rotation in degrees clockwise around x and y. */
  readonly rotate?: number;
}

export interface Group {
  readonly kind: "group";
  /** Reference of this group's element, such as rack:A01; used for highlighting, searching and clicking. */
  readonly ref?: string;
  /** Part of a scene that is no element: a legend entry, or a heading or side text that a page shows itself. */
  readonly part?: "legend" | "heading" | "aside";
  /** Height in pixels of a heading or aside. Later items move up by it if a page removes the group. */
  readonly height?: number;
  /** Text of the tooltip; its lines are separated by newlines. */
  readonly tip?: string;
  /** Offset of the whole group in pixels. */
  readonly at?: Point;
  /** Whether the group is highlighted or faded; `emphasize` sets it. */
  readonly emphasis?: "strong" | "faint";
  readonly items: readonly Item[];
}

/** Creates one line of text whose anchor is at a point. */
export function createText([x, y]: Point, text: string, style: Omit<Text, "kind" | "x" | "y" | "text">): Text {
  return { kind: "text", x, y, text, ...style };
}

/** Creates a rectangle with its upper left corner at a point. */
export function createRect(
  [x, y]: Point,
  [width, height]: readonly [width: number, height: number],
  style: Omit<Rect, "kind" | "x" | "y" | "width" | "height">,
): Rect {
  return { kind: "rect", x, y, width, height, ...style };
}

/** Result of drawing a screen, from which every file format is made. */
export interface Drawing {
  readonly scene: Scene;
  /** The drawing as nodes and edges, for Graphviz. */
  readonly graph: Graph;
  /** Facts about each element, for tooltips, search and details; they become the embedded dataset. */
  readonly elements: readonly Element[];
  /** Number of nodes that were collapsed or omitted; 0 if everything is drawn. */
  readonly omittedNodes: number;
}

export interface Graph {
  readonly name: string;
  readonly directed: boolean;
  /** Direction in which ranks grow: TB from top to bottom. */
  readonly rankdir: "TB" | "LR";
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  /** Identifier of the node, unique in the graph. A node that is one element has the element's reference. */
  readonly id: string;
  /** Text of the node; its lines are separated by newlines. */
  readonly label: string;
  readonly shape?: "box" | "ellipse" | "diamond" | "cylinder" | "hexagon" | "note";
  readonly fill?: Paint;
  readonly style?: "dashed" | "bold";
  /** Nodes of one cluster are framed together under this label. */
  readonly cluster?: string;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
  readonly stroke?: Paint;
  readonly style?: "dashed" | "dotted" | "bold";
}

export interface Element {
  /** Reference of the element; equals `ref` of its group in the scene. */
  readonly ref: string;
  /** Kind of element, such as rack, device, feed. */
  readonly kind: string;
  readonly title: string;
  /** Facts about the element as label and value, in display order. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** References of connected elements. */
  readonly related?: readonly string[];
}

/** Returns the text of a tooltip: a title, then one fact per line. */
export function formatTip(title: string, facts: Element["facts"]): string {
  return [title, ...facts.map(([label, value]) => `${label}: ${value}`)].join("\n");
}

export interface DrawOptions {
  /** Meaning of the colours; undefined selects the screen's default. */
  readonly coloring: Coloring | undefined;
  /** Face or level of detail to draw; the screen selects one if undefined. */
  readonly view: RenderView | undefined;
  /** References that must not be collapsed. `emphasize` highlights them afterwards. */
  readonly highlight: ReadonlySet<string>;
  /** Legend text for highlighted elements of a floor; "highlighted" if absent. */
  readonly highlightLabel?: string;
  /** Maximum number of nodes drawn before groups are collapsed; above 0. */
  readonly maxNodes: number;
}

/** Draws one screen's reply. A pure function; theme and size in pixels are applied later. */
export type DrawScreen<Reply> = (reply: Reply, options: DrawOptions) => Drawing;

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
