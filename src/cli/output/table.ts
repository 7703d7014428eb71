import { plainLine } from "./plain_text.ts";
import { print } from "./print.ts";
import { hasColours, outputWidth, paint, type Style } from "./terminal.ts";
import { textWidth, wrapWords } from "./wrap_text.ts";

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
  /** The text of the cell in a table that is too wide otherwise, such as the end of an id. */
  readonly short?: (row: Row) => string;
}

/** Widest cell of a shrinking column that can be left out if all are equal: longer ones are titles. */
const SHORT_CELL = 16;

/** Text of cells that hold nothing. */
const EMPTY: ReadonlySet<string> = new Set(["", "-"]);

/**
 * Lays rows out in aligned columns, one line each, header first.
 *
 * Cells are made safe for a terminal and measured in terminal cells, not characters (`日本` takes four).
 *
 * @param width columns to fit into; undefined cuts nothing
 * @param below a sentence about a row, on separate lines; empty for none
 * @returns lines with a line feed each; empty for no rows. Cost: O(characters)
 */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width?: number,
  below?: (row: Row) => string,
): string {
  if (rows.length === 0) return "";
  const options = { width, below };
  if (width === undefined || naturalWidth(rows, columns, longestWord) <= width)
    return renderCells(rows, columns, options);
  const { kept, same } = narrowTable(rows, columns);
  return renderCells(rows, kept, options) + linesBelow(same, 0, width);
}

interface TableOptions<Row> {
  readonly width: number | undefined;
  readonly below: ((row: Row) => string) | undefined;
}

function longestWord(title: string): string {
  return title.split(" ").reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

/** The titles in as many lines as the narrowest column needs, the last line full. */
function headerLines(columns: readonly Column<never>[], widths: readonly number[]): readonly (readonly Cell[])[] {
  const titles = columns.map(({ title }, index) => wrapWords(title, widths[index] ?? 0));
  const height = Math.max(...titles.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) =>
    titles.map((words) => cellOf(words[at - height + words.length] ?? "")),
  );
}

/** A sentence below a row. */
function linesBelow(text: string, indent: number, width: number | undefined): string {
  const safe = plainLine(text);
  if (safe === "") return "";
  const lines = width === undefined ? [safe] : wrapWords(safe, Math.max(LEAST_WIDTH, width - indent));
  return lines.map((each) => `${" ".repeat(indent)}${paint(each, "dim")}\n`).join("");
}

/**
 * Shortens a table that is too wide, so that its titles get the room: short texts, and no column whose cells are all
 * equal. `same` names what such a column holds. The first column and titles stay.
 */
function narrowTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]) {
  const equal = columns.map(({ text }) => rows.every((row) => text(row) === text(rows[0] as Row)));
  const leaves = (column: Column<Row>, index: number) => {
    const cell = column.text(rows[0] as Row);
    const isShort = !column.shrinks || textWidth(cell) <= SHORT_CELL;
    return equal[index] && index > 0 && (EMPTY.has(cell) || (rows.length > 1 && isShort));
  };
  const kept = columns
    .filter((column, index) => !leaves(column, index))
    .map(({ short, ...column }) => (short === undefined ? column : { ...column, text: short }));
  const said = columns
    .filter((column, index) => leaves(column, index) && !EMPTY.has(column.text(rows[0] as Row)))
    .map(({ title, text }) => `${title} ${text(rows[0] as Row)}`);
  return { kept, same: said.length === 0 ? "" : `All: ${said.join(", ")}` };
}

function naturalWidth<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  titleOf: (title: string) => string = (title) => title,
): number {
  const widths = columns.map(({ title, text }) =>
    rows.reduce((most, row) => Math.max(most, cellOf(text(row)).width), titleOf(title).length),
  );
  return widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1));
}

function renderCells<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width, below }: TableOptions<Row>,
): string {
  const header = columns.map(({ title }) => cellOf(title));
  const words = columns.map(({ title }) => cellOf(longestWord(title)));
  const body = rows.map((row) => columns.map(({ text }) => cellOf(text(row))));
  // Titles of several words are stacked rather than make a figure's column wide.
  const stacked = width !== undefined && naturalWidth(rows, columns) > width;
  const natural = columns.map((_, index) => widest([stacked ? words : header, ...body], index));
  const widths = width === undefined ? natural : fit(natural, columns, width);
  const isPainted = hasColours("stdout");
  const places = columns.map(({ align }, index) => ({ width: widths[index] ?? 0, align }));
  const lines = headerLines(columns, widths).map((cells) =>
    line(cells, places, () => (isPainted ? "bold" : undefined)),
  );
  for (const [number, cells] of body.entries()) {
    const row = rows[number] as Row;
    lines.push(line(cells, places, (index) => (isPainted ? columns[index]?.style?.(row) : undefined)));
    if (below !== undefined) lines.push(linesBelow(below(row), (widths[0] ?? 0) + GAP.length, width));
  }
  return lines.join("");
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

/** Prints rows as a table that fits the terminal. */
export function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
  print(renderTable(rows, columns, outputWidth()));
}
