import { getOutputWidth, hasColours, paint, print, type Style, sanitizeLine } from "./print.ts";
import { measureTextWidth, wrapWords } from "./wrap_text.ts";

const COLUMN_GAP = "  ";
const ELLIPSIS = "…";

/** Minimum width of a shrinking column, because a shorter part of a title is useless. */
const MIN_COLUMN_WIDTH = 8;

/** A column: its cells' texts, and whether it shrinks if the terminal is too narrow. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly style?: (row: Row) => Style | undefined;
  /** True if cells may be cut with an ellipsis; other columns are never cut. */
  readonly shrinks?: true;
  readonly align?: "right";
  /** Returns a shorter text of the cell for a table that is too wide, such as the end of an id. */
  readonly short?: (row: Row) => string;
}

/** Maximum cell width of a shrinking column that may be omitted if all cells are equal: longer ones are titles. */
const MAX_OMITTED_CELL_WIDTH = 16;

/** Texts of empty cells. */
const EMPTY_CELLS: ReadonlySet<string> = new Set(["", "-"]);

/**
 * Formats rows in aligned columns, one line each, header first.
 *
 * Cells are sanitized for a terminal and measured in terminal cells, not characters (`日本` takes four).
 * @param width available columns; undefined cuts nothing
 * @param below returns a sentence about a row, printed on separate lines; empty for none
 * @returns lines with a line feed each; empty without rows. Cost: O(characters)
 */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width?: number,
  below?: (row: Row) => string,
): string {
  if (rows.length === 0) return "";
  if (width === undefined || measureTableWidth(rows, columns, findLongestWord) <= width)
    return renderTableCells(rows, columns, width, below);
  const { kept, same } = narrowTable(rows, columns);
  return renderTableCells(rows, kept, width, below) + formatSentenceBelow(same, 0, width);
}

function findLongestWord(title: string): string {
  return title.split(" ").reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

/** Formats the titles on as many lines as the narrowest column needs, aligned to the last line. */
function formatHeader(
  columns: readonly Column<never>[],
  widths: readonly number[],
): readonly (readonly MeasuredCell[])[] {
  const titles = columns.map(({ title }, index) => wrapWords(title, widths[index] ?? 0));
  const height = Math.max(...titles.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) =>
    titles.map((words) => measureCell(words[at - height + words.length] ?? "")),
  );
}

/** Formats the sentence that is printed below a row. */
function formatSentenceBelow(text: string, indent: number, width: number | undefined): string {
  const safe = sanitizeLine(text);
  if (safe === "") return "";
  const lines = width === undefined ? [safe] : wrapWords(safe, Math.max(MIN_COLUMN_WIDTH, width - indent));
  return lines.map((each) => `${" ".repeat(indent)}${paint(each, "dim")}\n`).join("");
}

/**
 * Shortens a table that is too wide, so that its titles get more space: it uses short texts and omits columns whose
 * cells are all equal. `same` lists the values of omitted columns. The first column and titles stay.
 */
function narrowTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]) {
  const equal = columns.map(({ text }) => rows.every((row) => text(row) === text(rows[0] as Row)));
  const isOmitted = (column: Column<Row>, index: number) => {
    const cell = column.text(rows[0] as Row);
    const isShort = !column.shrinks || measureTextWidth(cell) <= MAX_OMITTED_CELL_WIDTH;
    return equal[index] && index > 0 && (EMPTY_CELLS.has(cell) || (rows.length > 1 && isShort));
  };
  const kept = columns
    .filter((column, index) => !isOmitted(column, index))
    .map(({ short, ...column }) => (short === undefined ? column : { ...column, text: short }));
  const said = columns
    .filter((column, index) => isOmitted(column, index) && !EMPTY_CELLS.has(column.text(rows[0] as Row)))
    .map(({ title, text }) => `${title} ${text(rows[0] as Row)}`);
  return { kept, same: said.length === 0 ? "" : `All: ${said.join(", ")}` };
}

function measureTableWidth<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  selectTitle: (title: string) => string = (title) => title,
): number {
  const widths = columns.map(({ title, text }) =>
    rows.reduce((most, row) => Math.max(most, measureCell(text(row)).width), selectTitle(title).length),
  );
  return widths.reduce((sum, each) => sum + each, COLUMN_GAP.length * (widths.length - 1));
}

