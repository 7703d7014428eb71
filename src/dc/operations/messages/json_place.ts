import {
  type DescField,
  type DescMessage,
  fromJson,
  fromJsonString,
  type JsonReadOptions,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { type Refusal, refuse } from "#dc/model/refusal.ts";
import { describeError, shortenMiddle, shortenText } from "#kernel/errors.ts";
import { isJsonObject, tryParseJson } from "#kernel/json_object.ts";

type JsonOptions = Partial<JsonReadOptions>;

/**
 * Returns the path of the first value that proto JSON cannot parse, in the proto's spelling: `ports[3].speed_mbps`.
 * Returns "" if the document itself cannot be parsed, or if everything can. Cost: parses every value on the path again,
 * so it is used for refusals only.
 */
export function findUnreadablePath(desc: DescMessage, json: unknown, options: JsonOptions): string {
  if (!isJsonObject<JsonValue>(json)) return "";
  for (const [key, value] of Object.entries(json)) {
    const field = findField(desc, key);
    if (field === undefined && options.ignoreUnknownFields !== true) return key;
    if (field === undefined || isReadable(desc, { [key]: value }, options)) continue;
    const { name, fieldKind } = field;
    if (fieldKind === "list" && Array.isArray(value)) {
      const index = value.findIndex((item) => !isReadable(desc, { [key]: [item] }, options));
      return extendUnreadablePath(`${name}[${index}]`, field, value[index], options);
    }
    if (fieldKind !== "map" || !isJsonObject<JsonValue>(value))
      return extendUnreadablePath(name, field, value, options);
    const entry = Object.keys(value).find(
      (one) => !isReadable(desc, { [key]: { [one]: value[one] ?? null } }, options),
    );
    return `${name}[${entry}]`;
  }
  return "";
}

function extendUnreadablePath(
  place: string,
  { message, fieldKind }: DescField,
  value: unknown,
  options: JsonOptions,
): string {
  if (message === undefined || fieldKind === "map") return place;
  const inner = findUnreadablePath(message, value, options);
  return inner === "" ? place : `${place}.${inner}`;
}

function isReadable(desc: DescMessage, json: Record<string, JsonValue>, options: JsonOptions): boolean {
  try {
    fromJson(desc, json, options);
    return true;
  } catch {
    return false;
  }
}

/** A value of an enumeration that it does not have. */
interface UnrecognizedEnumValue {
  /** Path of the value in the proto's spelling. */
  readonly field: string;
  readonly value: string;
  readonly expected: string;
}

/** JSON that does not fit a message: the path in the proto's spelling, or "" for the whole document. */
export class UnreadableJson extends Error {
  readonly path: string;
  readonly enumValue: UnrecognizedEnumValue | undefined;

  /** @param message the problem, as the library describes it */
  constructor(message: string, path: string, enumValue?: UnrecognizedEnumValue) {
    super(message);
    this.path = path;
    this.enumValue = enumValue;
  }
}

/** Maximum length of the library's message that is kept, in characters: it repeats names that the caller chose. */
const MAX_PROBLEM_CHARS = 2000;
const JSON_ERROR_PATTERN = /^cannot decode (?:message|field|enum) (\S+) from JSON: (.*)$/s;
const UNKNOWN_KEY_PATTERN = /^key "(.*)" is unknown$/s;

/**
 * Reads proto JSON. Enumerations take the proto's full name, the word without its prefix (`SVG`), or the number.
 * @throws UnreadableJson, also for an unknown word of an enumeration if unknown fields are ignored
 */
export function readJsonText(desc: DescMessage, text: string, options: JsonOptions): Message {
  // The library's reader of texts also refuses doubled names.
  const first = tryRead(() => fromJsonString(desc, text, options));
  if (first.message !== undefined && options.ignoreUnknownFields !== true) return first.message;
  return readAgain(desc, tryParseJson(text), options, first);
}

/** Reads a JSON value as `readJsonText` does. */
export function readJsonValue(desc: DescMessage, json: JsonValue, options: JsonOptions = {}): Message {
  const first = tryRead(() => fromJson(desc, json, options));
  if (first.message !== undefined && options.ignoreUnknownFields !== true) return first.message;
  return readAgain(desc, json, options, first);
}

type FirstReading = { readonly message: Message } | { readonly message?: never; readonly problem: string };

function tryRead(read: () => Message): FirstReading {
  try {
    return { message: read() };
  } catch (error) {
    return { problem: shortenMiddle(describeError(error), MAX_PROBLEM_CHARS) };
  }
}

/** Reads JSON with full enumeration names, and names the place of what cannot be read. Most requests need neither. */
function readAgain(desc: DescMessage, json: unknown, options: JsonOptions, first: FirstReading): Message {
  const full = expandEnumWords(desc, json);
  const isEnumProblem = first.message !== undefined || first.problem.startsWith("cannot decode enum ");
  const second = full === json || !isEnumProblem ? first : tryRead(() => fromJson(desc, full as JsonValue, options));
  const word = isEnumProblem ? findUnknownEnumValue(desc, full) : undefined;
  if (second.message !== undefined) {
    if (word === undefined) return second.message;
    throw new UnreadableJson("", word.field, word);
  }
  const path = full === undefined ? "" : findUnreadablePath(desc, full, options);
  throw new UnreadableJson(second.problem, path, word?.field === path ? word : undefined);
}

/** Returns the refusal of JSON that cannot be read. */
export function createUnreadableRefusal({ message, path, enumValue }: UnreadableJson): Refusal {
  if (enumValue !== undefined) {
    const { field, value, expected } = enumValue;
    const text = `Cannot read ${field} "${shortenText(value)}": expected ${expected}`;
    return refuse("FIELD_OUT_OF_RANGE", text, { field, value, expected });
  }
  const [, type = "", problem = message] = JSON_ERROR_PATTERN.exec(message) ?? [];
  const holder = type.replace(/^.*\.v1\./, "") || "the request";
  const key = UNKNOWN_KEY_PATTERN.exec(problem)?.[1];
  if (key !== undefined)
    return refuse("UNKNOWN_FIELD", `${holder} has no field "${shortenText(key)}"`, { field: path });
  if (path === "") return refuse("MALFORMED_MESSAGE", `Cannot read ${holder}: ${shortenMiddle(problem, 300)}`);
  const text = `Cannot read ${shortenMiddle(path, 150)}: ${describeProblem(problem)}`;
  return refuse("FIELD_OUT_OF_RANGE", text, { field: path });
}

/** Says what was expected in plain words: the library names its own types. */
export function describeProblem(problem: string): string {
  const plain = problem
    .replace(/expected number \(([a-z]+\d+)\)/, "expected a number ($1)")
    .replace(/expected string/, "expected a text")
    .replace(/expected boolean/, "expected true or false");
  return shortenMiddle(plain, 300);
}

/** Returns JSON with the proto's names in place of words without their prefix; the same value if it has none. */
function expandEnumWords(desc: DescMessage, json: unknown): unknown {
  if (!isJsonObject<JsonValue>(json)) return json;
  const changed: [string, unknown][] = [];
  for (const [key, value] of Object.entries(json)) {
    const field = findField(desc, key);
    if (field === undefined || field.fieldKind === "map" || (field.enum ?? field.message) === undefined) continue;
    const expanded = Array.isArray(value) ? expandItems(field, value) : expandInField(field, value);
    if (expanded !== value) changed.push([key, expanded]);
  }
  return changed.length === 0 ? json : { ...json, ...Object.fromEntries(changed) };
}

function expandItems(field: DescField, items: readonly unknown[]): unknown {
  const expanded = items.map((item) => expandInField(field, item));
  return expanded.every((item, index) => item === items[index]) ? items : expanded;
}

function expandInField({ enum: words, message }: DescField, value: unknown): unknown {
  if (words === undefined || typeof value !== "string") return message ? expandEnumWords(message, value) : value;
  const full = `${words.sharedPrefix?.toUpperCase() ?? ""}${value}`;
  return words.values.some(({ name }) => name === value) || !words.values.some(({ name }) => name === full)
    ? value
    : full;
}

/**
 * Returns the first unknown enumeration value and its path, or undefined. If unknown fields are ignored, proto JSON
 * also ignores unknown enumeration values, and the request would be misread.
 */
function findUnknownEnumValue(desc: DescMessage, json: unknown): UnrecognizedEnumValue | undefined {
  if (!isJsonObject<JsonValue>(json)) return undefined;
  for (const [key, value] of Object.entries(json)) {
    const field = findField(desc, key);
    if (field === undefined) continue;
    const items = Array.isArray(value) ? [...value.entries()] : [[undefined, value] as const];
    for (const [index, item] of items) {
      const found = findUnknownInField(field, item);
      const place = index === undefined ? field.name : `${field.name}[${index}]`;
      if (found !== undefined) return { ...found, field: place + found.field };
    }
  }
  return undefined;
}

function findUnknownInField({ enum: words, message }: DescField, value: unknown): UnrecognizedEnumValue | undefined {
  if (words !== undefined && typeof value === "string") {
    const names = words.values.map(({ name }) => name);
    return names.includes(value) ? undefined : { field: "", value, expected: `one of ${names.join(", ")}` };
  }
  const found = message === undefined ? undefined : findUnknownEnumValue(message, value);
  return found && { ...found, field: `.${found.field}` };
}

function findField({ fields }: DescMessage, key: string): DescField | undefined {
  return fields.find(({ name, jsonName }) => name === key || jsonName === key);
}
