/** Names of fields as JSON, since the same few are written over and over. */
const quoted = new Map<string, string>();
/** Names kept. Ours: the proto has some 300; names that users choose must not make it grow without end. */
const MAX_QUOTED = 4096;

/** The texts of objects that are written down more than once. */
const remembered = new WeakMap<object, string>();

/**
 * The same as `canonicalJson`, and what larger values get where this one is a part of them, as long as it lives.
 * The object must not change any more.
 */
export function rememberCanonical(object: object): string {
  const text = canonicalJson(object);
  remembered.set(object, text);
  return text;
}

/**
 * One text per value: JSON with the keys of every object in the order of UTF-16 units and without what is undefined.
 * Cost: a fraction where the keys are in that order already, as in what a database gives back.
 * Source: RFC 8785; JavaScript's own number and string forms are the ones that it demands. It leaves numbers beyond a
 * double out, which JSON can write: `1e999`.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "number") return numberJson(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const known = remembered.get(value);
  if (known !== undefined) return known;
  if (isInKeyOrder(value)) return JSON.stringify(value);
  return Array.isArray(value) ? listJson(value) : objectJson(value as Readonly<Record<string, unknown>>);
}

/** The object with its own keys in the order of UTF-16 units, which makes its text cheap; what it holds stays as it is. */
export function inKeyOrder<Value extends object>(object: Value): Value {
  const fields = object as Readonly<Record<string, unknown>>;
  const ordered = Object.keys(fields)
    .sort()
    .map((key) => [key, fields[key]] as const);
  return Object.fromEntries(ordered) as Value;
}

function numberJson(value: number): string {
  if (Number.isFinite(value)) return JSON.stringify(value);
  return value > 0 ? "1e999" : "-1e999";
}

/** Whether the engine's own JSON is the canonical one: it writes keys in the order in which an object lists them. */
function isInKeyOrder(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isInKeyOrder);
  let before = "";
  for (const key in value) {
    if (key < before || !isInKeyOrder((value as Readonly<Record<string, unknown>>)[key])) return false;
    before = key;
  }
  return true;
}

function listJson(items: readonly unknown[]): string {
  let text = "";
  for (const item of items) text += `${text === "" ? "" : ","}${canonicalJson(item ?? null)}`;
  return `[${text}]`;
}

function objectJson(object: Readonly<Record<string, unknown>>): string {
  let text = "";
  // Without a comparison function, sort goes by UTF-16 units.
  for (const key of Object.keys(object).sort()) {
    const value = object[key];
    if (value !== undefined) text += `${text === "" ? "" : ","}${nameJson(key)}:${canonicalJson(value)}`;
  }
  return `{${text}}`;
}

function nameJson(name: string): string {
  const known = quoted.get(name);
  if (known !== undefined) return known;
  const made = JSON.stringify(name);
  if (quoted.size < MAX_QUOTED) quoted.set(name, made);
  return made;
}
