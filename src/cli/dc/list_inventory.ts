import { create } from "@bufbuild/protobuf";
import { MAX_PAGE_SIZE } from "#dc/limits.ts";
import { listInventory } from "#dc/operations/planning/list_inventory.ts";
import type { DcService } from "#dc/service.ts";
import {
  InventoryKind,
  type InventoryRow,
  ListInventoryRequestSchema,
  type ListInventoryResponse,
  ListInventoryResponseSchema,
} from "#gen/datacenter/v1/planning_pb.ts";
import {
  formatColumnFigure,
  formatColumnText,
  getColumnLabel,
  isFigureColumn,
  LIST_KINDS,
  type ListKind,
  listColumnValues,
  parseFigureRange,
} from "#web/console/lists/list_kinds.ts";
import { stripRefKinds } from "#words/names.ts";
import type { ListArgs } from "../commands/dc/list.ts";
import { getOutputWidth, print } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { type Column, renderTable } from "../output/table.ts";
import { measureTextWidth, wrapText } from "../output/wrap_text.ts";
import { formatSuggestion, UsageError } from "../usage_error.ts";
import { convertToEnumName, convertToEnumWords } from "./asked_flags.ts";
import { formatCsvRecord, guardCell } from "./csv_columns.ts";
import type { DatabaseLocation } from "./database.ts";
import { printReplyJson, SYSTEM_CALLER, withService } from "./with_service.ts";

/** Names of the lists, as in the console. */
export const LIST_NAMES: readonly string[] = LIST_KINDS.map(({ page }) => page);

type ListOptions = Omit<ListArgs, "db">;

/** Prints the resources of one kind that match the query and the conditions. */
export async function printInventory(database: DatabaseLocation, call: ListOptions, log: StderrLogger): Promise<void> {
  const list = requireListKind(call.kind);
  const reply = await withService(database, (service) => readInventoryRows(service, list, call));
  if (call.json) return printReplyJson(ListInventoryResponseSchema, reply);
  const columns = selectColumns(call, list, reply.columns);
  if (call.csv) {
    const formatCells = ({ ref, name, texts, figures }: InventoryRow) =>
      [ref, name, ...columns.map((column) => texts[column] ?? String(figures[column] ?? ""))].map(guardCell);
    return print([["ref", "name", ...columns], ...reply.rows.map(formatCells)].map(formatCsvRecord).join(""));
  }
  print(formatRows(reply.rows, columns));
  const { totalCount: total, rows } = reply;
  log.note(rows.length < total ? `${rows.length} of ${total} shown` : `${total} found`);
}

/** Returns the list with the given list name or kind name. @throws UsageError of the command for any other word. */
export function requireListKind(kind: string): ListKind {
  const found = LIST_KINDS.find(
    ({ page, singular }) => page === kind || singular === kind || singular.replaceAll(" ", "-") === kind,
  );
  if (found !== undefined) return found;
  const hint = formatSuggestion(kind, LIST_NAMES);
  const expected = `expected one of ${LIST_NAMES.join(", ")}`;
  throw new UsageError(`Unknown kind "${kind}": ${hint === "" ? expected : `${hint} ${expected}`}`);
}

type RowQuery = Pick<ListOptions, "words" | "where" | "sort" | "limit">;

/** Reads pages of rows up to the limit and returns them as one reply. */
export async function readInventoryRows(
  service: DcService,
  list: ListKind,
  call: RowQuery,
): Promise<ListInventoryResponse> {
  let merged: ListInventoryResponse | undefined;
  for (;;) {
    const skip = merged?.rows.length ?? 0;
    const request = create(ListInventoryRequestSchema, {
      kind: InventoryKind[list.kind as keyof typeof InventoryKind],
      query: call.words.join(" "),
      conditions: call.where.map((text) => parseCondition(list, text)),
      orderBy: call.sort ?? "",
      pageSize: Math.min(MAX_PAGE_SIZE, (call.limit ?? Number.POSITIVE_INFINITY) - skip),
      skip,
    });
    const page = (await service.call(listInventory, request, SYSTEM_CALLER)) as ListInventoryResponse;
    if (merged === undefined) merged = page;
    else merged.rows.push(...page.rows);
    if (page.rows.length === 0 || merged.rows.length >= Math.min(merged.totalCount, call.limit ?? merged.totalCount)) {
      return merged;
    }
  }
}

/** Parses a condition such as `kind=rack-pdu,ups` or `power_pct=80..` to the request's form. */
function parseCondition(list: ListKind, text: string) {
  const at = text.indexOf("=");
  if (at <= 0) {
    throw new UsageError(`Wrong condition "${text}": expected column=value, such as rack=A01 or load_pct=80..`);
  }
  const column = text.slice(0, at);
  const value = text.slice(at + 1);
  const range = parseFigureRange(value);
  if (range !== undefined) return { column, ...range };
  const expected = listColumnValues(list.page, column);
  const values = value.split(",").map((word) => {
    if (word === "" || expected === undefined) return word;
    const name = convertToEnumName(word);
    if (expected.includes(name)) return name;
    const words = convertToEnumWords(expected).join(", ");
    throw new UsageError(`Wrong value "${word}" for "${column}": expected one of ${words}`);
  });
  return { column, values };
}

function selectColumns({ columns }: ListOptions, list: ListKind, known: readonly string[]): readonly string[] {
  const chosen = columns?.split(",").map((column) => column.trim());
  const unknown = chosen?.find((column) => !known.includes(column));
  if (unknown === undefined) return chosen ?? list.columns;
  throw new UsageError(`Unknown column "${unknown}": expected some of ${known.join(", ")}`);
}

/** Formats rows as a table without empty columns. Names the last columns below it if the table is too wide for them. */
export function formatRows(
  rows: readonly InventoryRow[],
  columns: readonly string[],
  width = getOutputWidth(),
): string {
  const filled = columns.filter((column) => rows.some((row) => formatCell(row, column) !== ""));
  for (let shown = filled.length; ; shown -= 1) {
    const table = renderTable(rows, [NAME_COLUMN, ...filled.slice(0, shown).map(createTableColumn)], width);
    const fits = width === undefined || table.split("\n").every((line) => measureTextWidth(line) <= width);
    if (!fits && shown > 1) continue;
    const left = filled.slice(shown);
    return left.length === 0 ? table : `${table}${wrapText(`Left out for lack of room: ${left.join(", ")}`, width)}\n`;
  }
}

const NAME_COLUMN: Column<InventoryRow> = { title: "NAME", text: ({ name }) => name };

function createTableColumn(column: string): Column<InventoryRow> {
  const base = { title: getColumnLabel(column).toUpperCase(), text: (row: InventoryRow) => formatCell(row, column) };
  return isFigureColumn(column) ? { ...base, align: "right" } : { ...base, shrinks: true };
}

/** Formats a cell for people; empty if the value is not recorded. */
export function formatCell({ texts, figures }: InventoryRow, column: string): string {
  const figure = figures[column];
  if (figure !== undefined) return formatColumnFigure(column, figure);
  return stripRefKinds(formatColumnText(column, texts[column] ?? ""));
}
