import type { Coloring, RenderView } from "#dc/model/enum_values.ts";
import type { Paint } from "./palette.ts";
import type { Scene } from "./scene.ts";

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
