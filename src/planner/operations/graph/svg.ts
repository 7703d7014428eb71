import { escapeXml } from "#kernel/escape.ts";
import { formatCountWithNoun } from "#words/names.ts";
import {
  BOX_SIZE,
  type BoxPosition,
  chooseColours,
  computeEdgePaths,
  type GraphBox,
  type GraphEdge,
  layOutBoxes,
  PICTURE_MARGIN,
  type SpecGraph,
} from "./spec_graph.ts";

const { width: BOX_WIDTH, height: BOX_HEIGHT } = BOX_SIZE;
const HEADING_HEIGHT = 34;

/** Maximum characters on a line of a box, whose font is monospaced. */
const MAX_LINE_CHARS = 36;

/**
 * Draws a graph as one SVG document: valid XML for any text, without styles, scripts or external references.
 * Deterministic. Cost: O(boxes + edges).
 */
export function drawSvgGraph(graph: SpecGraph): string {
  const { boxes, edges } = graph;
  const { positions, width, height } = layOutBoxes(graph, HEADING_HEIGHT);
  const title = `${formatCountWithNoun(boxes.length, "spec")}, ${formatCountWithNoun(edges.length, "dependency", "dependencies")}`;
  const chain = graph.critical_path.length;
  const heading = chain === 0 ? title : `${title}; critical path of ${formatCountWithNoun(chain, "spec")} (bold)`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    `<text x="${PICTURE_MARGIN}" y="${PICTURE_MARGIN}" fill="#1b1f24">${escapeXml(heading)}</text>`,
    ...edges.map((edge) => drawEdgeSvg(edge, positions)),
    ...boxes.map((box) => drawBox(box, positions.get(box.id) ?? { x: 0, y: 0 })),
    "</svg>\n",
  ].join("\n");
}

function drawBox({ id, title, status, critical, in_cycle, left_out }: GraphBox, { x, y }: BoxPosition): string {
  const { fill, ink } = chooseColours(status);
  const stroke = in_cycle ? "#b3261e" : critical ? "#1b1f24" : "#8a939d";
  const first = truncateText(`${id} ${status}`);
  const tip = [`${id} ${status}`, title ?? "", ...(left_out.length > 0 ? [`waits for ${left_out.join(", ")}`] : [])];
  return (
    `<g><title>${escapeXml(tip.filter((line) => line !== "").join("\n"))}</title>` +
    `<rect x="${x}" y="${y}" width="${BOX_WIDTH}" height="${BOX_HEIGHT}" rx="4" fill="${fill}" stroke="${stroke}" stroke-width="${critical || in_cycle ? 3 : 1}"/>` +
    // The nested svg element clips characters that are wider than others at the edge of the box.
    `<svg x="${x}" y="${y}" width="${BOX_WIDTH - 6}" height="${BOX_HEIGHT}" fill="${ink}">` +
    `<text x="8" y="19"${critical ? ' font-weight="bold"' : ""}>${escapeXml(first)}</text>` +
    `<text x="8" y="37">${escapeXml(truncateText(title ?? ""))}</text></svg></g>`
  );
}

function truncateText(text: string): string {
  const letters = [...text.replace(/\s+/g, " ")];
  return letters.length <= MAX_LINE_CHARS ? letters.join("") : `${letters.slice(0, MAX_LINE_CHARS - 1).join("")}…`;
}

function drawEdgeSvg(edge: GraphEdge, places: ReadonlyMap<string, BoxPosition>): string {
  const { kind, critical, backward } = edge;
  const lines = computeEdgePaths(edge, places);
  if (lines === null) return "";
  const colour = backward ? "#b3261e" : critical ? "#1b1f24" : "#8a939d";
  const dash = kind === "depends_on" ? "" : ' stroke-dasharray="6 4"';
  return (
    `<path d="${lines.line}" fill="none" stroke="${colour}" stroke-width="${critical ? 3 : 1.3}"${dash}/>` +
    `<path d="${lines.arrow}" fill="${colour}"/>`
  );
}
