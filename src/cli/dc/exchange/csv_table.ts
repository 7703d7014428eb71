import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { assignCodes, describeResource } from "#dc/exchange/codes.ts";
import { type MappedSource, OmissionLog, type SourceItem } from "#dc/exchange/items.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { findKind } from "#dc/operations/import/run_import.ts";
import { readFigureOrWord, setDefaultFace } from "#dc/operations/import/sheet.ts";
import { convertPlainJson } from "#dc/operations/messages/model_json.ts";
import { RESOURCE_SCHEMAS } from "#dc/operations/writes/changes.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { findNearest } from "#kernel/nearest.ts";
import { getUnitOfField } from "#words/names.ts";
import { COLUMN_FIELDS, cleanCell, guessFieldOfHeading, isBlankRecord, normalizeBlanks } from "#words/spreadsheet.ts";
import { isInteractive } from "../../output/print.ts";
import { writeFile } from "../../output/write_file.ts";
import { UsageError } from "../../usage_error.ts";
import { type CsvColumn, findCsvColumn, listCsvColumns } from "../csv_columns.ts";
import { detectByteOrderMark, type Encoding, readFirstBytes } from "../import/encoding.ts";
import { openTextFile, readCsvFile, type TextFile } from "../import/text_file.ts";
import { NOT_UTF8_REMARK } from "./json_elements.ts";
import type { SourceWatcher } from "./netbox_files.ts";
import type { KnownResources } from "./run_sync.ts";
import { createFieldError, readYamlFile } from "./yaml_files.ts";

export interface CsvTableOptions {
  readonly file: string;
  readonly mapping: string | undefined;
  /** Encoding of a file without a byte order mark. */
  readonly encoding: Encoding | undefined;
  readonly origin: string;
  readonly cwd: string;
}

/** Reads a spreadsheet by a mapping of columns. @throws OperationError or UsageError if it cannot be read. */
export async function readCsvTable(
  known: KnownResources,
  { file, mapping, encoding, origin, cwd }: CsvTableOptions,
  watcher: SourceWatcher,
): Promise<MappedSource> {
  const path = resolve(cwd, file);
  if (!existsSync(path)) throw new OperationError("not_found", `There is no file "${file}"`);
  const sheet = openSheet(path, file, encoding);
  try {
    const table = new CsvTable(await chooseMapping(sheet, mapping, cwd), file, watcher);
    for await (const { record, line } of readCsvFile(sheet.path, file)) {
      table.addRecord(record, line);
      if (record.some((cell) => cell.includes("\ufffd")))
        watcher.reportUnreadable({ file, number: line, reason: NOT_UTF8_REMARK });
    }
    return table.mapRows(known, origin);
  } finally {
    sheet.close();
  }
}

/** Opens a file and converts other encodings to UTF-8. Does not check UTF-8, because invalid bytes are found by row. */
function openSheet(path: string, shown: string, encoding: Encoding | undefined): TextFile {
  const isUtf8 = (detectByteOrderMark(readFirstBytes(path, 3)) ?? encoding ?? "utf-8") === "utf-8";
  return isUtf8 ? { path, displayName: shown, close: () => {} } : openTextFile(path, shown, encoding);
}

async function chooseMapping(
  { path, displayName }: TextFile,
  given: string | undefined,
  cwd: string,
): Promise<CsvMapping> {
  if (given !== undefined && existsSync(resolve(cwd, given))) return readCsvMapping(resolve(cwd, given), given);
  let headers: readonly string[] = [];
  for await (const { record } of readCsvFile(path, displayName)) {
    headers = record.map(normalizeBlanks);
    break;
  }
  if (given === undefined || !isInteractive()) throw createMappingError(given, headers);
  const text = await askCsvMapping("device", headers);
  if (text === undefined) throw new OperationError("aborted", "No mapping was made: nothing was imported");
  writeFile(resolve(cwd, given), text);
  return readCsvMapping(resolve(cwd, given), given);
}

