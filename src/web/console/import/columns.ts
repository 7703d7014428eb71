import { COLUMN_FIELDS } from "#words/column_fields.ts";
import {
  cleanCell,
  detectDelimiter,
  guessFieldOfHeading,
  isBlankRecord,
  isTitleRecord,
  MAX_TITLE_RECORDS,
  normalizeBlanks,
  readFieldFigure,
  SEPARATOR_LINE_PATTERN,
} from "#words/spreadsheet.ts";
import {
  type EditableKind,
  type FormField,
  getFieldLabel,
  getFieldUnit,
  listEnumChoices,
  listKindFields,
  listMessageFields,
  parseCableEnd,
} from "../edit/form_model.ts";
import { describeValueError, setValueAtPath } from "../edit/values.ts";
import { splitAtFirst } from "../router.ts";
import { type FieldProblem, IMPORT_KINDS, type ImportItem, type ImportKind, type ParsedFile } from "./parse_items.ts";

/** What the columns of a table mean. */
export interface ColumnMapping {
  readonly kind: ImportKind;
  /** Path of the field that each column fills; "" for none. */
  readonly columns: readonly string[];
  /** Values that apply to all rows, by the paths of their fields, which no column fills. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Decimal sign of the table; without it figures that could be read in two ways are refused. */
  readonly decimal?: "." | "," | undefined;
}

/** A field that a column of a table can fill. */
export interface ColumnTarget {
  /** Path of the field, such as `location.site_id`. For a label, the last part of the path is the label's key. */
  readonly path: string;
  readonly label: string;
  readonly field: FormField;
}

/** Returns the required fields of a kind that no column fills. For a required location, returns its site. */
export function listMissingFields(kind: EditableKind, columns: readonly string[]): readonly ColumnTarget[] {
  const targets = listColumnTargets(kind);
  const needed = listKindFields(kind)
    .filter(({ required }) => required === true)
    .map(({ name }) => targets.find(({ path }) => path === name || path.startsWith(`${name}.`)));
  const isFilled = (path: string) => columns.some((one) => one === path || one.startsWith(`${path}.`));
  return needed.filter((target) => target !== undefined && !isFilled(target.path)) as readonly ColumnTarget[];
}

/** Whether devices have a unit but no column names their face, so that they are placed at the front. */
export function isFaceGuessed(kind: EditableKind, columns: readonly string[]): boolean {
  return kind === "device" && columns.includes("position_u") && !columns.includes("face");
}

/** Returns every field that a single cell can contain. */
export function listColumnTargets(kind: EditableKind): readonly ColumnTarget[] {
  return listKindFields(kind).flatMap((field): readonly ColumnTarget[] => {
    const label = getFieldLabel(field);
    if (field.shape === "map") return [];
    if (field.type !== "group") return [{ path: field.name, label, field }];
    if (field.of === "PortRef") {
      const whole: ColumnTarget = { path: field.name, label: `${label} as device/port`, field };
      return [whole, ...listNestedTargets(field, label)];
    }
    return field.shape === "list" ? [] : listNestedTargets(field, label);
  });
}

function listNestedTargets(field: FormField, label: string): readonly ColumnTarget[] {
  return listMessageFields(field.of ?? "")
    .filter(({ type, shape }) => type !== "group" && shape !== "map")
    .map((inner) => ({
      path: `${field.name}.${inner.name}`,
      label: `${label}, ${getFieldLabel(inner).toLowerCase()}`,
      field: inner,
    }));
}

const LABEL_HEADER_PATTERN = /^labels?[.:\s]\s*(.+)$/i;

/** Returns the path of the field that a column's header means; "" for none. */
export function guessTargetPath(header: string, targets: readonly ColumnTarget[]): string {
  const key = LABEL_HEADER_PATTERN.exec(header.trim())?.[1];
  if (key !== undefined) return `labels.${key}`;
  const findTarget = (heading: string) => {
    const bare = normalizeHeader(heading);
    const named = targets.find(({ path, label }) => [path, label].some((name) => normalizeHeader(name) === bare));
    const last = targets.find(({ path }) => normalizeHeader(path.slice(path.indexOf(".") + 1)) === bare);
    const known = targets.find(({ path }) => path === COLUMN_FIELDS[bare]);
    return named ?? known ?? last;
  };
  return guessFieldOfHeading(header, findTarget, ({ field }) => getFieldUnit(field))?.path ?? "";
}

