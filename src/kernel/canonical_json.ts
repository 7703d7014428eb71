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
