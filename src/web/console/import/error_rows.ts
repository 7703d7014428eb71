import { capitalize, getKindNoun } from "#words/names.ts";
import { getFieldLabel } from "../edit/field_labels.ts";
import type { CsvTable } from "./csv.ts";
import type { ImportItem, ParsedFile } from "./parse_items.ts";
import { findFieldColumn, getTopField } from "./problems.ts";
import type { ImportRun } from "./use_run.ts";

/** A cell of a refused row; a field of an item if there is no table. */
export interface ErrorCell {
  readonly text: string;
  /** Errors of this cell; empty if only other cells of the row have errors. */
  readonly messages: readonly string[];
}

export interface ErrorRow {
  readonly line: number;
  /** Kind and name of the item; "" if it could not be parsed. */
  readonly itemName: string;
  readonly item: ImportItem | undefined;
  readonly cells: ReadonlyMap<string, ErrorCell>;
  /** Errors that belong to no cell. */
  readonly rowMessages: readonly string[];
}

export interface ErrorTable {
  /** Columns with errors. The key is the position in the table or the field's name; the name is the one in the file. */
  readonly columns: readonly (readonly [key: string, name: string])[];
  readonly rows: readonly ErrorRow[];
}

/** Returns the rows of a file that have errors, with each message at its cell. */
export function createErrorTable(
  { parsed, failed }: Pick<ImportRun, "parsed" | "failed">,
  table: CsvTable | undefined,
): ErrorTable {
  const columns = new Map<string, string>();
  for (const { problems } of failed)
    for (const { field } of problems) {
      const [key, name] = findErrorColumn(parsed, field, table);
      if (key !== "") columns.set(key, name);
    }
  const cellsByLine = new Map(table?.rows.map(({ line, cells }) => [line, cells]));
  const getText = (item: ImportItem, key: string) =>
    table === undefined ? formatCellText(item.resource[key]) : (cellsByLine.get(item.line)?.[Number(key)] ?? "");
  const rows = failed.map(({ item, problems }): ErrorRow => {
    const at = Map.groupBy(problems, ({ field }) => findErrorColumn(parsed, field, table)[0]);
    const createCell = (key: string): ErrorCell => ({
      text: getText(item, key),
      messages: (at.get(key) ?? []).map(({ message }) => message),
    });
    return {
      line: item.line,
      itemName: `${capitalize(getKindNoun(item.kind))} ${formatItemName(item)}`,
      item,
      cells: new Map([...columns.keys()].map((key) => [key, createCell(key)])),
      rowMessages: (at.get("") ?? []).map(({ field, message }) => (field === "" ? message : `${field}: ${message}`)),
    };
  });
  const unreadableRows = parsed.unreadable.map(({ line, message }) => {
    return { line, itemName: "", item: undefined, cells: new Map(), rowMessages: [message] };
  });
  const compareColumns = ([one]: readonly [string, string], [other]: readonly [string, string]) =>
    Number(one) - Number(other);
  return {
    columns: table === undefined ? [...columns] : [...columns].sort(compareColumns),
    rows: [...unreadableRows, ...rows].sort((one, other) => one.line - other.line),
  };
}

/** Returns the key and the name of a field's column; "" for none. */
function findErrorColumn(
  parsed: ParsedFile,
  field: string,
  table: CsvTable | undefined,
): readonly [key: string, name: string] {
  if (table === undefined) return [getTopField(field), getFieldLabel({ name: getTopField(field), type: "text" })];
  const found = findFieldColumn(parsed, field);
  return found === undefined ? ["", ""] : [String(found.at), found.header];
}

function formatCellText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function formatItemName({ resource: { code, a, b } }: ImportItem): string {
  if (typeof code === "string") return code;
  return [a, b].map((end) => Object.values((end as object | undefined) ?? {}).join(" ")).join(" – ");
}

/** Formats the errors as CSV, one line per error. */
export function formatErrorsAsCsv({ columns, rows }: ErrorTable): string {
  const names = new Map(columns);
  const quoteCell = (text: string | number) => `"${String(text).replaceAll('"', '""')}"`;
  const lines = rows.flatMap(({ line, itemName, cells, rowMessages }) => [
    ...[...cells].flatMap(([key, { messages }]) =>
      messages.map((message) => [line, itemName, names.get(key) ?? "", message]),
    ),
    ...rowMessages.map((message) => [line, itemName, "", message]),
  ]);
  return ["line,item,column,why", ...lines.map((cells) => cells.map(quoteCell).join(","))].join("\r\n");
}
