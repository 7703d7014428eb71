import stringWidth from "fast-string-width";
import { plainLine } from "./plain_text.ts";
import { paint, type Style } from "./terminal.ts";

const GAP = "  ";
const ELLIPSIS = "…";

/** The narrowest that a shrinking column gets: fewer columns of a title say nothing. */
const LEAST_WIDTH = 8;

/** One column: how a row is shown in it, and whether it shrinks when the terminal is too narrow. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly style?: (row: Row) => Style | undefined;
  /** A shrinking column is cut with an ellipsis; the others always stay whole. */
  readonly shrinks?: true;
  readonly align?: "right";
}

/**
 * Lays rows out in aligned columns, one line each, header first.
 *
 * Cells are made safe for a terminal and measured in terminal cells, not characters (`日本` takes four).
 *
 * @param width columns to fit into; undefined cuts nothing
 * @returns lines with a line feed each; empty for no rows. Cost: O(characters)
 */
export function renderTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width?: number): string {
  if (rows.length === 0) return "";
  const header = columns.map(({ title }) => cellOf(title));
  const body = rows.map((row) => columns.map(({ text }) => cellOf(text(row))));
  const natural = columns.map((_, index) => widest([header, ...body], index));
  const widths = width === undefined ? natural : fit(natural, columns, width);
  const places = columns.map(({ align }, index) => ({ width: widths[index] ?? 0, align }));
  const lines = [line(header, places, () => "bold")];
  for (const [number, cells] of body.entries()) {
    const row = rows[number] as Row;
    lines.push(line(cells, places, (index) => columns[index]?.style?.(row)));
  }
  return lines.join("");
}

/** How many terminal cells a text takes. */
export function textWidth(text: string): number {
  return stringWidth(text);
}

/** Cuts a text to `width` terminal cells, the last one an ellipsis when something was cut; characters stay whole. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = "";
  let room = width - textWidth(ELLIPSIS);
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    room -= textWidth(segment);
    if (room < 0) break;
    kept += segment;
  }
  return kept.trimEnd() + ELLIPSIS;
}

interface Cell {
  readonly text: string;
  readonly width: number;
}

interface Place {
  readonly width: number;
  readonly align: "right" | undefined;
}

function cellOf(raw: string): Cell {
  // Nearly every cell is plain ASCII, which is safe and as wide as it is long.
  if (/^[ -~]*$/.test(raw)) return { text: raw, width: raw.length };
  const text = plainLine(raw);
  return { text, width: textWidth(text) };
}

function widest(lines: readonly (readonly Cell[])[], index: number): number {
  return lines.reduce((most, cells) => Math.max(most, cells[index]?.width ?? 0), 0);
}

function line(cells: readonly Cell[], places: readonly Place[], style: (index: number) => Style | undefined): string {
  const padded = cells.map((cell, index) => {
    const { width, align } = places[index] ?? { width: cell.width, align: undefined };
    const shown = cell.width > width ? cellOf(cutText(cell.text, width)) : cell;
    const fill = " ".repeat(width - shown.width);
    const wanted = shown.text === "" ? undefined : style(index);
    const painted = wanted === undefined ? shown.text : paint(shown.text, wanted);
    return align === "right" ? fill + painted : painted + fill;
  });
  return `${padded.join(GAP).trimEnd()}\n`;
}

// The columns that may shrink share what the others leave, the widest first.
function fit(natural: readonly number[], columns: readonly Column<never>[], width: number): readonly number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1)) - width;
  while (excess > 0) {
    const widest = widestShrinking(widths, columns);
    if (widest === undefined) break;
    const others = Math.max(LEAST_WIDTH, ...widths.filter((_, index) => columns[index]?.shrinks && index !== widest));
    const current = widths[widest] ?? 0;
    const step = Math.min(excess, Math.max(1, current - others), current - LEAST_WIDTH);
    widths[widest] = current - step;
    excess -= step;
  }
  return widths;
}

function widestShrinking(widths: readonly number[], columns: readonly Column<never>[]): number | undefined {
  let widest: number | undefined;
  for (const [index, width] of widths.entries()) {
    if (columns[index]?.shrinks !== true || width <= LEAST_WIDTH) continue;
    if (widest === undefined || width > (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}
