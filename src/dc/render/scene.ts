import type { Paint } from "./palette.ts";

// A picture before it has a file format. Lengths are pixels of the picture at its own width, y grows downwards, items are
// painted in order. Colours are names, so that one scene serves every theme.

export interface Scene {
  /** One line that names the picture, for readers that do not see it. */
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
  /** Pixels; 1 when a stroke is given without. */
  readonly strokeWidth?: number;
  readonly dash?: Dash;
}

export type Dash = "dashed" | "dotted";

/** Lines drawn over a fill, so that states differ without colour as well. */
export type Hatch = "diagonal" | "cross" | "dots";

interface Shape extends Stroke {
  readonly fill?: Paint;
  readonly hatch?: { readonly pattern: Hatch; readonly paint: Paint };
  /** 0 to 1; 1 when absent. */
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

export type Point = readonly [x: number, y: number];

/** Straight or curved strokes through points; `closed` makes it an area. */
export interface Path extends Shape {
  readonly kind: "path";
  readonly points: readonly Point[];
  /** "cubic": every three points after the first are two controls and an end. Straight when absent. */
  readonly curve?: "cubic";
  readonly closed?: boolean;
  /** A filled arrow head at the last point, in the stroke's colour. */
  readonly arrow?: boolean;
}

export interface Text {
  readonly kind: "text";
  /** Position of the anchor; y is the baseline. */
  readonly x: number;
  readonly y: number;
  /** One line. */
  readonly text: string;
  readonly size: number;
  readonly fill: Paint;
  readonly anchor?: "start" | "middle" | "end";
  readonly weight?: "bold";
  /** Longer text is truncated with an ellipsis; the tooltip of the group contains all of it. */
  readonly maxWidth?: number;
  /** Degrees clockwise around x and y. */
  readonly rotate?: number;
}

export interface Group {
  readonly kind: "group";
  /** The element that this group shows, such as rack:A01; marks it for highlighting, searching and clicking. */
  readonly ref?: string;
  /** Set for parts beside the elements: legend entries, or what a page around the picture says itself, above or beside them. */
  readonly part?: "legend" | "heading" | "aside";
  /** Of a heading: pixels that the picture is higher by it. Of it and an aside: pixels to move up what is drawn after it. */
  readonly height?: number;
  /** Its tooltip; lines are separated by "\n". */
  readonly tip?: string;
  /** Pixels by which the whole group is moved. */
  readonly at?: Point;
  /** Highlighted or faded; set by `emphasize`. */
  readonly emphasis?: "strong" | "faint";
  readonly items: readonly Item[];
}
