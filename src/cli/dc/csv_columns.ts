import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ResourceKind } from "#dc/model/resources.ts";
import { findKind } from "#dc/operations/import/run_import.ts";
import { IMPORT_KINDS } from "#dc/operations/import/wire.ts";
import { RESOURCE_SCHEMAS } from "#dc/operations/writes/changes.ts";
import { formatSuggestion, UsageError } from "../usage_error.ts";

export interface CsvColumn {
  /** Field name, or a path such as `location.room` for a field of a nested message. */
  readonly name: string;
  readonly field: DescField;
  /** Formats the field's value as a cell; empty if the field is absent. */
  readonly write: (resource: JsonObject) => string;
  /** Parses a cell that is not empty, and sets the field of the resource. @throws Error for invalid JSON */
  readonly parseCell: (cell: string, resource: Record<string, JsonValue>) => void;
  /** Sets the field to a parsed value. */
  readonly setValue: (value: JsonValue, resource: Record<string, JsonValue>) => void;
}

/** Messages with one column per field, so that people can sort by them. Other messages are JSON in one cell. */
const FLAT_MESSAGES = ["Location", "Placement", "PortRef"];
/** Fields that the service computes and that an import must not set. */
const COMPUTED_FIELDS = ["etag", "create_time", "update_time", "health", "health_reasons"];
const COMPUTED_LINK_FIELDS = ["utilization_pct", "congested", "physical"];
/** Matches cells that a spreadsheet would read as formulas, and cells that begin with the guard character. */
const FORMULA_LIKE = /^[=+\-@\t\r']/;
const FORMULA_GUARD = "'";

const columnsByKind = new Map<ResourceKind, readonly CsvColumn[]>();

/** Returns the columns of a kind in the order of the proto's fields, without computed fields. */
export function listCsvColumns(kind: ResourceKind): readonly CsvColumn[] {
  const known = columnsByKind.get(kind);
  if (known !== undefined) return known;
  const omitted = kind === "fabric_link" ? [...COMPUTED_FIELDS, ...COMPUTED_LINK_FIELDS] : COMPUTED_FIELDS;
  const made = RESOURCE_SCHEMAS[kind].fields.filter(({ name }) => !omitted.includes(name)).flatMap(createColumns);
  columnsByKind.set(kind, made);
  return made;
}

/** Finds a column by name: one of the kind, or a path to a field of a message or to an entry of a map: `labels.owner`. */
export function findCsvColumn(kind: ResourceKind, name: string): CsvColumn | undefined {
  const columns = listCsvColumns(kind);
  const own = columns.find((column) => column.name === name);
  const [parent, entry = ""] = name.split(/\.(.*)/s);
  const { field } = columns.find((column) => column.name === parent) ?? {};
  if (own !== undefined || field === undefined || entry === "" || chooseCellFormat(field) !== JSON_CELL) return own;
  if (field.fieldKind === "map") return createEntryColumn(field, entry);
  const inner = field.fieldKind === "message" ? field.message.fields.find((one) => one.name === entry) : undefined;
  return inner && field.message && createFlatColumn(field, field.message, inner);
}

function createEntryColumn(field: DescField, entry: string): CsvColumn {
  const setValue: CsvColumn["setValue"] = (value, resource) => {
    resource[field.name] = { ...(resource[field.name] as JsonObject | undefined), [entry]: value };
  };
  return {
    name: `${field.name}.${entry}`,
    field,
    write: (resource) => TEXT_CELL.format((resource[field.name] as JsonObject | undefined)?.[entry]),
    parseCell: (text, resource) => setValue(TEXT_CELL.parse(text), resource),
    setValue,
  };
}

function createColumns(field: DescField): readonly CsvColumn[] {
  const { message } = field;
  if (field.fieldKind === "message" && message !== undefined && FLAT_MESSAGES.includes(message.name)) {
    return message.fields.map((inner) => createFlatColumn(field, message, inner));
  }
  const cell = chooseCellFormat(field);
  const setValue: CsvColumn["setValue"] = (value, resource) => {
    resource[field.name] = value;
  };
  return [
    {
      name: field.name,
      field,
      write: (resource) => cell.format(resource[field.name]),
      parseCell: (text, resource) => setValue(cell.parse(text), resource),
      setValue,
    },
  ];
}

function createFlatColumn(parent: DescField, message: DescMessage, field: DescField): CsvColumn {
  const cell = chooseCellFormat(field);
  // The number 0 gets a cell, so that a nested message of zeros differs from an absent message.
  const zero = message.name !== "PortRef" && field.scalar !== undefined && cell.isNumber ? "0" : "";
  const setValue: CsvColumn["setValue"] = (value, resource) => {
    const held = (resource[parent.name] ?? {}) as Record<string, JsonValue>;
    held[field.name] = value;
    resource[parent.name] = held;
  };
  return {
    name: `${parent.name}.${field.name}`,
    field,
    write: (resource) => {
      const held = resource[parent.name] as JsonObject | undefined;
      if (held === undefined) return "";
      const value = held[field.name];
      return value === undefined ? zero : cell.format(value);
    },
    parseCell: (text, resource) => setValue(cell.parse(text), resource),
    setValue,
  };
}

interface CellFormat {
  readonly isNumber: boolean;
  readonly format: (value: JsonValue | undefined) => string;
  readonly parse: (text: string) => JsonValue;
}

const JSON_CELL: CellFormat = {
  isNumber: false,
  format: (value) => (value === undefined ? "" : JSON.stringify(value)),
  parse: (text) => JSON.parse(text),
};
const TEXT_CELL: CellFormat = {
  isNumber: false,
  format: (value) => guardCell(value === undefined ? "" : String(value)),
  parse: (text) => (text.startsWith(FORMULA_GUARD) ? text.slice(FORMULA_GUARD.length) : text),
};
/** Numbers stay text: the proto JSON parser converts them, and names the field in the error for other text. */
const NUMBER_CELL: CellFormat = {
  isNumber: true,
  format: (value) => String(value ?? ""),
  parse: (text) => text.trim(),
};
const BOOLEAN_CELL: CellFormat = {
  isNumber: false,
  format: (value) => String(value ?? ""),
  // Spreadsheets write booleans in capitals.
  parse: (text) => (/^(?:true|false)$/i.test(text) ? text.toLowerCase() === "true" : text),
};

/** Values of `ScalarType` in descriptors. */
const BOOL = 8;
const STRING = 9;

function chooseCellFormat({ fieldKind, scalar, message }: DescField): CellFormat {
  if (fieldKind === "list" || fieldKind === "map") return JSON_CELL;
  if (message !== undefined) return message.typeName === "google.protobuf.Timestamp" ? TEXT_CELL : JSON_CELL;
  if (scalar === BOOL) return BOOLEAN_CELL;
  return scalar === undefined || scalar === STRING ? TEXT_CELL : NUMBER_CELL;
}

/** Prefixes a cell with an apostrophe if a spreadsheet would read it as a formula. */
export function guardCell(text: string): string {
  return FORMULA_LIKE.test(text) ? FORMULA_GUARD + text : text;
}

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** Formats column names and rows as CSV. Texts that a spreadsheet would read as formulas get an apostrophe. */
export function formatCsv<Row>(
  columns: readonly (readonly [name: string, cell: (row: Row) => string | number])[],
  rows: readonly Row[],
): string {
  const formatCell = (cell: string | number) => (typeof cell === "number" ? String(cell) : guardCell(cell));
  const records = rows.map((row) => columns.map(([, cell]) => formatCell(cell(row))));
  return [columns.map(([name]) => name), ...records].map(formatCsvRecord).join("");
}

/** Formats a record with its line end, by RFC 4180. */
export function formatCsvRecord(cells: readonly string[]): string {
  const written = cells.map((cell) => (NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${written.join(",")}\r\n`;
}

/** Returns the kind with this name or list name. @throws UsageError for any other word. */
export function requireKind(word: string): ResourceKind {
  const kind = findKind(word);
  if (kind !== undefined) return kind;
  const hint = formatSuggestion(word, IMPORT_KINDS) || null;
  throw new UsageError(`Wrong value "${word}" for "--kind": expected one of ${IMPORT_KINDS.join(", ")}`, hint);
}
