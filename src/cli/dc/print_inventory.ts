import { create } from "@bufbuild/protobuf";
import { MAX_PAGE_SIZE } from "#dc/limits.ts";
import { parseRef, REF_GRAMMAR, type Ref } from "#dc/model/ref.ts";
import { listInventory } from "#dc/operations/planning/list_inventory.ts";
import type { DcService } from "#dc/service.ts";
import {
  InventoryKind,
  type InventoryRow,
  ListInventoryRequestSchema,
  type ListInventoryResponse,
  ListInventoryResponseSchema,
} from "#gen/datacenter/v1/planning_pb.ts";
import { OperationError } from "#kernel/errors.ts";
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
import { capitalize, getKindNoun, getRefName, stripRefKinds } from "#words/names.ts";
import type { ListArgs } from "../commands/dc/list.ts";
import { getOutputWidth, paint, print, printJson, sanitizeLine } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { type Column, renderTable } from "../output/table.ts";
import { measureTextWidth, wrapText, wrapWords } from "../output/wrap_text.ts";
import { formatSuggestion, UsageError } from "../usage_error.ts";
import { convertToEnumName, convertToEnumWords } from "./asked_flags.ts";
import { formatCsvRecord, guardCell } from "./csv_columns.ts";
import type { DatabaseLocation } from "./database.ts";
import { resolveRef } from "./resolve_ref.ts";
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

/** Prints one resource and its contents. */
export async function printResource(
  database: DatabaseLocation,
  { ref: text, code, json }: { readonly ref: string; readonly code: string | undefined; readonly json: boolean },
): Promise<void> {
  const kinds = code === undefined ? [] : [requireListKind(text).kind as keyof typeof InventoryKind];
  await withService(database, async (service) => {
    const ref = await resolveRef(service, code ?? text, kinds);
    const { row, columns } = await readInventoryRow(service, ref);
    const contents = await readContents(service, row);
    if (json) {
      const convertRowToJson = ({ ref, name, texts, figures }: InventoryRow) => ({ ref, name, ...texts, ...figures });
      return printJson({
        ...convertRowToJson(row),
        ...(contents && { [contents.list.page]: contents.rows.map(convertRowToJson) }),
      });
    }
    print(formatFacts(row, columns));
    if (contents !== undefined && contents.rows.length > 0) {
      print(`\n${paint(contents.list.title, "bold")}\n${formatRows(contents.rows, contents.columns)}`);
    }
  });
}

/** Returns the list with the given list name or kind name. @throws UsageError of the command for any other word. */
function requireListKind(kind: string): ListKind {
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
function formatCell({ texts, figures }: InventoryRow, column: string): string {
  const figure = figures[column];
  if (figure !== undefined) return formatColumnFigure(column, figure);
  return stripRefKinds(formatColumnText(column, texts[column] ?? ""));
}

/** Kinds of references to resources that have a list. */
const SHOWN_KINDS: readonly Ref["kind"][] = [
  ...(["site", "floor", "room", "row", "rack", "device", "port"] as const),
  ...(["cable", "crac", "feed", "fabric", "fabric_link", "device_type"] as const),
];

async function readInventoryRow(service: DcService, text: string) {
  const ref = parseRef(text);
  const kind = ref?.kind === "feed" ? "SUPPLY" : ref?.kind.toUpperCase();
  const list = LIST_KINDS.find((one) => one.kind === kind);
  if (list === undefined) {
    const expected = SHOWN_KINDS.map((one) => REF_GRAMMAR[one]);
    throw new OperationError("invalid_argument", `Cannot show "${text}": expected ${expected.join(", ")}, or a code`);
  }
  const words = getRefName(text).split(/[/~]/);
  const { rows, columns } = await readInventoryRows(service, list, {
    words,
    where: [],
    sort: undefined,
    limit: undefined,
  });
  const row = rows.find((one) => one.ref.toLowerCase() === text.toLowerCase());
  if (row === undefined) throw new OperationError("not_found", `Cannot find ${list.singular} "${text}"`);
  return { row, columns };
}

interface ResourceContents {
  readonly list: ListKind;
  readonly columns: readonly string[];
  readonly rows: readonly InventoryRow[];
}

/** Lists of a resource's contents by the resource's kind, each with the condition that selects the contents. */
const CONTENTS_BY_KIND: Readonly<
  Record<string, readonly [kind: string, where: (row: InventoryRow) => readonly string[]]>
> = {
  rack: ["DEVICE", ({ name }) => [`rack=${name}`]],
  device: ["PORT", ({ name }) => [`device=${name}`]],
  feed: ["DEVICE", ({ ref }) => [`fed_by=${ref}`]],
  fabric: ["FABRIC_LINK", ({ name }) => [`fabric=${name}`]],
  site: ["ROOM", ({ name }) => [`site=${name}`]],
  room: ["RACK", createLocationConditions],
  row: ["RACK", createLocationConditions],
};

/** Converts a location such as `room:AMS1/1/DH1` to conditions on the location columns of racks. */
function createLocationConditions({ ref }: InventoryRow): readonly string[] {
  const [kind = "", id = ""] = ref.split(":");
  const [site, floor, name] = id.split("/");
  return [`site=${site}`, `floor=${floor}`, `${kind}=${name}`];
}

async function readContents(service: DcService, row: InventoryRow): Promise<ResourceContents | undefined> {
  const [kind, where] = CONTENTS_BY_KIND[row.ref.slice(0, row.ref.indexOf(":"))] ?? [];
  const list = LIST_KINDS.find((one) => one.kind === kind);
  if (list === undefined || where === undefined) return undefined;
  const sort = list.kind === "DEVICE" && row.ref.startsWith("rack:") ? "position_u desc" : undefined;
  const { rows } = await readInventoryRows(service, list, { words: [], where: where(row), sort, limit: undefined });
  // Location columns are omitted, because every row is located in the resource itself.
  const columns = list.columns.filter(
    (column) => !["rack", "device", "fabric", "site", "room", "row"].includes(column),
  );
  return { list, columns, rows };
}

/** Formats kind and name, then one line per recorded value. */
export function formatFacts(row: InventoryRow, columns: readonly string[], width = getOutputWidth()): string {
  const facts = columns.flatMap((column) => {
    const text = formatCell(row, column);
    return text === "" ? [] : [[getColumnLabel(column), sanitizeLine(text)] as const];
  });
  const names = facts.reduce((most, [name]) => Math.max(most, measureTextWidth(name)), 0);
  const room = (width ?? Number.POSITIVE_INFINITY) - names - 2;
  const lines = facts.flatMap(([name, text]) =>
    wrapWords(text, room).map((line, at) => `${paint((at === 0 ? name : "").padEnd(names), "dim")}  ${line}`),
  );
  const kind = row.ref.slice(0, row.ref.indexOf(":"));
  return `${[paint(sanitizeLine(`${capitalize(getKindNoun(kind))} ${getRefName(row.ref)}`), "bold"), ...lines].join("\n")}\n`;
}
