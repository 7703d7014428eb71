import stringWidth from "fast-string-width";
import { plainLine } from "./plain_text.ts";
import { paint, type Style } from "./terminal.ts";

const GAP = "  ";
const ELLIPSIS = "…";

/** The narrowest that a shrinking column gets: fewer columns of a title say nothing. */
const LEAST_WIDTH = 8;

/** One column: how a row is shown in it, and whether it gives way when the terminal is too narrow. */
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
  const cells = rows.map((row) => columns.map((column) => plainLine(column.text(row))));
  const natural = columns.map((column, index) =>
    cells.reduce((most, line) => Math.max(most, textWidth(line[index] ?? "")), textWidth(column.title)),
  );
  const widths = width === undefined ? natural : fit(natural, columns, width);
  const header = columns.map(({ title, align }, index) => ({ text: title, align, width: widths[index] ?? 0 }));
  const lines = [line(header.map((cell) => ({ ...cell, style: "bold" as const })))];
  for (const [number, row] of rows.entries()) {
    lines.push(
      line(
        columns.map(({ align, style }, index) => ({
          text: cells[number]?.[index] ?? "",
          align,
          style: style?.(row),
          width: widths[index] ?? 0,
        })),
      ),
    );
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
  readonly align: "right" | undefined;
  readonly style?: Style | undefined;
}

function line(cells: readonly Cell[]): string {
  const padded = cells.map(({ text, width, align, style }, index) => {
    const shown = cutText(text, width);
    const fill = " ".repeat(Math.max(0, width - textWidth(shown)));
    const painted = style === undefined || shown === "" ? shown : paint(shown, style);
    if (align === "right") return fill + painted;
    return index === cells.length - 1 ? painted : painted + fill;
  });
  return `${padded.join(GAP).trimEnd()}\n`;
}

// The columns that may shrink share what the others leave, the widest giving way first.
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