function renderTableCells<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width?: number,
  below?: (row: Row) => string,
): string {
  const header = columns.map(({ title }) => measureCell(title));
  const words = columns.map(({ title }) => measureCell(findLongestWord(title)));
  const body = rows.map((row) => columns.map(({ text }) => measureCell(text(row))));
  // Titles of several words are written on several lines if they would widen a column of numbers.
  const stacked = width !== undefined && measureTableWidth(rows, columns) > width;
  const natural = columns.map((_, index) =>
    [stacked ? words : header, ...body].reduce((most, cells) => Math.max(most, cells[index]?.width ?? 0), 0),
  );
  const widths = width === undefined ? natural : fitColumnWidths(natural, columns, width);
  const isPainted = hasColours("stdout");
  const places = columns.map(({ align }, index) => ({ width: widths[index] ?? 0, align }));
  const lines = formatHeader(columns, widths).map((cells) =>
    formatLine(cells, places, () => (isPainted ? "bold" : undefined)),
  );
  for (const [number, cells] of body.entries()) {
    const row = rows[number] as Row;
    lines.push(formatLine(cells, places, (index) => (isPainted ? columns[index]?.style?.(row) : undefined)));
    if (below !== undefined) lines.push(formatSentenceBelow(below(row), (widths[0] ?? 0) + COLUMN_GAP.length, width));
  }
  return lines.join("");
}

/** Cuts a text to `width` terminal cells; the last one is an ellipsis if text was cut. Characters are never split. */
export function truncateToWidth(text: string, width: number): string {
  if (measureTextWidth(text) <= width) return text;
  let kept = "";
  let room = width - measureTextWidth(ELLIPSIS);
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    room -= measureTextWidth(segment);
    if (room < 0) break;
    kept += segment;
  }
  return kept.trimEnd() + ELLIPSIS;
}

interface MeasuredCell {
  readonly text: string;
  readonly width: number;
}

interface CellLayout {
  readonly width: number;
  readonly align: "right" | undefined;
}

function measureCell(raw: string): MeasuredCell {
  // Nearly every cell is printable ASCII, which is safe and has one cell per character.
  if (/^[ -~]*$/.test(raw)) return { text: raw, width: raw.length };
  const text = sanitizeLine(raw);
  return { text, width: measureTextWidth(text) };
}

function formatLine(
  cells: readonly MeasuredCell[],
  places: readonly CellLayout[],
  style: (index: number) => Style | undefined,
): string {
  const padded = cells.map((cell, index) => {
    const { width, align } = places[index] ?? { width: cell.width, align: undefined };
    const shown = cell.width > width ? measureCell(truncateToWidth(cell.text, width)) : cell;
    const fill = " ".repeat(width - shown.width);
    const wanted = shown.text === "" ? undefined : style(index);
    const painted = wanted === undefined ? shown.text : paint(shown.text, wanted);
    return align === "right" ? fill + painted : painted + fill;
  });
  return `${padded.join(COLUMN_GAP).trimEnd()}\n`;
}

// Distributes the width that the other columns leave among the shrinking columns; the widest is shortened first.
function fitColumnWidths(
  natural: readonly number[],
  columns: readonly Column<never>[],
  width: number,
): readonly number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each, COLUMN_GAP.length * (widths.length - 1)) - width;
  while (excess > 0) {
    const widest = findWidestShrinking(widths, columns);
    if (widest === undefined) break;
    const others = Math.max(
      MIN_COLUMN_WIDTH,
      ...widths.filter((_, index) => columns[index]?.shrinks && index !== widest),
    );
    const current = widths[widest] ?? 0;
    const step = Math.min(excess, Math.max(1, current - others), current - MIN_COLUMN_WIDTH);
    widths[widest] = current - step;
    excess -= step;
  }
  return widths;
}

function findWidestShrinking(widths: readonly number[], columns: readonly Column<never>[]): number | undefined {
  let widest: number | undefined;
  for (const [index, width] of widths.entries()) {
    if (columns[index]?.shrinks !== true || width <= MIN_COLUMN_WIDTH) continue;
    if (widest === undefined || width > (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}

/** Prints rows as a table that fits the terminal. */
export function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
  print(renderTable(rows, columns, getOutputWidth()));
}
