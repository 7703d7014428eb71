import { runAllSteps, type Steps } from "./steps.ts";

/** Whether a JSON value is an object rather than an array, null or a scalar. `Value` is the type of its fields. */
export function isJsonObject<Value = unknown>(value: unknown): value is Readonly<Record<string, Value>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the fields of a JSON object, or an empty object for any other value. */
export function getJsonFields(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

/** Parses JSON. Returns undefined if the text is not valid JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses JSON in which no object has a name twice. `JSON.parse` keeps the last of equal names, so that two programs read
 * one text differently.
 * @throws SyntaxError
 */
export function parseUniqueJson(text: string): unknown {
  return runAllSteps(parseUniqueJsonInSteps(text));
}

/** Parses as `parseUniqueJson` does; looks for doubled names in steps, which takes several times as long as parsing. */
function* parseUniqueJsonInSteps(text: string): Steps<unknown> {
  const value: unknown = JSON.parse(text);
  const doubled = yield* findDoubledName(text);
  if (doubled !== undefined) throw new SyntaxError(`The name ${doubled} occurs twice in one object`);
  return value;
}

const utf8Decoder = new TextDecoder("utf-8", { fatal: true });

/** Parses a text in UTF-8, also one with a byte order mark, in steps. @throws SyntaxError or TypeError */
export function* parseJson(bytes: Uint8Array): Steps<unknown> {
  return yield* parseUniqueJsonInSteps(utf8Decoder.decode(bytes));
}

const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;
/** Number of tokens in one step. Our choice: about a millisecond. */
const STEP_TOKENS = 8192;

/** Returns the first name, in quotes, that an object of valid JSON has twice. */
function* findDoubledName(text: string): Steps<string | undefined> {
  // The names of each open object; undefined for a list.
  const open: (Set<string> | undefined)[] = [];
  let name = "";
  let tokens = 0;
  for (const [token] of text.matchAll(JSON_TOKEN)) {
    if (++tokens % STEP_TOKENS === 0) yield;
    switch (token) {
      case "{":
        open.push(new Set());
        break;
      case "[":
        open.push(undefined);
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ":":
        if (open.at(-1)?.has(name) === true) return name;
        open.at(-1)?.add(name);
        break;
      default:
        name = token.includes("\\") ? JSON.stringify(JSON.parse(token)) : token;
    }
  }
  return undefined;
}

/** Characters that JSON does not escape, and at which some readers of lines split. */
const LINE_SEPARATORS = /[\u0085\u2028\u2029]/g;

/** Escapes the line separators of a JSON text, so that every reader of lines takes it as one line. */
export function escapeLineSeparators(json: string): string {
  return json.replace(LINE_SEPARATORS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const TYPE_TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  integer: (value) => typeof value === "number",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: isJsonObject,
};

/**
 * Returns the value of a text that is exactly the JSON text of the schema's type, such as `5` or `["a"]`, which some
 * clients send in place of the value; otherwise `value` itself.
 */
export function readJsonText(value: unknown, schema: object | undefined): unknown {
  const type = schema !== undefined && "type" in schema ? schema.type : undefined;
  const hasType = typeof type === "string" ? TYPE_TESTS[type] : undefined;
  if (typeof value !== "string" || hasType === undefined || value !== value.trim()) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return hasType(parsed) ? parsed : value;
  } catch {
    return value;
  }
}

/** Cache of field names as quoted JSON strings, because the same few names are written often. */
const quotedNames = new Map<string, string>();
/** Maximum number of cached names. Our choice: the proto has some 300, users may define more. */
const MAX_CACHED_NAMES = 4096;

/** Cached JSON texts of objects that are written more than once. */
const cachedTexts = new WeakMap<object, string>();

/**
 * Returns the text of `formatCanonicalJson` and caches it as long as the object exists, so that larger values that
 * contain the object are written faster. The object must not change afterwards.
 */
export function cacheCanonicalJson(object: object): string {
  const text = formatCanonicalJson(object);
  cachedTexts.set(object, text);
  return text;
}

/**
 * Returns JSON with object keys in the order of UTF-16 units and without undefined values; equal values give equal
 * text. Cost: much less if the keys are already in that order, as in rows of the database. Source: RFC 8785, which
 * prescribes JavaScript's number and string forms. Infinite numbers, which the RFC excludes, become `1e999`.
 */
export function formatCanonicalJson(value: unknown): string {
  if (typeof value === "number") return formatNumberJson(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const known = cachedTexts.get(value);
  if (known !== undefined) return known;
  if (hasSortedKeys(value)) return JSON.stringify(value);
  return Array.isArray(value) ? formatListJson(value) : formatObjectJson(value as Readonly<Record<string, unknown>>);
}

/** Whether two values have the same canonical JSON. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return formatCanonicalJson(a) === formatCanonicalJson(b);
}

/** Returns the object with keys in UTF-16 order, for a cheap `formatCanonicalJson`. Nested objects are unchanged. */
export function sortKeys<Value extends object>(object: Value): Value {
  const fields = object as Readonly<Record<string, unknown>>;
  const ordered = Object.keys(fields)
    .sort()
    .map((key) => [key, fields[key]] as const);
  return Object.fromEntries(ordered) as Value;
}

function formatNumberJson(value: number): string {
  if (Number.isFinite(value)) return JSON.stringify(value);
  return value > 0 ? "1e999" : "-1e999";
}

/** Whether `JSON.stringify` returns the canonical text; it writes keys in insertion order. */
function hasSortedKeys(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(hasSortedKeys);
  let before = "";
  for (const key in value) {
    if (key < before || !hasSortedKeys((value as Readonly<Record<string, unknown>>)[key])) return false;
    before = key;
  }
  return true;
}

function formatListJson(items: readonly unknown[]): string {
  let text = "";
  for (const item of items) text += `${text === "" ? "" : ","}${formatCanonicalJson(item ?? null)}`;
  return `[${text}]`;
}

function formatObjectJson(object: Readonly<Record<string, unknown>>): string {
  let text = "";
  // Without a comparison function, `sort` compares UTF-16 units.
  for (const key of Object.keys(object).sort()) {
    const value = object[key];
    if (value !== undefined) text += `${text === "" ? "" : ","}${quoteName(key)}:${formatCanonicalJson(value)}`;
  }
  return `{${text}}`;
}

function quoteName(name: string): string {
  const known = quotedNames.get(name);
  if (known !== undefined) return known;
  const made = JSON.stringify(name);
  if (quotedNames.size < MAX_CACHED_NAMES) quotedNames.set(name, made);
  return made;
}

/** Whether two JSON values are equal, regardless of the order of fields. Cost: O(smaller value). */
export function isEqualJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every(
      (name) => Object.hasOwn(right, name) && isEqualJson(readOwnField(left, name), readOwnField(right, name)),
    )
  );
}

function readOwnField(value: object, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name];
}
