import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { refuse } from "#dc/model/refusal.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import { shortenText } from "#kernel/errors.ts";
import { isJsonObject, tryParseJson } from "#kernel/json_object.ts";
import { cleanCell, isBlankRecord } from "#words/spreadsheet.ts";
import type { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { createUnreadableRefusal, readJsonValue, UnreadableJson } from "../messages/json_place.ts";
import { convertPlainJson } from "../messages/model_json.ts";
import { detailRegistry } from "../messages/status.ts";
import { RESOURCE_SCHEMAS } from "../writes/changes.ts";
import {
  type BadLine,
  findKind,
  type ImportSource,
  KINDS,
  parseResourceJson,
  type ResourceJson,
  type ResourceLine,
} from "./run_import.ts";
import {
  assertIsUtf8,
  type CellTarget,
  FILE_NAME,
  findCellTarget,
  readCell,
  type Sheet,
  type SheetRow,
  setDefaultFace,
} from "./sheet.ts";
import type { FieldProblem } from "./wire.ts";

type ResourceFields = Record<string, JsonValue>;

/** A resource of a file. */
export interface FileRow {
  readonly kind: ResourceKind;
  /** Line in the file; position in its list for a JSON object of lists. */
  readonly line: number;
  readonly resource: JsonValue;
  /** Problems of cells that cannot be read. The resource is then incomplete, and not written. */
  readonly problems: readonly FieldProblem[];
  /** The row's place in a sheet. */
  readonly place?: Omit<SheetRow, "line">;
}

/** The resources of a file, and the lines that contain none. */
export interface FileRows {
  readonly rows: readonly FileRow[];
  readonly unreadable: readonly BadLine[];
}

/** What the columns of a sheet mean. */
export interface SheetMapping {
  readonly kind: ResourceKind;
  /** Path of the field that each column fills; "" for none. */
  readonly columns: readonly string[];
  /** Texts by the path of a field that no column fills, for all rows. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Decimal sign; without it figures that could be read in two ways are refused. */
  readonly decimal: "." | "," | undefined;
}

/** Converts the rows of a sheet to resources. @throws Refusal for a path that is no field and for a wrong default */
export async function readSheetRows(
  { headings, rows }: Sheet,
  mapping: SheetMapping,
  scheduler: CooperativeScheduler,
): Promise<FileRows> {
  const { kind, columns, defaults, decimal } = mapping;
  const given = Object.entries(defaults).filter(([path, text]) => text !== "" && !columns.includes(path));
  const reader = new RowReader([...columns, ...given.map(([path]) => path)], headings, mapping);
  for (const [path, text] of given) {
    const [problem] = new RowReader([path], [], { kind, decimal }).readRow([text]).problems;
    if (problem !== undefined) throw createParameterRefusal(`default.${path}`, text, problem.message);
  }
  const read: FileRow[] = [];
  for (const { line, cells, from, to } of rows) {
    await scheduler.yieldIfDue();
    const all = [...columns.map((_, at) => cells[at] ?? ""), ...given.map(([, text]) => text)];
    const { resource, problems } = reader.readRow(all);
    if (!isBlankRecord(cells.slice(headings.length)))
      problems.push({ field: "", message: `${cells.length} cells, but ${headings.length} columns` });
    read.push({ kind, line, resource, problems, place: { cells, from, to } });
  }
  return { rows: read, unreadable: [] };
}

function createParameterRefusal(field: string, value: string, why: string) {
  return refuse("FIELD_OUT_OF_RANGE", `Cannot take "${field}": ${why}`, { field, value });
}

/** Reads the cells of rows as the fields that its columns fill. */
class RowReader {
  readonly #columns: readonly { readonly path: string; readonly heading: string; readonly target: CellTarget }[];
  readonly #decimal: SheetMapping["decimal"];
  readonly #kind: ResourceKind;
  readonly #paths: readonly string[];
  readonly #hasHeight: boolean;

  constructor(
    paths: readonly string[],
    headings: readonly string[],
    { kind, decimal }: Pick<SheetMapping, "kind" | "decimal">,
  ) {
    this.#columns = paths.map((path, at) => {
      const target = path === "" ? { steps: [], field: undefined } : findCellTarget(kind, path);
      if (target === undefined)
        throw createParameterRefusal("column", path, `"${shortenText(path)}" is no field of a ${kind}`);
      return { path, heading: headings[at] ?? "", target };
    });
    this.#decimal = decimal;
    this.#kind = kind;
    this.#paths = paths;
    this.#hasHeight = findCellTarget(kind, "u_height") !== undefined;
  }

  readRow(cells: readonly string[]): { readonly resource: ResourceFields; readonly problems: FieldProblem[] } {
    const resource: ResourceFields = {};
    const problems: FieldProblem[] = [];
    const filled = new Map<string, string>();
    let height: number | undefined;
    for (const [index, { path, heading, target }] of this.#columns.entries()) {
      const text = cleanCell(cells[index] ?? "");
      if (path === "" || text === "") continue;
      const other = filled.get(path);
      if (other !== undefined && other !== text) {
        const message = `Two columns fill this field, with "${shortenText(other)}" and "${shortenText(text)}"`;
        problems.push({ field: path, message });
        continue;
      }
      filled.set(path, text);
      try {
        const read = readCell(target, text, { heading, decimal: this.#decimal });
        height ??= read.height;
        setValueAt(resource, target.steps, read.value);
      } catch (error) {
        const message = (error as Error).message.replaceAll(text, () => shortenText(text));
        problems.push({ field: path, message });
      }
    }
    this.#complete(resource, height, problems);
    return { resource, problems };
  }

  /** Sets the height that a range of units says, and the face of a placed device without one. */
  #complete(resource: ResourceFields, height: number | undefined, problems: FieldProblem[]): void {
    setDefaultFace(this.#kind, this.#paths, resource);
    if (height === undefined || !this.#hasHeight) return;
    resource["u_height"] ??= height;
    if (resource["u_height"] !== height) problems.push({ field: "u_height", message: `The unit takes ${height} U` });
  }
}

function setValueAt(resource: ResourceFields, [name = "", inner]: readonly string[], value: JsonValue): void {
  if (inner === undefined) resource[name] = value;
  else resource[name] = { ...(resource[name] as ResourceFields | undefined), [inner]: value };
}

/**
 * Reads JSON Lines, `{"rack": {…}}` on each line, or one JSON object of lists, `{"racks": […], "devices": […]}`.
 * @throws Refusal MALFORMED_MESSAGE for bytes that are not UTF-8
 */
export async function readJsonRows(bytes: Buffer, scheduler: CooperativeScheduler): Promise<FileRows> {
  assertIsUtf8(bytes);
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const whole = tryParseJson(text);
  const isLists =
    isJsonObject<JsonValue>(whole) && Object.keys(whole).some((key) => KINDS.some(({ list }) => list === key));
  const rows: FileRow[] = [];
  const unreadable: BadLine[] = [];
  for (const item of isLists ? listItems(whole) : lineItems(text)) {
    await scheduler.yieldIfDue();
    if ("reason" in item) unreadable.push(item);
    else rows.push(createJsonRow(item));
  }
  return { rows, unreadable };
}

interface JsonItem extends ResourceJson {
  readonly line: number;
}

function* lineItems(text: string): Generator<JsonItem | BadLine> {
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    try {
      yield { ...parseResourceJson(line), line: index + 1 };
    } catch (error) {
      const isJson = !(error instanceof SyntaxError);
      yield createBadLine(index + 1, isJson ? (error as Error).message : "This is no JSON object");
    }
  }
}

function* listItems(whole: Readonly<Record<string, JsonValue>>): Generator<JsonItem | BadLine> {
  for (const [key, list] of Object.entries(whole)) {
    const kind = findKind(key);
    if (kind !== undefined && Array.isArray(list)) yield* list.map((json, index) => ({ kind, line: index + 1, json }));
    else yield createBadLine(1, `"${key}" is no list of ${KINDS.map((one) => one.list).join(", ")}`);
  }
}

/** Creates a row of JSON in any spelling that requests take, such as SERVER for DEVICE_KIND_SERVER. */
function createJsonRow({ kind, line, json }: JsonItem): FileRow {
  const schema = RESOURCE_SCHEMAS[kind];
  if (convertPlainJson(schema, json) !== undefined) return { kind, line, resource: json, problems: [] };
  try {
    const message = readJsonValue(schema, json);
    const resource = toJson(schema, message, { useProtoFieldName: true, registry: detailRegistry });
    return { kind, line, resource, problems: [] };
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    const problem = { field: error.path, message: createUnreadableRefusal(error).message };
    return { kind, line, resource: json, problems: [problem] };
  }
}

function createBadLine(number: number, reason: string): BadLine {
  return { file: FILE_NAME, number, item: "", reason };
}

/** Opens the rows of a file for an import. A resource that the file contains twice is refused after the first time. */
export function openFileRows({ rows, unreadable }: FileRows): ImportSource {
  const byKind = Map.groupBy(rows, ({ kind }) => kind);
  return {
    counts: new Map([...byKind].map(([kind, list]) => [kind, list.length])),
    readBadLines: () => unreadable,
    *readLines(kind): Generator<ResourceLine | BadLine> {
      const firstLines = new Map<string, number>();
      for (const row of byKind.get(kind) ?? []) {
        const repeated = findRepetition(row, firstLines);
        const problems = [...row.problems, ...(repeated === undefined ? [] : [repeated])];
        const line = { file: FILE_NAME, number: row.line, item: { kind, json: row.resource } };
        const [first] = problems;
        yield first === undefined ? line : { ...line, reason: first.message, problems };
      }
    },
    close: () => {},
  };
}

/** Returns the problem of a row whose resource an earlier row contains. Notes the row otherwise. */
function findRepetition({ line, resource }: FileRow, firstLines: Map<string, number>): FieldProblem | undefined {
  const { code, a, b } = (isJsonObject(resource) ? resource : {}) as {
    readonly [name in "code" | "a" | "b"]?: unknown;
  };
  if (typeof code !== "string" && (a === undefined || b === undefined)) return undefined;
  const ends = [a, b].map((end) => JSON.stringify(end)).toSorted();
  const key = (typeof code === "string" ? code : ends.join("~")).toLowerCase();
  const first = firstLines.getOrInsert(key, line);
  if (first === line) return undefined;
  return { field: typeof code === "string" ? "code" : "a", message: `Line ${first} has it already` };
}
