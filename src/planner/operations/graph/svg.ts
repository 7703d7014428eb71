import { escapeXml } from "#kernel/escape_xml.ts";
import { counted } from "#words/names.ts";
import { colourOf } from "./colours.ts";
import type { GraphBox, GraphEdge, SpecGraph } from "./spec_graph.ts";

const WIDTH = 280;
const HEIGHT = 46;
const COLUMN_GAP = 80;
const ROW_GAP = 16;
const MARGIN = 24;
const TITLE_HEIGHT = 34;

/** Letters of a line of a box: its font is as wide for each of them. */
const LETTERS = 36;

/** Columns in which specs without any dependency are listed, at least. */
const LEAST_COLUMNS = 4;

interface Place {
  readonly x: number;
  readonly y: number;
}

/**
 * Draws a graph as one SVG document: valid XML for any text, without styles, scripts or external references. Columns are
 * layers; specs that neither wait nor are waited for stand in rows below. Deterministic. Cost: O(boxes + edges).
 */
export function toSvg(graph: SpecGraph): string {
  const { boxes, edges } = graph;
  const places = placesOf(graph);
  const all = [...places.values()];
  const width = all.reduce((most, { x }) => Math.max(most, x + WIDTH), WIDTH) + MARGIN;
  const height = all.reduce((most, { y }) => Math.max(most, y + HEIGHT), TITLE_HEIGHT) + MARGIN;
  const title = `${counted(boxes.length, "spec")}, ${counted(edges.length, "dependency", "dependencies")}`;
  const chain = graph.critical_path.length;
  const heading = chain === 0 ? title : `${title}; critical path of ${counted(chain, "spec")} (bold)`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    `<text x="${MARGIN}" y="${MARGIN}" fill="#1b1f24">${escapeXml(heading)}</text>`,
    ...edges.map((edge) => edgeSvg(edge, places)),
    ...boxes.map((box) => boxSvg(box, places.get(box.id) ?? { x: 0, y: 0 })),
    "</svg>\n",
  ].join("\n");
}

function placesOf({ boxes, edges, layers }: SpecGraph): ReadonlyMap<string, Place> {
  const joined = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const columns: GraphBox[][] = Array.from({ length: layers }, () => []);
  for (const box of boxes) if (joined.has(box.id)) columns[box.layer]?.push(box);
  const most = columns.reduce((rows, column) => Math.max(rows, column.length), 0);
  const places = new Map<string, Place>();
  const place = (box: GraphBox, column: number, row: number): void => {
    const [x, y] = [MARGIN + column * (WIDTH + COLUMN_GAP), MARGIN + TITLE_HEIGHT + row * (HEIGHT + ROW_GAP)];
    places.set(box.id, { x, y });
  };
  for (const [at, column] of columns.entries()) {
    column.sort((a, b) => a.order - b.order);
    for (const [row, box] of column.entries()) place(box, at, row + (most - column.length) / 2);
  }
  const width = Math.max(LEAST_COLUMNS, columns.filter((column) => column.length > 0).length);
  for (const [at, box] of boxes.filter(({ id }) => !joined.has(id)).entries()) {
    place(box, at % width, (most === 0 ? 0 : most + 1) + Math.floor(at / width));
  }
  return places;
}

function boxSvg({ id, title, status, critical, in_cycle, left_out }: GraphBox, { x, y }: Place): string {
  const { fill, ink } = colourOf(status);
  const stroke = in_cycle ? "#b3261e" : critical ? "#1b1f24" : "#8a939d";
  const first = fitted(`${id} ${status}`);
  const tip = [`${id} ${status}`, title ?? "", ...(left_out.length > 0 ? [`waits for ${left_out.join(", ")}`] : [])];
  return (
    `<g><title>${escapeXml(tip.filter((line) => line !== "").join("\n"))}</title>` +
    `<rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="4" fill="${fill}" stroke="${stroke}" stroke-width="${critical || in_cycle ? 3 : 1}"/>` +
    // Letters that are wider than others end at the box.
    `<svg x="${x}" y="${y}" width="${WIDTH - 6}" height="${HEIGHT}" fill="${ink}">` +
    `<text x="8" y="19"${critical ? ' font-weight="bold"' : ""}>${escapeXml(first)}</text>` +
    `<text x="8" y="37">${escapeXml(fitted(title ?? ""))}</text></svg></g>`
  );
}

function fitted(text: string): string {
  const letters = [...text.replace(/\s+/g, " ")];
  return letters.length <= LETTERS ? letters.join("") : `${letters.slice(0, LETTERS - 1).join("")}…`;
}

function edgeSvg({ from, to, kind, critical, backward }: GraphEdge, places: ReadonlyMap<string, Place>): string {
  const [start, end] = [places.get(from), places.get(to)];
  if (start === undefined || end === undefined) return "";
  const [x1, y1, x2, y2] = [start.x + WIDTH, start.y + HEIGHT / 2, end.x, end.y + HEIGHT / 2];
  const bend = backward ? COLUMN_GAP : Math.max(COLUMN_GAP / 2, (x2 - x1) / 2);
  const colour = backward ? "#b3261e" : critical ? "#1b1f24" : "#8a939d";
  const dash = kind === "depends_on" ? "" : ' stroke-dasharray="6 4"';
  return (
    `<path d="M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 6} ${y2}" fill="none" stroke="${colour}" stroke-width="${critical ? 3 : 1.3}"${dash}/>` +
    `<path d="M${x2} ${y2}l-8 -4v8z" fill="${colour}"/>`
  );
}
