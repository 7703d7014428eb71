import type { Theme } from "#dc/model/enum_values.ts";
import { quoteDotString } from "#kernel/quote_dot.ts";
import type { Graph, GraphEdge, GraphNode } from "./drawing.ts";
import { type ColorToken, resolveColor } from "./palette.ts";

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