function requireHeaders(record: readonly string[], { key, columns }: CsvMapping, file: string): readonly string[] {
  const headers = record.map(normalizeBlanks);
  const createHeaderError = (what: string, expected: string) =>
    new OperationError("invalid_argument", `${what} in "${file}": expected ${expected}`);
  for (const name of [...key, ...Object.keys(columns)]) {
    const count = headers.filter((one) => one === normalizeBlanks(name)).length;
    if (count === 0) throw createHeaderError(`There is no column "${name}"`, headers.join(", "));
    if (count > 1) throw createHeaderError(`Column "${name}" is ${count} times`, "it once");
  }
  return headers;
}

interface TableRow {
  readonly key: string;
  readonly line: number;
  readonly json: Record<string, JsonValue>;
}

class CsvTable {
  readonly #mapping: CsvMapping;
  readonly #file: string;
  readonly #watcher: SourceWatcher;
  readonly #cells: CellReader;
  readonly #rows = new Map<string, TableRow>();
  /** Lines of all keys, those of rows that cannot be read too. */
  readonly #linesByKey = new Map<string, number>();
  readonly #omissions = new OmissionLog();
  #headers: readonly string[] | undefined;

  constructor(mapping: CsvMapping, file: string, watcher: SourceWatcher) {
    this.#mapping = mapping;
    this.#cells = new CellReader(mapping);
    this.#file = file;
    this.#watcher = watcher;
  }

  /** Adds a record; the first one contains the headers. */
  addRecord(record: readonly string[], line: number): void {
    if (this.#headers === undefined) {
      this.#headers = requireHeaders(record, this.#mapping, this.#file);
      this.#noteUnreadColumns(this.#headers);
    } else this.#addRow(this.#headers, record, line);
  }

  #addRow(headers: readonly string[], record: readonly string[], line: number): void {
    const cells = new Map(headers.map((header, index) => [header, cleanCell(record[index] ?? "")]));
    const parts = this.#mapping.key.map((column) => cells.get(normalizeBlanks(column)) ?? "");
    const key = parts.join("/");
    const empty = this.#mapping.key[parts.indexOf("")];
    const earlierLine = this.#linesByKey.get(key);
    if (!isBlankRecord(record.slice(headers.length)))
      this.#reportUnreadable(line, `expected ${headers.length} cells, found ${record.length}`, key);
    else if (empty !== undefined) this.#reportUnreadable(line, `the column "${empty}" is empty`);
    else if (earlierLine !== undefined) this.#reportUnreadable(line, `"${key}" is in line ${earlierLine} already`, key);
    else {
      this.#linesByKey.set(key, line);
      try {
        this.#rows.set(key, { key, line, json: this.#cells.readRow(cells) });
      } catch (error) {
        this.#reportUnreadable(line, (error as Error).message, key);
      }
    }
  }

  #noteUnreadColumns(headers: readonly string[]): void {
    const { kind, key, columns } = this.#mapping;
    const known = [...key, ...Object.keys(columns)].map(normalizeBlanks);
    for (const header of headers) {
      if (header === "" || known.includes(header)) continue;
      const near = findNearField(kind, header);
      this.#omissions.addObject(
        "A column that the mapping does not name",
        `column ${header}`,
        `column ${header}`,
        near === undefined ? undefined : `is near to ${near}`,
      );
    }
  }

  mapRows({ codes, foreign }: KnownResources, origin: string): MappedSource {
    if (this.#headers === undefined)
      throw new OperationError("invalid_argument", `There is nothing in "${this.#file}": expected a line with columns`);
    const { kind } = this.#mapping;
    const named = [...this.#rows.values()].map(({ key, json }) => ({
      id: `${kind}/${key}`,
      name: String(json["code"] ?? key),
      within: [],
    }));
    const given = assignCodes(named, codes, foreign[kind as "rack" | "device" | "crac"], kind);
    const omissions = this.#omissions;
    const items = [...this.#rows.values()].flatMap(({ key, line, json }): SourceItem[] => {
      const id = `${kind}/${key}`.slice(0, 200);
      const resource = this.#convertToResource({ ...json, code: given.get(`${kind}/${key}`) ?? "" }, line);
      if (resource === undefined) return [];
      const {
        labels = {},
        tags = [],
        comments = "",
      } = resource as { labels?: Record<string, string>; tags?: readonly string[]; comments?: string };
      const remarks = describeResource(
        { id, name: key, origin: `${origin}:${id}`, labels: Object.entries(labels), tags, comments: [comments] },
        omissions,
      );
      const place = { file: this.#file, line };
      return [{ kind, id, resource: { ...resource, ...remarks }, place } as SourceItem];
    });
    return { items, omissions: omissions.omissions, kinds: [kind] };
  }

  #convertToResource(json: Record<string, JsonValue>, line: number): ResourceByKind[ResourceKind] | undefined {
    const { kind } = this.#mapping;
    const resource = convertPlainJson<ResourceByKind[ResourceKind]>(RESOURCE_SCHEMAS[kind], json);
    if (resource === undefined)
      this.#reportUnreadable(line, describeFirstError(kind, json), String(json["code"] ?? ""));
    return resource;
  }

  #reportUnreadable(line: number, reason: string, code = ""): void {
    const { kind } = this.#mapping;
    this.#watcher.reportUnreadable({ file: this.#file, number: line, kind, ...(code !== "" && { code }), reason });
  }
}

