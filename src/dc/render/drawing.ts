import type { Coloring, RenderView } from "./options.ts";
import type { Paint } from "./palette.ts";
import type { Scene } from "./scene.ts";

/** What a screen's drawing yields; every file format is made of it. */
export interface Drawing {
  readonly scene: Scene;
  /** The same as nodes and edges, for Graphviz. */
  readonly graph: Graph;
  /** What is shown about each element, for tooltips, search and details; becomes the embedded dataset. */
  readonly elements: readonly Element[];
  /** Nodes that were folded into groups or left out; 0 when everything is drawn. */
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
  /** Unique in the graph; a reference where the node is one element. */
  readonly id: string;
  /** Lines are parted by "\n". */
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

/** One thing in the picture and what there is to say about it. */
export interface Element {
  /** Its reference; equals `ref` of its group in the scene. */
  readonly ref: string;
  /** Such as rack, device, feed. */
  readonly kind: string;
  readonly title: string;
  /** Label and value, in the order in which they are read. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** References of what it is joined with. */
  readonly related?: readonly string[];
}

export interface DrawOptions {
  /** What the colours mean; undefined leaves it to the screen. */
  readonly coloring: Coloring | undefined;
  /** Which side, or how much; undefined leaves it to the screen. */
  readonly view: RenderView | undefined;
  /** References that must not be folded away. Emphasis is not the drawing's concern: `emphasize` adds it. */
  readonly highlight: ReadonlySet<string>;
  /** Nodes drawn before groups are folded; above 0. */
  readonly maxNodes: number;
}

/** Draws one screen's reply. Pure; the theme and the size in pixels come later. */
export type Draw<Reply> = (reply: Reply, options: DrawOptions) => Drawing;
