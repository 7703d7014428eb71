import { quoteDotString } from "#kernel/escape.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { Theme } from "../model/enum_values.ts";
import { createLineEntry, frameScene, listNoteIf } from "./frame.ts";
import { layOutGraph } from "./layout/layered.ts";
import { type ColorToken, resolveColor } from "./palette.ts";
import {
  createText,
  type Drawing,
  type DrawOptions,
  type Element,
  formatTip,
  type Graph,
  type GraphEdge,
  type GraphNode,
  type Item,
  type Point,
} from "./scene.ts";

export interface DotOptions {
  readonly theme: Theme;
  /** Width at which Graphviz lays the graph out, in pixels of 1/96 inch; Graphviz chooses it if absent. */
  readonly widthPx?: number | undefined;
}

const PX_PER_INCH = 96;

/** Formats a graph in Graphviz's language. Every text is quoted, so that no name can end a statement. */
export function formatDotGraph(graph: Graph, { theme, widthPx }: DotOptions): string {
  const paint = (token: Parameters<typeof resolveColor>[1]) => resolveColor(theme, token);
  const size = widthPx === undefined ? {} : { size: `${(widthPx / PX_PER_INCH).toFixed(2)},1000`, ratio: "compress" };
  const line = graph.directed ? "->" : "--";
  const graphDefaults = { bgcolor: paint("surface"), rankdir: graph.rankdir, fontname: "DejaVu Sans", ...size };
  return [
    `${graph.directed ? "digraph" : "graph"} ${quoteDotString(graph.name)} {`,
    `  graph ${formatAttributes({ ...graphDefaults, color: paint("line"), fontcolor: paint("ink") })};`,
    `  node ${formatAttributes({ shape: "box", style: "filled", fillcolor: paint("panel"), color: paint("line"), fontcolor: paint("on:panel"), fontname: "DejaVu Sans" })};`,
    `  edge ${formatAttributes({ color: paint("muted"), fontcolor: paint("ink"), fontname: "DejaVu Sans" })};`,
    ...formatClusters(graph.nodes, paint),
    ...graph.edges.map(
      (edge) =>
        `  ${quoteDotString(edge.from)} ${line} ${quoteDotString(edge.to)} ${formatDotEdgeAttributes(edge, paint)};`,
    ),
    "}",
    "",
  ].join("\n");
}

type ResolvePaint = (token: Parameters<typeof resolveColor>[1]) => string;

function formatClusters(nodes: readonly GraphNode[], paint: ResolvePaint): readonly string[] {
  return [...Map.groupBy(nodes, ({ cluster }) => cluster)].flatMap(([label, members], index) => {
    const lines = members.map((node) => `  ${quoteDotString(node.id)} ${formatNodeAttributes(node, paint)};`);
    if (label === undefined) return lines;
    const head = `  subgraph ${quoteDotString(`cluster_${index}`)} {`;
    return [head, `    label=${quoteDotString(label)};`, ...lines.map((line) => `  ${line}`), "  }"];
  });
}

function formatNodeAttributes({ label, shape, fill, style }: GraphNode, paint: ResolvePaint): string {
  return formatAttributes({
    label,
    ...(shape !== undefined && { shape }),
    ...(style !== undefined && { style: `filled,${style}` }),
    ...(fill !== undefined && {
      fillcolor: paint(fill),
      fontcolor: paint(fill.startsWith("on:") ? "ink" : `on:${fill as ColorToken}`),
    }),
  });
}

function formatDotEdgeAttributes({ label, stroke, style }: GraphEdge, paint: ResolvePaint): string {
  return formatAttributes({
    ...(label !== undefined && label !== "" && { label }),
    ...(stroke !== undefined && { color: paint(stroke) }),
    ...(style !== undefined && { style }),
  });
}

function formatAttributes(values: Readonly<Record<string, string>>): string {
  return `[${Object.entries(values)
    .map(([name, value]) => `${name}=${quoteDotString(value)}`)
    .join(", ")}]`;
}

/** The requested elements and their connections. */
export interface Subgraph {
  readonly title: string;
  readonly directed: boolean;
  readonly nodes: readonly SubgraphNode[];
  /** Edges by indexes into `nodes`. */
  readonly edges: readonly SubgraphEdge[];
}