/** Returns the proto JSON parser's error about the first invalid value. */
function describeFirstError(kind: ResourceKind, json: Record<string, JsonValue>): string {
  try {
    fromJson(RESOURCE_SCHEMAS[kind], json);
    return `expected the fields of a ${kind}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Reads the cells of a spreadsheet's rows as a mapping says. */
class CellReader {
  readonly #mapping: CsvMapping;
  readonly #fields: ReadonlyMap<string, CsvColumn>;

  constructor(mapping: CsvMapping) {
    this.#mapping = mapping;
    const { kind, columns, defaults } = mapping;
    const used = [...Object.values(columns), ...Object.keys(defaults)].flatMap(
      (name) => findCsvColumn(kind, name) ?? [],
    );
    this.#fields = new Map([...listCsvColumns(kind), ...used].map((column) => [column.name, column]));
  }

  /** Returns a row as proto JSON. @throws Error that names the cell that cannot be read */
  readRow(cells: ReadonlyMap<string, string>): Record<string, JsonValue> {
    const json: Record<string, JsonValue> = {};
    const { kind, defaults, columns, values } = this.#mapping;
    for (const [field, text] of Object.entries(defaults)) this.#setField(`defaults.${field}`, field, text, json);
    let height: number | undefined;
    for (const [column, field] of Object.entries(columns)) {
      const cell = cells.get(normalizeBlanks(column)) ?? "";
      const meanings = values[column] ?? {};
      const meant = Object.hasOwn(meanings, cell) ? (meanings[cell] ?? "") : cell;
      if (meant !== "")
        height =
          this.#setField(`cell "${column}"${column === field ? "" : ` (${field})`}`, field, meant, json, column) ??
          height;
    }
    if (height !== undefined) this.#setHeight(height, cells, json);
    setDefaultFace(kind, [...Object.values(columns), ...Object.keys(defaults)], json);
    return json;
  }

  /** Sets a field to the value of a text. Returns the height of a range of units. */
  #setField(
    place: string,
    name: string,
    text: string,
    json: Record<string, JsonValue>,
    column = "",
  ): number | undefined {
    const known = this.#fields.get(name);
    if (known === undefined) return undefined;
    try {
      const rules = { heading: column, decimal: this.#mapping.decimal };
      const read = known.field.fieldKind === "list" ? undefined : readFigureOrWord(known.field, text, rules);
      if (read === undefined) known.parseCell(text, json);
      else known.setValue(read.value, json);
      return read?.height;
    } catch (error) {
      throw new Error(`${place}: ${(error as Error).message}`);
    }
  }

  /** Sets the height that a range of units says. @throws Error if the row says another one */
  #setHeight(height: number, cells: ReadonlyMap<string, string>, json: Record<string, JsonValue>): void {
    const { columns } = this.#mapping;
    const [column] = Object.entries(columns).find(([, field]) => field === "u_height") ?? [];
    const cell = column === undefined ? "" : (cells.get(normalizeBlanks(column)) ?? "");
    if (cell !== "" && json["u_height"] !== height)
      throw new Error(`the position takes ${height} units, but "${column}" says ${cell}`);
    if (this.#fields.has("position_u") && this.#fields.has("u_height")) json["u_height"] = height;
  }
}

/** Mapping of a spreadsheet's columns to fields. */
interface CsvMapping {
  readonly kind: ResourceKind;
  /** Columns whose values together identify a row permanently. */
  readonly key: readonly string[];
  /** Decimal sign of the sheet; without it figures that could be read in two ways are refused. */
  readonly decimal: "." | "," | undefined;
  /** Field names, as in planner's CSV exports, by column. */
  readonly columns: Readonly<Record<string, string>>;
  /** Values of each column by the text of the cell. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Values by field, for rows in which the field's column is empty. */
  readonly defaults: Readonly<Record<string, string>>;
}

const CODED_KINDS: readonly ResourceKind[] = ["rack", "device", "crac"];

const MAPPING_FIELDS = ["kind", "key", "decimal", "columns", "values", "defaults"];

/** Reads a mapping file. @throws OperationError that names the invalid field. */
function readCsvMapping(path: string, shown: string): CsvMapping {
  const value = readYamlFile(path, shown);
  const createError = (field: string, expected: string) => createFieldError(shown, field, expected);
  const unknown = Object.keys(value).find((name) => !MAPPING_FIELDS.includes(name));
  if (unknown !== undefined) throw createError(unknown, `expected ${MAPPING_FIELDS.join(", ")}`);
  const kind = findKind(String(value["kind"] ?? ""));
  if (kind === undefined || !CODED_KINDS.includes(kind))
    throw createError("kind", `expected ${CODED_KINDS.join(", ")}`);
  const readTexts = (texts: unknown, field: string, expected: string) => {
    if (!isJsonObject(texts)) throw createError(field, expected);
    return Object.fromEntries(Object.entries(texts).map(([name, one]) => [name, String(one ?? "")]));
  };
  const columns = readTexts(value["columns"], "columns", "expected names of columns with fields");
  const defaults = readTexts(value["defaults"] ?? {}, "defaults", "expected fields with values");
  const values = value["values"] ?? {};
  if (!isJsonObject(values)) throw createError("values", "expected columns with texts and what they mean");
  const given = value["key"] ?? Object.keys(columns).find((name) => columns[name] === "code");
  const key = Array.isArray(given) ? given : [given];
  if (key.length === 0 || !key.every((name) => typeof name === "string"))
    throw createError("key", "expected the column that identifies a row, or a list of columns");
  const { decimal } = value;
  if (decimal !== undefined && decimal !== "." && decimal !== ",") throw createError("decimal", 'expected "." or ","');
  const fieldUses = [
    ...Object.entries(columns).map(([column, field]) => [`columns.${column}`, field] as const),
    ...Object.keys(defaults).map((field) => [`defaults.${field}`, field] as const),
  ];
  const stray = fieldUses.find(([, field]) => findCsvColumn(kind, field) === undefined);
  if (stray !== undefined) throw createError(stray[0], `"${stray[1]}" is no field of a ${kind}`);
  const meanings = Object.entries(values).map(([column, words]) => {
    if (!Object.hasOwn(columns, column))
      throw createError(`values.${column}`, `expected ${Object.keys(columns).join(", ")}`);
    return [column, readTexts(words, `values.${column}`, "expected texts of cells and what they mean")] as const;
  });
  return { kind, key, decimal, columns, values: Object.fromEntries(meanings), defaults };
}

/** Fields by normalized header. A column of device names is the name, because the key determines the code. */
const FIELDS_BY_HEADER: Readonly<Record<string, string>> = {
  ...COLUMN_FIELDS,
  ...{ hostname: "name", host: "name", device: "name", devicename: "name", rackname: "rack_code", type: "kind" },
};

/** Guesses the fields that headers mean; unknown headers are omitted. */
function guessColumnFields(kind: ResourceKind, headers: readonly string[]): Readonly<Record<string, string>> {
  const fields = listCsvColumns(kind).map(({ name }) => name);
  const taken = new Set<string>();
  const guesses: Record<string, string> = {};
  const findField = (heading: string) => {
    const plain = reduceHeading(heading);
    const known = Object.hasOwn(FIELDS_BY_HEADER, plain) ? FIELDS_BY_HEADER[plain] : undefined;
    return fields.find((name) => reduceHeading(name) === plain) ?? fields.find((name) => name === known);
  };
  for (const header of headers) {
    const field = guessFieldOfHeading(header, findField, getUnitOfField);
    if (field === undefined || taken.has(field)) continue;
    taken.add(field);
    guesses[header] = field;
  }
  return guesses;
}

function reduceHeading(heading: string): string {
  return heading.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Returns the field that a column without a field may be meant for; undefined if none is similar. */
function findNearField(kind: ResourceKind, header: string): string | undefined {
  const guess = guessColumnFields(kind, [header])[header];
  if (guess !== undefined) return guess;
  const fields = new Map(listCsvColumns(kind).map(({ name }) => [reduceHeading(name), name]));
  const words = Object.entries(FIELDS_BY_HEADER).filter(([, name]) => fields.has(reduceHeading(name)));
  const candidates = new Map([...words, ...fields]);
  return candidates.get(findNearest(reduceHeading(header), candidates.keys()) ?? "");
}

/** Asks for the field of each column. Returns the text of a mapping file, or undefined if the person cancels. */
async function askCsvMapping(kind: ResourceKind, headers: readonly string[]): Promise<string | undefined> {
  const { isCancel, select } = await import("@clack/prompts");
  const guesses = guessColumnFields(kind, headers);
  const fields = listCsvColumns(kind).map(({ name }) => ({ value: name, label: name }));
  const columns: Record<string, string> = {};
  for (const header of headers) {
    const options = [{ value: "", label: "(not imported)" }, ...fields];
    const answer = await select({
      message: `What is in the column "${header}"?`,
      options,
      initialValue: guesses[header] ?? "",
      maxItems: 12,
    });
    if (isCancel(answer)) return undefined;
    if (answer !== "") columns[header] = answer;
  }
  return formatMapping(kind, columns);
}

/** Formats a mapping file for these columns. */
function formatMapping(kind: ResourceKind, columns: Readonly<Record<string, string>>): string {
  const key = Object.keys(columns).find((name) => columns[name] === "code") ?? Object.keys(columns)[0] ?? "";
  const lines = Object.entries(columns).map(([header, field]) => `  ${JSON.stringify(header)}: ${field}`);
  return `kind: ${kind}\nkey: ${JSON.stringify(key)}\ncolumns:\n${lines.join("\n")}\nvalues: {}\ndefaults: {}\n`;
}

/** Creates the error for a missing mapping file, with a guessed mapping as an example. */
function createMappingError(given: string | undefined, headers: readonly string[]): Error {
  const guess = formatMapping("device", guessColumnFields("device", headers));
  const problem = given === undefined ? 'Missing "--mapping"' : `There is no file "${given}" for "--mapping"`;
  return new UsageError(`${problem}: expected a file that says what the columns mean, such as\n\n${guess}`);
}
