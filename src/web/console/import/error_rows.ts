import { capitalize, nameKind } from "#words/names.ts";
import { labelOf } from "../edit/field_labels.ts";
import type { CsvTable } from "./csv.ts";
import type { FieldProblem, Item, Parsed } from "./parse_items.ts";
import { columnOf, topOf } from "./problems.ts";
import type { Run } from "./use_run.ts";

/** A cell of a row that was refused; a field of an item if there is no table. */
export interface ErrorCell {
  readonly text: string;
  /** What is wrong with it; none where another cell is. */
  readonly messages: readonly string[];
}

export interface ErrorRow {
  readonly line: number;
  /** Kind and name of the item; "" for what could not be read. */
  readonly what: string;
  readonly item: Item | undefined;
  readonly cells: ReadonlyMap<string, ErrorCell>;
  /** What is wrong with no cell. */
  readonly others: readonly string[];
}

export interface ErrorTable {
  /** Those in which something is wrong: place in the table, or name of the field, and what the file calls it. */
  readonly columns: readonly (readonly [key: string, name: string])[];
  readonly rows: readonly ErrorRow[];
}

/** The rows of a file that have errors, each message at its cell. */
export function errorTable(
  { parsed, failed }: Pick<Run, "parsed" | "failed">,
  table: CsvTable | undefined,
): ErrorTable {
  const columns = new Map<string, string>();
  for (const { problems } of failed)
    for (const { field } of problems) {
      const [key, name] = keyOf(parsed, field, table);
      if (key !== "") columns.set(key, name);
    }
  const cellsOf = new Map(table?.rows.map(({ line, cells }) => [line, cells]));
  const textAt = (item: Item, key: string) =>
    table === undefined ? asText(item.resource[key]) : (cellsOf.get(item.line)?.[Number(key)] ?? "");
  const rows = failed.map(({ item, problems }): ErrorRow => {
    const at = Map.groupBy(problems, ({ field }) => keyOf(parsed, field, table)[0]);
    const cell = (key: string): ErrorCell => ({
      text: textAt(item, key),
      messages: (at.get(key) ?? []).map(messageOf),
    });
    return {
      line: item.line,
      what: `${capitalize(nameKind(item.kind))} ${itemName(item)}`,
      item,
      cells: new Map([...columns.keys()].map((key) => [key, cell(key)])),
      others: (at.get("") ?? []).map(({ field, message }) => (field === "" ? message : `${field}: ${message}`)),
    };
  });
  const unread = parsed.unreadable.map(({ line, message }) => {
    return { line, what: "", item: undefined, cells: new Map(), others: [message] };
  });
  const order = ([one]: readonly [string, string], [other]: readonly [string, string]) => Number(one) - Number(other);
  return {
    columns: table === undefined ? [...columns] : [...columns].sort(order),
    rows: [...unread, ...rows].sort((one, other) => one.line - other.line),
  };
}

/** The column of a field; "" for none. */
function keyOf(parsed: Parsed, field: string, table: CsvTable | undefined): readonly [key: string, name: string] {
  if (table === undefined) return [topOf(field), labelOf({ name: topOf(field), type: "text" })];
  const found = columnOf(parsed, field);
  return found === undefined ? ["", ""] : [String(found.at), found.header];
}

function messageOf({ message }: FieldProblem): string {
  return message;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function itemName({ resource: { code, a, b } }: Item): string {
  if (typeof code === "string") return code;
  return [a, b].map((end) => Object.values((end as object | undefined) ?? {}).join(" ")).join(" – ");
}

/** The errors as CSV, one line for each. */
export function errorsAsCsv({ columns, rows }: ErrorTable): string {
  const names = new Map(columns);
  const quoted = (text: string | number) => `"${String(text).replaceAll('"', '""')}"`;
  const lines = rows.flatMap(({ line, what, cells, others }) => [
    ...[...cells].flatMap(([key, { messages }]) =>
      messages.map((message) => [line, what, names.get(key) ?? "", message]),
    ),
    ...others.map((message) => [line, what, "", message]),
  ]);
  return ["line,item,column,why", ...lines.map((cells) => cells.map(quoted).join(","))].join("\r\n");
}
