import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { assignCodes } from "#dc/exchange/codes.ts";
import { describeResource } from "#dc/exchange/described.ts";
import { type MappedSource, OmissionLog, type SourceItem } from "#dc/exchange/item.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { convertPlainJson } from "#dc/operations/messages/plain_json.ts";
import { RESOURCE_SCHEMAS } from "#dc/operations/writes/changes.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { isInteractive } from "../../output/terminal.ts";
import { writeFile } from "../../output/write_file.ts";
import { listCsvColumns } from "../csv_columns.ts";
import { readCsvRecords } from "../import/csv_records.ts";
import { detectByteOrderMark, type Encoding, readFirstBytes } from "../import/encoding.ts";
import { openTextFile, type TextFile } from "../import/text_file.ts";
import { askCsvMapping, type CsvMapping, createMappingError, readCsvMapping } from "./csv_mapping.ts";
import { NOT_UTF8_REMARK } from "./json_elements.ts";
import type { KnownResources } from "./known_resources.ts";
import type { SourceWatcher } from "./source_error.ts";

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
    for await (const { record, line } of readCsvRecords(sheet.path, file)) {
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
  for await (const { record } of readCsvRecords(path, displayName)) {
    headers = record;
    break;
  }
  if (given === undefined || !isInteractive()) throw createMappingError("device", headers);
  const text = await askCsvMapping("device", headers);
  if (text === undefined) throw new OperationError("aborted", "No mapping was made: nothing was imported");
  writeFile(resolve(cwd, given), text);
  return readCsvMapping(resolve(cwd, given), given);
}

function requireHeaders(record: readonly string[], { key, columns }: CsvMapping, file: string): readonly string[] {
  const headers = record.map((name) => name.trim());
  const createHeaderError = (what: string, expected: string) =>
    new OperationError("invalid_argument", `${what} in "${file}": expected ${expected}`);
  for (const name of [key, ...Object.keys(columns)]) {
    const count = headers.filter((one) => one === name).length;
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
  readonly #rows = new Map<string, TableRow>();
  #headers: readonly string[] | undefined;

  constructor(mapping: CsvMapping, file: string, watcher: SourceWatcher) {
    this.#mapping = mapping;
    this.#file = file;
    this.#watcher = watcher;
  }

  /** Adds a record; the first one contains the headers. */
  addRecord(record: readonly string[], line: number): void {
    if (this.#headers === undefined) this.#headers = requireHeaders(record, this.#mapping, this.#file);
    else this.#addRow(this.#headers, record, line);
  }

  #addRow(headers: readonly string[], record: readonly string[], line: number): void {
    const cells = new Map(headers.map((header, index) => [header, (record[index] ?? "").trim()]));
    const key = cells.get(this.#mapping.key) ?? "";
    const twin = this.#rows.get(key);
    const strays = record.slice(headers.length).filter((cell) => cell.trim() !== "").length;
    if (strays > 0) this.#reportUnreadable(line, `expected ${headers.length} cells, found ${record.length}`, key);
    else if (key === "") this.#reportUnreadable(line, `the column "${this.#mapping.key}" is empty`);
    else if (twin !== undefined) this.#reportUnreadable(line, `"${key}" is in line ${twin.line} already`, key);
    else {
      try {
        this.#rows.set(key, { key, line, json: this.#parseRow(cells) });
      } catch (error) {
        this.#reportUnreadable(line, (error as Error).message, key);
      }
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
    const omissions = new OmissionLog();
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

  #parseRow(cells: ReadonlyMap<string, string>): Record<string, JsonValue> {
    const fields = new Map(listCsvColumns(this.#mapping.kind).map((column) => [column.name, column]));
    const json: Record<string, JsonValue> = {};
    const setField = (field: string, text: string) => {
      try {
        fields.get(field)?.parseCell(convertToEnumValue(this.#mapping.kind, field, text), json);
      } catch (error) {
        throw new Error(`${field}: ${(error as Error).message}`);
      }
    };
    for (const [field, text] of Object.entries(this.#mapping.defaults)) setField(field, text);
    for (const [column, field] of Object.entries(this.#mapping.columns)) {
      const cell = cells.get(column) ?? "";
      const meanings = this.#mapping.values[column] ?? {};
      const meant = Object.hasOwn(meanings, cell) ? (meanings[cell] ?? "") : cell;
      if (meant !== "") setField(field, meant);
    }
    return json;
  }

  #convertToResource(given: Record<string, JsonValue>, line: number): ResourceByKind[ResourceKind] | undefined {
    const { kind } = this.#mapping;
    const json = convertNumbers(kind, given);
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

/** Converts the text of an enum field to its value, such as `DEVICE_STATUS_ACTIVE` for `active`. Keeps other texts. */
function convertToEnumValue(kind: ResourceKind, field: string, text: string): string {
  const desc = RESOURCE_SCHEMAS[kind].fields.find(({ name }) => name === field)?.enum;
  if (desc === undefined) return text;
  const wanted = text.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
  const found = desc.values.find(({ name }) => name === wanted || name.endsWith(`_${wanted}`));
  if (found === undefined || found.number === 0) {
    const words = desc.values.filter(({ number }) => number > 0).map(({ localName }) => localName.toLowerCase());
    throw new Error(`"${text}" is none of its values: expected ${words.join(", ")}`);
  }
  return found.name;
}

/** Converts the texts of numeric cells to numbers. */
function convertNumbers(kind: ResourceKind, json: Record<string, JsonValue>): Record<string, JsonValue> {
  const numeric = new Set(
    RESOURCE_SCHEMAS[kind].fields
      .filter(({ scalar }) => scalar !== undefined && scalar !== 9 && scalar !== 8)
      .map(({ name }) => name),
  );
  const location = json["location"];
  const at = isJsonObject<JsonValue>(location) ? { ...location } : undefined;
  if (at !== undefined) at["floor_number"] = parseNumberText(String(at["floor_number"] ?? 0));
  const plain = Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name,
      numeric.has(name) && typeof value === "string" && value !== "" ? parseNumberText(value) : value,
    ]),
  );
  return { ...plain, ...(at !== undefined && { location: at }) };
}

/** Converts a text to a number. A text that is no number stays unchanged, and the proto parser rejects it. */
function parseNumberText(text: string): JsonValue {
  const number = Number(text.replace(",", "."));
  return Number.isFinite(number) ? number : text;
}
