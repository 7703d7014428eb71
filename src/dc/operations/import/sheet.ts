import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import { type DescField, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { CsvError, parse } from "csv-parse";
import { refuse } from "#dc/model/refusal.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import { OperationError } from "#kernel/errors.ts";
import { formatConstant } from "#words/names.ts";
import {
  detectDelimiter,
  type FigureReading,
  type FigureRules,
  isBlankRecord,
  isTitleRecord,
  MAX_TITLE_RECORDS,
  normalizeBlanks,
  readFieldFigure,
  SEPARATOR_LINE_PATTERN,
} from "#words/spreadsheet.ts";
import type { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { RESOURCE_SCHEMAS } from "../writes/changes.ts";

/** Number of bytes at the beginning of a sheet within which the header record must end. */
export const HEADER_BYTES = 1 << 16;

export interface CsvRecord {
  readonly record: readonly string[];
  /** Number of the record's first line, from 1. */
  readonly line: number;
  /** Offsets of the bytes from the end of the record before to the end of this one, with line ends. */
  readonly start: number;
  readonly end: number;
}

/** What the beginning of a sheet says about the rest. */
export interface CsvForm {
  readonly delimiter: string;
  /** Whether the first line is `sep=;` or the like. */
  readonly hasSeparatorLine: boolean;
}

/** Returns the form of a sheet by its first bytes, up to `HEADER_BYTES`. */
export function detectCsvForm(beginning: Buffer): CsvForm {
  const text = beginning.toString("latin1").replace(/^\u00ef\u00bb\u00bf/, "");
  return { delimiter: detectDelimiter(text), hasSeparatorLine: SEPARATOR_LINE_PATTERN.test(text) };
}

/**
 * Reads the records of a sheet, without blank ones, the line `sep=;` and titles above the headings. Memory: one
 * record.
 * @throws OperationError for text that is not CSV, with `shown` as the name of the sheet
 */
export async function* readCsvRecords(content: Readable, form: CsvForm, shown: string): AsyncGenerator<CsvRecord> {
  let titles: CsvRecord[] | undefined = [];
  for await (const one of readAllRecords(content, form, shown)) {
    if (isBlankRecord(one.record)) continue;
    if (titles === undefined) yield one;
    else if (isTitleRecord(one.record) && titles.length < MAX_TITLE_RECORDS) titles.push(one);
    else {
      // A sheet of one column has no titles.
      if (isTitleRecord(one.record)) yield* titles;
      titles = undefined;
      yield one;
    }
  }
  yield* titles ?? [];
}

type CsvInfo = { readonly lines: number; readonly bytes: number };

async function* readAllRecords(
  content: Readable,
  { delimiter, hasSeparatorLine }: CsvForm,
  shown: string,
): AsyncGenerator<CsvRecord> {
  const parser = content.pipe(
    parse({
      bom: true,
      delimiter,
      info: true,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }),
  );
  let doubleCounted = 0;
  let start = 0;
  let isSeparatorLine = hasSeparatorLine;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: CsvInfo }>) {
      let breaks = 0;
      for (const cell of record) {
        // The parser counts a line end of two characters inside quotes as two lines.
        doubleCounted += cell.split("\r\n").length - 1;
        breaks += cell.split(/\r\n|[\r\n]/).length - 1;
      }
      if (!isSeparatorLine) yield { record, line: info.lines - doubleCounted - breaks, start, end: info.bytes };
      isSeparatorLine = false;
      start = info.bytes;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new OperationError("invalid_argument", `Cannot read ${shown} as CSV: ${error.message}`, { cause: error });
  }
}

/** Name of an uploaded file in messages. */
export const FILE_NAME = "the file";

/** @throws Refusal MALFORMED_MESSAGE for bytes that are not UTF-8 */
export function assertIsUtf8(bytes: Buffer): void {
  if (isUtf8(bytes)) return;
  throw refuse(
    "MALFORMED_MESSAGE",
    "Cannot read the file as UTF-8: save it as UTF-8, or use planner dc import --encoding",
  );
}

/** A sheet: its headings and rows. */
export interface Sheet {
  readonly delimiter: string;
  readonly headings: readonly string[];
  readonly rows: readonly SheetRow[];
}

export interface SheetRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** Offsets of the row in the file's text, without its line end. */
  readonly from: number;
  readonly to: number;
}

const LINE_ENDS: readonly (number | undefined)[] = [10, 13];

/** Number of bytes that are parsed at once, which takes some milliseconds. */
const PARSED_BYTES = 16 * 1024;

function* cutBytes(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PARSED_BYTES) yield bytes.subarray(at, at + PARSED_BYTES);
}

