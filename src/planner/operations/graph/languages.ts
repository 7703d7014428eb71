import { getVisibleSign } from "#kernel/control_pictures.ts";
import { quoteDotString } from "#kernel/quote_dot.ts";
import type { GraphBox, GraphEdge, SpecGraph } from "./spec_graph.ts";

/** Formats a Mermaid flowchart. Every text is quoted, so no title can end a statement or be read as a directive. */
export function formatMermaidGraph({ boxes, edges }: SpecGraph): string {
  const names = new Map(boxes.map(({ id }, at) => [id, `n${at}`]));
  const lines = boxes.map(({ id, title, status, critical }) => {
    const label = [id, status, ...(title === null ? [] : [title])].map(escapeMermaid).join("<br>");
    return `  ${names.get(id)}["${label}"]${critical ? ":::critical" : ""}`;
  });
  const links = edges.map((edge) => `  ${names.get(edge.from)} ${formatArrow(edge)} ${names.get(edge.to)}`);
  return ["flowchart LR", "  classDef critical stroke-width:4px", ...lines, ...links, ""].join("\n");
}

function formatArrow({ kind, critical }: GraphEdge): string {
  if (critical) return "==>";
  return kind === "depends_on" ? "-->" : "-.->";
}

/** Escapes all but letters, digits and plain marks. Source: mermaid.js.org/syntax/flowchart.html, entity codes. */
function escapeMermaid(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s+/g, " ")
    .replace(/\p{Cc}/gu, getVisibleSign)
    .replace(/[^\p{L}\p{M}\p{N} .,:_/-]/gu, (sign) => `#${sign.codePointAt(0)};`);
}

/** Formats a graph in Graphviz's DOT language. Every text is quoted. */
export function formatDotGraph({ boxes, edges }: SpecGraph): string {
  return [
    "digraph specs {",
    "  graph [rankdir=LR];",
    '  node [shape=box, style=filled, fontname="DejaVu Sans"];',
    ...boxes.map((box) => `  ${quoteDotString(box.id)} [${formatBoxAttributes(box)}];`),
    ...edges.map(
      (edge) => `  ${quoteDotString(edge.from)} -> ${quoteDotString(edge.to)}${formatEdgeAttributes(edge)};`,
    ),
    "}",
    "",
  ].join("\n");
}

function formatBoxAttributes({ id, title, status, critical }: GraphBox): string {
  const label = [`${id} ${status}`, ...(title === null ? [] : [title.replace(/\s+/g, " ")])].join("\n");
  const { fill, ink } = chooseColours(status);
  return [
    `label=${quoteDotString(label)}`,
    `fillcolor=${quoteDotString(fill)}`,
    `fontcolor=${quoteDotString(ink)}`,
    ...(critical ? ["penwidth=3"] : []),
  ].join(", ");
}

function formatEdgeAttributes({ kind, critical, backward }: GraphEdge): string {
  const found = [
    ...(kind === "depends_on" ? [] : ["style=dashed"]),
    ...(critical ? ["penwidth=3"] : []),
    // If a backward edge were a constraint, it would reverse the order of the layers.
    ...(backward ? ["constraint=false", "color=red"] : []),
  ];
  return found.length === 0 ? "" : ` [${found.join(", ")}]`;
}

/** Background and text colour of a box, with a contrast of at least 4.5 to 1. */
export interface BoxColours {
  readonly fill: string;
  readonly ink: string;
}

const DARK_INK = "#1b1f24";

const COLOURS_BY_STATUS: Readonly<Record<string, BoxColours>> = {
  ready: { fill: "#d3e8ff", ink: DARK_INK },
  pending: { fill: "#eceff3", ink: DARK_INK },
  blocked: { fill: "#fdf0c8", ink: DARK_INK },
  in_progress: { fill: "#cdeef2", ink: DARK_INK },
  completed: { fill: "#d5f0d9", ink: DARK_INK },
  archived: { fill: "#d5f0d9", ink: DARK_INK },
  cancelled: { fill: "#ffffff", ink: "#59636e" },
  failed: { fill: "#b3261e", ink: "#ffffff" },
  needs_attention: { fill: "#ffd7d3", ink: DARK_INK },
};

const DEFAULT_COLOURS: BoxColours = { fill: "#ffffff", ink: "#b3261e" };

export function chooseColours(status: string): BoxColours {
  return Object.hasOwn(COLOURS_BY_STATUS, status) ? (COLOURS_BY_STATUS[status] ?? DEFAULT_COLOURS) : DEFAULT_COLOURS;
}
