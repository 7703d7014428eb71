import type { Paint } from "./palette.ts";

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
  readonly dash?: Dash;
}

export type Dash = "dashed" | "dotted";

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