/** Reads a sheet as CSV. @throws OperationError for text that is not CSV in UTF-8 */
export async function readSheet(bytes: Buffer, scheduler: CooperativeScheduler): Promise<Sheet> {
  assertIsUtf8(bytes);
  const form = detectCsvForm(bytes.subarray(0, HEADER_BYTES));
  const rows: SheetRow[] = [];
  let [at, chars] = [0, 0];
  const countCharsTo = (offset: number) => {
    chars += bytes.toString("utf8", at, offset).length;
    at = offset;
    return chars;
  };
  const content = Readable.from(cutBytes(bytes));
  for await (const { record, line, start, end } of readCsvRecords(content, form, FILE_NAME)) {
    await scheduler.yieldIfDue();
    let [first, last] = [start, end];
    while (first < last && LINE_ENDS.includes(bytes[first])) first += 1;
    while (last > first && LINE_ENDS.includes(bytes[last - 1])) last -= 1;
    rows.push({ line, cells: record, from: countCharsTo(first), to: countCharsTo(last) });
  }
  const [head, ...others] = rows;
  return { delimiter: form.delimiter, headings: head?.cells.map(normalizeBlanks) ?? [], rows: others };
}

/** A field of a resource, or one entry of a map, which a cell of a sheet can fill. */
export interface CellTarget {
  /** Names of the field and of the field or entry within it. */
  readonly steps: readonly string[];
  /** Absent for an entry of a map. */
  readonly field: DescField | undefined;
}

/** Finds the field with a path such as `u_height`, `location.room` or `labels.owner`. */
export function findCellTarget(kind: ResourceKind, path: string): CellTarget | undefined {
  const [name = "", rest] = path.split(/\.(.*)/s);
  const field = RESOURCE_SCHEMAS[kind].fields.find((one) => one.name === name);
  if (rest === undefined) return field && { steps: [name], field };
  if (field?.fieldKind === "map") return { steps: [name, rest], field: undefined };
  const inner = field?.fieldKind === "message" ? field.message.fields.find((one) => one.name === rest) : undefined;
  return inner && { steps: [name, rest], field: inner };
}

/** Places a device with a unit at the front if no column or default of its sheet fills the face. */
export function setDefaultFace(kind: ResourceKind, paths: readonly string[], json: Record<string, JsonValue>): void {
  if (kind === "device" && json["position_u"] !== undefined && !paths.includes("face")) json["face"] = "FACE_FRONT";
}

/** How the figures of a column are read. */
export interface CellRules extends Pick<FigureRules, "decimal"> {
  readonly heading: string;
}

/** Value of a cell; a range of units has a height, too. */
interface CellValue {
  readonly value: JsonValue;
  readonly height?: number;
}

const TEXT_TYPES: readonly (ScalarType | undefined)[] = [ScalarType.STRING, ScalarType.BYTES, ScalarType.BOOL];
const FRACTION_TYPES: readonly (ScalarType | undefined)[] = [ScalarType.DOUBLE, ScalarType.FLOAT];

/** Reads a text as a figure or an enum value; undefined for a field of another type. @throws Error for a wrong text */
export function readFigureOrWord(
  { name, scalar, enum: desc, message }: DescField,
  text: string,
  rules: CellRules,
): CellValue | undefined {
  if (desc !== undefined) return { value: convertToEnumValue(desc.values, text) };
  if (message !== undefined || TEXT_TYPES.includes(scalar)) return undefined;
  const read: FigureReading = readFieldFigure(text, name, { ...rules, isWhole: !FRACTION_TYPES.includes(scalar) });
  if ("problem" in read) throw new Error(read.problem);
  return read;
}

/** Converts a text to an enum value, such as `DEVICE_STATUS_ACTIVE` for `active`, and `N_PLUS_1` for `N+1`. */
function convertToEnumValue(
  values: readonly { readonly name: string; readonly number: number; readonly localName: string }[],
  text: string,
): string {
  const reduce = (word: string) => word.toUpperCase().replace(/[^A-Z0-9]+/g, "");
  const wanted = reduce(text);
  const found = values.find(({ name, localName }) =>
    [name, localName, formatConstant(localName)].some((word) => reduce(word) === wanted),
  );
  if (found !== undefined && found.number !== 0) return found.name;
  const words = values.filter(({ number }) => number > 0).map(({ localName }) => localName.toLowerCase());
  throw new Error(`"${text}" is none of its values: expected ${words.join(", ")}`);
}

const TRUE_WORDS = ["yes", "true", "1"];
const FALSE_WORDS = ["no", "false", "0"];

/**
 * Reads a cell: figures with units, words of enumerations, yes and no, lists with commas, ends of cables as
 * device/port, and other messages and maps as JSON. @throws Error for a wrong text
 */
export function readCell({ field }: CellTarget, text: string, rules: CellRules): CellValue {
  if (field === undefined) return { value: text };
  const { fieldKind, message, scalar } = field;
  if (message?.name === "PortRef") {
    const [device = "", port = ""] = text.split(/\/(.*)/s);
    return { value: { device_code: device, port_name: port } };
  }
  if (fieldKind === "map" || (message !== undefined && message.name !== "Timestamp"))
    return { value: JSON.parse(text) as JsonValue };
  if (scalar === ScalarType.BOOL) {
    const value = TRUE_WORDS.includes(text.toLowerCase());
    if (!value && !FALSE_WORDS.includes(text.toLowerCase())) throw new Error(`"${text}" is neither yes nor no`);
    return { value };
  }
  const readOne = (part: string): CellValue => readFigureOrWord(field, part, rules) ?? { value: part };
  if (fieldKind !== "list") return readOne(text);
  return { value: text.split(/[,;|]/).map((part) => readOne(part.trim()).value) };
}
