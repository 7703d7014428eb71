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
import { cleanCell, isBlankRecord, normalizeBlanks } from "#words/spreadsheet.ts";
import { isInteractive } from "../../output/terminal.ts";
import { writeFile } from "../../output/write_file.ts";
import { readCsvRecords } from "../import/csv_records.ts";
import { detectByteOrderMark, type Encoding, readFirstBytes } from "../import/encoding.ts";
import { openTextFile, type TextFile } from "../import/text_file.ts";
import { CellReader } from "./csv_cells.ts";
import { askCsvMapping, type CsvMapping, createMappingError, findNearField, readCsvMapping } from "./csv_mapping.ts";
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
