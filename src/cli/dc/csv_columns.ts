import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ResourceKind } from "#dc/model/resources.ts";
import { SCHEMAS } from "#dc/operations/writes/changes.ts";

export interface CsvColumn {
  /** Field name, or a path such as `location.room` for a field of a nested message. */
  readonly name: string;
  /** Formats the field's value as a cell; empty if the field is absent. */
  readonly write: (resource: JsonObject) => string;
  /** Parses a cell that is not empty, and sets the field of the resource. @throws Error for invalid JSON */
  readonly read: (cell: string, resource: Record<string, JsonValue>) => void;
}

/** Messages with one column per field, so that people can sort by them. Other messages are JSON in one cell. */
const FLAT = ["Location", "Placement", "PortRef"];
/** Fields that the service computes and that an import must not set. */
const COMPUTED = ["etag", "create_time", "update_time", "health", "health_reasons"];
const COMPUTED_OF_LINKS = ["utilization_pct", "congested", "physical"];
/** Matches cells that a spreadsheet would read as formulas, and cells that begin with the guard character. */
const RISKY = /^[=+\-@\t\r']/;
const GUARD = "'";

const columns = new Map<ResourceKind, readonly CsvColumn[]>();

/** Returns the columns of a kind in the order of the proto's fields, without computed fields. */
export function listColumns(kind: ResourceKind): readonly CsvColumn[] {
  const known = columns.get(kind);
  if (known !== undefined) return known;
  const left = kind === "fabric_link" ? [...COMPUTED, ...COMPUTED_OF_LINKS] : COMPUTED;
  const made = SCHEMAS[kind].fields.filter(({ name }) => !left.includes(name)).flatMap(createColumns);
  columns.set(kind, made);
  return made;
}

function createColumns(field: DescField): readonly CsvColumn[] {
  const { message } = field;
  if (field.fieldKind === "message" && message !== undefined && FLAT.includes(message.name)) {
    return message.fields.map((inner) => createFlatColumn(field, message, inner));
  }
  const cell = chooseCellFormat(field);
  return [
    {
      name: field.name,
      write: (resource) => cell.write(resource[field.name]),
      read: (text, resource) => {
        resource[field.name] = cell.read(text);
      },
    },
  ];
}

function createFlatColumn(part: DescField, message: DescMessage, field: DescField): CsvColumn {
  const cell = chooseCellFormat(field);
  // The number 0 gets a cell, so that a nested message of zeros differs from an absent message.
  const zero = message.name !== "PortRef" && field.scalar !== undefined && cell.isNumber ? "0" : "";
  return {
    name: `${part.name}.${field.name}`,
    write: (resource) => {
      const held = resource[part.name] as JsonObject | undefined;
      if (held === undefined) return "";
      const value = held[field.name];
      return value === undefined ? zero : cell.write(value);
    },
    read: (text, resource) => {
      const held = (resource[part.name] ?? {}) as Record<string, JsonValue>;
      held[field.name] = cell.read(text);
      resource[part.name] = held;
    },
  };
}

interface Cell {
  readonly isNumber: boolean;
  readonly write: (value: JsonValue | undefined) => string;
  readonly read: (text: string) => JsonValue;
}

const JSON_CELL: Cell = {
  isNumber: false,
  write: (value) => (value === undefined ? "" : JSON.stringify(value)),
  read: (text) => JSON.parse(text),
};
const TEXT_CELL: Cell = {
  isNumber: false,
  write: (value) => guardCell(value === undefined ? "" : String(value)),
  read: (text) => unguardCell(text),
};
/** Numbers stay text: the proto JSON parser converts them, and names the field in the error for other text. */
const NUMBER_CELL: Cell = { isNumber: true, write: (value) => String(value ?? ""), read: (text) => text.trim() };
const BOOLEAN_CELL: Cell = {
  isNumber: false,
  write: (value) => String(value ?? ""),
  // Spreadsheets write booleans in capitals.
  read: (text) => (/^(?:true|false)$/i.test(text) ? text.toLowerCase() === "true" : text),
};

/** Values of `ScalarType` in descriptors. */
const BOOL = 8;
const STRING = 9;

function chooseCellFormat({ fieldKind, scalar, message }: DescField): Cell {
  if (fieldKind === "list" || fieldKind === "map") return JSON_CELL;
  if (message !== undefined) return message.typeName === "google.protobuf.Timestamp" ? TEXT_CELL : JSON_CELL;
  if (scalar === BOOL) return BOOLEAN_CELL;
  return scalar === undefined || scalar === STRING ? TEXT_CELL : NUMBER_CELL;
}

/** Prefixes a cell with an apostrophe if a spreadsheet would read it as a formula. */
export function guardCell(text: string): string {
  return RISKY.test(text) ? GUARD + text : text;
}

function unguardCell(text: string): string {
  return text.startsWith(GUARD) ? text.slice(GUARD.length) : text;
}

const QUOTED = /[",\r\n]|^\s|\s$/;

/** Formats column names and rows as CSV. Texts that a spreadsheet would read as formulas get an apostrophe. */
export function formatCsv<Row>(
  columns: readonly (readonly [name: string, cell: (row: Row) => string | number])[],
  rows: readonly Row[],
): string {
  const textOf = (cell: string | number) => (typeof cell === "number" ? String(cell) : guardCell(cell));
  const records = rows.map((row) => columns.map(([, cell]) => textOf(cell(row))));
  return [columns.map(([name]) => name), ...records].map(formatCsvRecord).join("");
}

/** Formats a record with its line end, by RFC 4180. */
export function formatCsvRecord(cells: readonly string[]): string {
  const written = cells.map((cell) => (QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${written.join(",")}\r\n`;
}
