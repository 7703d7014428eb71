import {
  detectDelimiter,
  isBlankRecord,
  isTitleRecord,
  MAX_TITLE_RECORDS,
  normalizeBlanks,
  SEPARATOR_LINE_PATTERN,
} from "#words/spreadsheet.ts";

/** A table of texts, with the offset of each row in the file. */
export interface CsvTable {
  readonly delimiter: string;
  readonly headers: readonly string[];
  readonly rows: readonly CsvRow[];
}

export interface CsvRow {
  /** Line in the file, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Start and end offset in the text, without the line break. */
  readonly from: number;
  readonly to: number;
}

/**
 * Parses delimiter-separated values with quotes and with line breaks inside quotes. Source: RFC 4180. The delimiter is
 * the one of most lines, so that tables copied from a spreadsheet (tabs) work as well. Blank rows, `sep=;` and titles
 * above the headings are skipped.
 */
export function parseCsv(text: string): CsvTable {
  const plain = stripByteOrderMark(text);
  const delimiter = detectDelimiter(plain);
  const all = new CsvReader(plain, delimiter).readRows().slice(SEPARATOR_LINE_PATTERN.test(plain) ? 1 : 0);
  const filled = all.filter(({ cells }) => !isBlankRecord(cells));
  const heading = filled.slice(0, MAX_TITLE_RECORDS + 1).findIndex(({ cells }) => !isTitleRecord(cells));
  // A table of one column has no titles.
  const [first, ...rows] = filled.slice(Math.max(0, heading));
  return { delimiter, headers: (first?.cells ?? []).map(normalizeBlanks), rows };
}

/** Returns the text with one cell of a row replaced. */
export function replaceCsvCell(
  text: string,
  { delimiter }: CsvTable,
  row: CsvRow,
  column: number,
  value: string,
): string {
  const plain = stripByteOrderMark(text);
  const padded = [...row.cells, ...Array<string>(Math.max(0, column + 1 - row.cells.length)).fill("")];
  const isPlain = (cell: string) => !cell.includes(delimiter) && !/["\r\n]/.test(cell);
  const cells = padded.with(column, value).map((cell) => (isPlain(cell) ? cell : `"${cell.replaceAll('"', '""')}"`));
  return plain.slice(0, row.from) + cells.join(delimiter) + plain.slice(row.to);
}

function stripByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}

class CsvReader {
  #at = 0;
  #line = 1;
  readonly #text: string;
  readonly #delimiter: string;

  constructor(text: string, delimiter: string) {
    this.#text = text;
    this.#delimiter = delimiter;
  }

  readRows(): CsvRow[] {
    const rows: CsvRow[] = [];
    while (this.#at < this.#text.length) {
      const [line, from] = [this.#line, this.#at];
      const cells = this.#readRow();
      if (cells.length > 1 || cells[0] !== "") rows.push({ line, cells, from, to: this.#at });
      this.#skipBreak();
    }
    return rows;
  }

  #readRow(): string[] {
    const cells: string[] = [];
    for (;;) {
      cells.push(this.#text[this.#at] === '"' ? this.#readQuotedCell() : this.#readBareCell());
      if (this.#text[this.#at] === this.#delimiter) {
        this.#at += 1;
        continue;
      }
      return cells;
    }
  }

  #skipBreak(): void {
    if (this.#text[this.#at] === "\r") this.#at += 1;
    if (this.#text[this.#at] === "\n") this.#at += 1;
    this.#line += 1;
  }

  #readBareCell(): string {
    const start = this.#at;
    while (this.#at < this.#text.length && !this.#isCellEnd(this.#text[this.#at] ?? "")) this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  #isCellEnd(letter: string): boolean {
    return letter === this.#delimiter || letter === "\n" || letter === "\r";
  }

  /** Parses a quoted cell. A doubled quote means one quote; text after the closing quote belongs to the cell. */
  #readQuotedCell(): string {
    let value = "";
    this.#at += 1;
    for (;;) {
      const end = this.#text.indexOf('"', this.#at);
      const part = this.#text.slice(this.#at, end === -1 ? this.#text.length : end);
      value += part;
      this.#line += part.split("\n").length - 1;
      this.#at = end === -1 ? this.#text.length : end + 1;
      if (end === -1) return value;
      if (this.#text[this.#at] !== '"') return value + this.#readBareCell();
      value += '"';
      this.#at += 1;
    }
  }
}