export interface SubgraphNode extends Omit<Element, "related"> {
  /** Second line of text, below the title. */
  readonly detail: string;
  readonly fill: ColorToken;
}

export interface SubgraphEdge {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  /** False if the edge carries no power. */
  readonly live: boolean;
  /** True if the edge represents a path through elements that were not requested. */
  readonly indirect: boolean;
}

const BOX_SIZE = { width: 210, height: 46 };

/** Draws elements as boxes from left to right, connections as lines. Omits the last elements above the limit. */
export function drawSubgraph(
  { title, directed, ...all }: Subgraph,
  { maxNodes }: Pick<DrawOptions, "maxNodes">,
): Drawing {
  const nodes = all.nodes.slice(0, maxNodes);
  const edges = all.edges.filter(({ from, to }) => from < nodes.length && to < nodes.length);
  const omittedNodes = all.nodes.length - nodes.length;
  const { corners, routes, width, height } = layOutGraph(
    nodes.map(() => BOX_SIZE),
    edges,
  );
  const scene = frameScene({
    title,
    subtitle: `${formatCountWithNoun(nodes.length, "element")} · ${formatCountWithNoun(edges.length, "connection")}`,
    description: `${title}: ${nodes.map((node) => node.title).join(", ")}`.slice(0, 500),
    figures: [],
    notes: listNoteIf(
      omittedNodes > 0,
      `${formatCountWithNoun(omittedNodes, "element")} not drawn, so that the picture stays readable`,
      { tone: "watch" },
    ),
    legend: [
      createLineEntry("connected", { stroke: "okText", strokeWidth: 2 }),
      createLineEntry("connected through others", { stroke: "okText", strokeWidth: 2, dash: "dashed" }),
      createLineEntry("carries nothing", { stroke: "faultText", dash: "dotted" }),
    ],
    body: [
      ...edges.flatMap((edge, index) => drawEdge(edge, routes[index] ?? [], directed)),
      ...nodes.map((node, index) => drawNode(node, corners[index] ?? [0, 0])),
    ],
    bodyWidth: width,
    bodyHeight: height,
  });
  const listNeighbours = (at: number) =>
    edges.flatMap(({ from, to }) => (from === at ? [to] : to === at ? [from] : []));
  return {
    scene,
    omittedNodes,
    elements: nodes.map(({ ref, kind, title: name, facts }, index) => ({
      ref,
      kind,
      title: name,
      facts,
      related: listNeighbours(index).flatMap((at) => nodes[at]?.ref ?? []),
    })),
    graph: {
      name: title,
      directed,
      rankdir: "LR",
      nodes: nodes.map(({ ref, title: name, detail, fill }) => ({ id: ref, label: `${name}\n${detail}`, fill })),
      edges: edges.map(
        ({ from, to, label, live, indirect }): GraphEdge => ({
          from: nodes[from]?.ref ?? "",
          to: nodes[to]?.ref ?? "",
          label,
          stroke: live ? "okText" : "faultText",
          ...((indirect || !live) && { style: live ? "dashed" : "dotted" }),
        }),
      ),
    },
  };
}

function drawEdge(
  { label, live, indirect }: SubgraphEdge,
  points: readonly Point[],
  directed: boolean,
): readonly Item[] {
  if (points.length === 0) return [];
  const dash = live ? (indirect ? "dashed" : undefined) : "dotted";
  const path: Item = {
    kind: "path",
    points,
    stroke: live ? "okText" : "faultText",
    strokeWidth: 1.5,
    arrow: directed,
    ...(dash !== undefined && { dash }),
  };
  return [label === "" ? path : { kind: "group", tip: label, items: [path] }];
}

function drawNode({ ref, title, detail, fill, facts }: SubgraphNode, [x, y]: Point): Item {
  return {
    kind: "group",
    ref,
    tip: formatTip(title, facts),
    items: [
      { kind: "rect", x, y, ...BOX_SIZE, radius: 5, fill, stroke: "line" },
      createText([x + 10, y + 19], title, {
        size: 12,
        weight: "bold",
        fill: `on:${fill}`,
        maxWidth: BOX_SIZE.width - 20,
      }),
      createText([x + 10, y + 36], detail, { size: 10, fill: `on:${fill}`, maxWidth: BOX_SIZE.width - 20 }),
    ],
  };
}