function normalizeHeader(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Patterns of headers that only one kind is likely to have. */
const KIND_PATTERNS: readonly (readonly [EditableKind, RegExp])[] = [
  ["fabric_link", /^(?:fabric|fabricid|capacitymbps|ecmpgroup)$/],
  ["cable", /^(?:a|b|enda|endb|adevice|bdevice|adevicecode|bdevicecode|lengthm|length)$/],
  ["crac", /^(?:sensiblecapacitykw|sensiblecapacity|derate|deratepct|serves)$/],
  ["device", /^(?:position|positionu|u|unit|rack|rackcode|allocateddraww|planneddraw|serial)$/],
];

/** Guesses the kind of resources in a table from its headers; "rack" if no header is typical of a kind. */
export function guessResourceKind(headers: readonly string[]): (typeof IMPORT_KINDS)[number] {
  const bare = headers.map(normalizeHeader);
  const found = KIND_PATTERNS.find(([, pattern]) => bare.some((header) => pattern.test(header)))?.[0];
  return IMPORT_KINDS.find((kind) => kind === found) ?? "rack";
}

/** Converts rows to resources. Reports unreadable cells with their item, so that the server checks the rest. */
export function parseRows(
  table: CsvTable,
  kind: (typeof IMPORT_KINDS)[number],
  columns: readonly string[],
  /** Texts by path that apply to every row, and the decimal sign. */
  { defaults = {}, decimal }: Partial<Pick<ColumnMapping, "defaults" | "decimal">> = {},
): ParsedFile {
  const given = Object.entries(defaults).filter(([path]) => !columns.includes(path));
  const paths = [...columns, ...given.map(([path]) => path)];
  const targets = new Map(listColumnTargets(kind).map((target) => [target.path, target]));
  const addDefaults = (cells: readonly string[]) =>
    given.length === 0 ? cells : [...columns.map((_, at) => cells[at] ?? ""), ...given.map(([, text]) => text)];
  const atFront = isFaceGuessed(kind, paths);
  const items = table.rows.map(({ line, cells }): ImportItem => {
    const { resource, problems } = parseRow(addDefaults(cells), paths, { targets, headers: table.headers, decimal });
    if (!isBlankRecord(cells.slice(table.headers.length)))
      problems.push({ field: "", message: `${cells.length} cells, but ${table.headers.length} columns` });
    const placed = atFront && "position_u" in resource ? { ...resource, face: "FACE_FRONT" } : resource;
    return { kind, line, resource: placed, ...(problems.length > 0 && { problems }) };
  });
  const filled = columns.map((path, at) => ({ path, at, header: table.headers[at] ?? "" }));
  return { items, unreadable: [], columns: filled.filter(({ path }) => path !== "") };
}

interface RowRules {
  readonly targets: ReadonlyMap<string, ColumnTarget>;
  readonly headers: readonly string[];
  readonly decimal: ColumnMapping["decimal"];
}

function parseRow(cells: readonly string[], columns: readonly string[], { targets, headers, decimal }: RowRules) {
  let resource: Readonly<Record<string, unknown>> = {};
  let range: number | undefined;
  const problems: FieldProblem[] = [];
  for (const [index, path] of columns.entries()) {
    const text = cleanCell(cells[index] ?? "");
    if (path === "" || text === "") continue;
    const other = columns.findIndex((one, at) => at < index && one === path && (cells[at] ?? "").trim() !== "");
    if (other !== -1 && cells[other]?.trim() !== text) {
      problems.push({
        field: path,
        message: `Two columns fill this field, with "${shortenCell(cells[other]?.trim() ?? "")}" and "${shortenCell(text)}"`,
      });
      continue;
    }
    const { value, problem, height } = parseCell(text, targets.get(path)?.field, headers[index], decimal);
    range ??= height;
    if (problem === undefined)
      resource = setValueAtPath(
        resource,
        splitAtFirst(path, ".").filter((step) => step !== ""),
        value,
      );
    else problems.push({ field: path, message: problem.replaceAll(text, () => shortenCell(text)) });
  }
  if (range === undefined || !targets.has("u_height")) return { resource, problems };
  const { u_height = range } = resource as { readonly u_height?: unknown };
  if (u_height !== range) problems.push({ field: "u_height", message: `The unit takes ${range} U` });
  return { resource: { ...resource, u_height }, problems };
}

/** Maximum length of a cell's text within a message, in characters. */
const MAX_CELL_LENGTH = 60;

function shortenCell(text: string): string {
  return text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH)}…` : text;
}

interface ParsedCell {
  readonly value?: unknown;
  readonly problem?: string;
  /** Height of a range of units. */
  readonly height?: number;
}

/** Describes why a text is no valid value of a field; "" if it is valid. */
export function describeCellError(text: string, { field }: ColumnTarget): string {
  return parseCell(text, field).problem ?? "";
}

/** Parses a cell as a value of its field. A path without a field is a label. */
function parseCell(
  text: string,
  field: FormField | undefined,
  heading = "",
  decimal?: ColumnMapping["decimal"],
): ParsedCell {
  if (field === undefined) return { value: text };
  if (field.of === "PortRef") return { value: parseCableEnd(text) };
  if (field.type === "choice") return parseChoiceCell(text, field.of ?? "");
  if (field.type === "flag") return parseFlagCell(text);
  const parts = field.shape === "list" ? text.split(/[,;|]/).map((part) => part.trim()) : [text];
  const isFigure = field.type === "int" || field.type === "number";
  const rules = { heading, decimal, isWhole: field.type === "int" };
  const read = parts.map((part) => (isFigure ? readFieldFigure(part, field.name, rules) : { value: part }));
  const values = read.flatMap((one) => ("value" in one ? [one.value] : []));
  const value = field.shape === "list" ? values : values[0];
  const problem = read.find((one) => "problem" in one)?.problem ?? describeValueError(value, field);
  const height = read.flatMap((one) => ("height" in one && one.height !== undefined ? [one.height] : []))[0];
  return problem === "" ? { value, ...(height !== undefined && { height }) } : { problem };
}

function parseChoiceCell(text: string, name: string): ParsedCell {
  const choices = listEnumChoices(name);
  const found = choices.find(
    ([value, word]) =>
      normalizeHeader(value) === normalizeHeader(text) || normalizeHeader(word) === normalizeHeader(text),
  );
  if (found !== undefined) return { value: found[0] };
  return { problem: `"${text}" is none of ${choices.map(([, word]) => word).join(", ")}` };
}

const FLAGS_BY_WORD: Readonly<Record<string, boolean>> = {
  yes: true,
  true: true,
  1: true,
  no: false,
  false: false,
  0: false,
};

function parseFlagCell(text: string): ParsedCell {
  const value = FLAGS_BY_WORD[text.toLowerCase()];
  return value === undefined ? { problem: `"${text}" is neither yes nor no` } : { value };
}

/** A table of texts, with the offset of each row in the file. */
export interface CsvTable {
  readonly delimiter: string;
  readonly headers: readonly string[];
  readonly rows: readonly CsvRow[];
}

interface CsvRow {
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

/** Length in characters above which a text is not shown in a text field, because such a field reacts slowly. */
export const LARGE_TEXT_CHARS = 200_000;

/** Parses a text as a table; undefined if it is JSON or empty. */
export function parseTable(text: string): CsvTable | undefined {
  const start = text.trimStart().charAt(0);
  if (start === "" || start === "{" || start === "[") return undefined;
  const table = parseCsv(text);
  return table.headers.length > 1 || table.rows.length > 0 ? table : undefined;
}

/** Reads a file as UTF-8. Throws a TypeError if its bytes are not valid UTF-8. */
export async function readUtf8File(file: File): Promise<string> {
  // `File.text()` would silently replace bytes that are not UTF-8.
  return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
}
