export const KINDS = ["rack", "device", "crac", "cable", "fabric_link"] as const;
export type Kind = (typeof KINDS)[number];

/** One resource of a file and its position. */
export interface Item {
  readonly kind: Kind;
  /** Line in JSON Lines, from 1; place in its list in a JSON object. */
  readonly line: number;
  readonly resource: Readonly<Record<string, unknown>>;
  /** What cannot be read of it; such an item is checked with the others and never written. */
  readonly problems?: readonly FieldProblem[];
}

/** What is wrong with a field of an item; the field is "" for the whole. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** A place in the file that is no resource, and why. */
export interface Unreadable {
  readonly line: number;
  readonly message: string;
}

/** A column of a table, by its place, and the field that it fills. */
export interface Filled {
  readonly path: string;
  readonly header: string;
  readonly at: number;
}

export interface Parsed {
  readonly items: readonly Item[];
  readonly unreadable: readonly Unreadable[];
  /** Of a table: the field that each column fills. */
  readonly columns?: readonly Filled[];
}

const LISTS: Readonly<Record<string, Kind>> = {
  racks: "rack",
  devices: "device",
  cracs: "crac",
  cables: "cable",
  fabric_links: "fabric_link",
};

/**
 * Reads JSON Lines (`{"rack": {…}}` on each line) or one JSON object of lists (`{"racks": […], "devices": […]}`).
 * Reports unreadable items by line and reads the others.
 */
export function parseItems(text: string): Parsed {
  const whole = objectOf(text);
  if (whole !== undefined && Object.keys(whole).some((key) => key in LISTS)) return parseLists(whole);
  const items: Item[] = [];
  const unreadable: Unreadable[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const read = parseLine(line, index + 1);
    if ("message" in read) unreadable.push(read);
    else items.push(read);
  }
  return { items, unreadable };
}

/** The text of JSON Lines, or of an object of lists, with a field of one item written anew. */
export function withField(text: string, { kind, line, resource }: Item, field: string, typed: string): string {
  const value = readTyped(typed, resource[field]);
  const write = (item: Readonly<Record<string, unknown>>) => ({ ...item, [field]: value });
  const whole = objectOf(text);
  const list = Object.keys(LISTS).find((key) => LISTS[key] === kind) ?? "";
  const rows = whole?.[list];
  if (Array.isArray(rows)) {
    const item = rows[line - 1] as Readonly<Record<string, unknown>>;
    return JSON.stringify({ ...whole, [list]: rows.with(line - 1, write(item)) }, undefined, 2);
  }
  const lines = text.split("\n");
  const item = objectOf(lines[line - 1] ?? "")?.[kind] as Readonly<Record<string, unknown>>;
  return lines.with(line - 1, JSON.stringify({ [kind]: write(item) })).join("\n");
}

/** A typed value as JSON; as a text if it replaces one, or cannot be read as JSON. */
function readTyped(typed: string, before: unknown): unknown {
  if (typed === "") return undefined;
  if (typeof before === "string") return typed;
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

/** Reads an object of lists of resources. */
export function parseLists(whole: Readonly<Record<string, unknown>>): Parsed {
  const items: Item[] = [];
  const unreadable: Unreadable[] = [];
  for (const [key, list] of Object.entries(whole)) {
    const kind = LISTS[key];
    if (kind === undefined || !Array.isArray(list)) {
      unreadable.push({ line: 1, message: `"${key}" is no list of ${Object.keys(LISTS).join(", ")}` });
      continue;
    }
    for (const [index, resource] of list.entries()) {
      if (isObject(resource)) items.push({ kind, line: index + 1, resource });
      else unreadable.push({ line: index + 1, message: `"${key}" holds something that is no object` });
    }
  }
  return { items, unreadable };
}

function parseLine(line: string, number: number): Item | Unreadable {
  const object = objectOf(line);
  if (object === undefined) return { line: number, message: "This is no JSON object" };
  const [[kind, resource] = ["", undefined], ...more] = Object.entries(object);
  if (more.length > 0 || !isKind(kind) || !isObject(resource)) {
    return { line: number, message: `Expected an object with one key out of ${KINDS.join(", ")}` };
  }
  return { kind, line: number, resource };
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isKind(word: string): word is Kind {
  return (KINDS as readonly string[]).includes(word);
}
