import type { ResourceKind } from "#dc/model/resources.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { findNearest } from "#kernel/nearest.ts";
import { COLUMN_FIELDS } from "#words/column_fields.ts";
import { getUnitOfField } from "#words/names.ts";
import { guessFieldOfHeading } from "#words/spreadsheet.ts";
import { createUsageError } from "../../usage_error.ts";
import { listCsvColumns } from "../csv_columns.ts";
import { findKind } from "../kinds.ts";
import { createFieldError, readYamlFile } from "./mapping_file.ts";

/** Mapping of a spreadsheet's columns to fields. */
export interface CsvMapping {
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
export function readCsvMapping(path: string, shown: string): CsvMapping {
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
  const known = listCsvColumns(kind).map(({ name }) => name);
  const fieldUses = [
    ...Object.entries(columns).map(([column, field]) => [`columns.${column}`, field] as const),
    ...Object.keys(defaults).map((field) => [`defaults.${field}`, field] as const),
  ];
  const stray = fieldUses.find(([, field]) => !known.includes(field));
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
export function guessColumnFields(kind: ResourceKind, headers: readonly string[]): Readonly<Record<string, string>> {
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
export function findNearField(kind: ResourceKind, header: string): string | undefined {
  const guess = guessColumnFields(kind, [header])[header];
  if (guess !== undefined) return guess;
  const fields = new Map(listCsvColumns(kind).map(({ name }) => [reduceHeading(name), name]));
  const words = Object.entries(FIELDS_BY_HEADER).filter(([, name]) => fields.has(reduceHeading(name)));
  const candidates = new Map([...words, ...fields]);
  return candidates.get(findNearest(reduceHeading(header), candidates.keys()) ?? "");
}

/** Asks for the field of each column. Returns the text of a mapping file, or undefined if the person cancels. */
export async function askCsvMapping(kind: ResourceKind, headers: readonly string[]): Promise<string | undefined> {
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
export function formatMapping(kind: ResourceKind, columns: Readonly<Record<string, string>>): string {
  const key = Object.keys(columns).find((name) => columns[name] === "code") ?? Object.keys(columns)[0] ?? "";
  const lines = Object.entries(columns).map(([header, field]) => `  ${JSON.stringify(header)}: ${field}`);
  return `kind: ${kind}\nkey: ${JSON.stringify(key)}\ncolumns:\n${lines.join("\n")}\nvalues: {}\ndefaults: {}\n`;
}

/** Creates the error for a missing mapping file, with a guessed mapping as an example. */
export function createMappingError(kind: ResourceKind, headers: readonly string[]): Error {
  const guess = formatMapping(kind, guessColumnFields(kind, headers));
  return createUsageError(
    "dc import",
    `Missing "--mapping": expected a file that says what the columns mean, such as\n\n${guess}`,
  );
}
