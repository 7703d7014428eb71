import type { BulkReply } from "#gen/datacenter/v1/json.ts";
import type { ErrorDetail, FieldViolation } from "../api/client.ts";
import { simplifyMessage } from "../labels.ts";

export const IMPORT_KINDS = ["rack", "device", "crac", "cable", "fabric_link"] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** One resource of a file and its position. */
export interface ImportItem {
  readonly kind: ImportKind;
  /** Line in JSON Lines, counted from 1; position in its list for a JSON object. */
  readonly line: number;
  readonly resource: Readonly<Record<string, unknown>>;
  /** Errors found while parsing; an item with errors is checked with the others but never written. */
  readonly problems?: readonly FieldProblem[];
}

/** Error of an item's field; the field is "" if the error concerns the whole item. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** A position in the file that contains no resource, and the reason. */
interface UnreadableEntry {
  readonly line: number;
  readonly message: string;
}

/** A column of a table, by its index, and the field that it fills. */
interface FilledColumn {
  readonly path: string;
  readonly header: string;
  readonly at: number;
}

export interface ParsedFile {
  readonly items: readonly ImportItem[];
  readonly unreadable: readonly UnreadableEntry[];
  /** Fields that the columns of a table fill; absent for JSON. */
  readonly columns?: readonly FilledColumn[];
}

const KINDS_BY_LIST: Readonly<Record<string, ImportKind>> = {
  racks: "rack",
  devices: "device",
  cracs: "crac",
  cables: "cable",
  fabric_links: "fabric_link",
};

/**
 * Parses JSON Lines (`{"rack": {…}}` on each line) or one JSON object of lists (`{"racks": […], "devices": […]}`).
 * Reports unreadable items by line and parses the others.
 */
export function parseImportItems(text: string): ParsedFile {
  const whole = parseJsonObject(text);
  if (whole !== undefined && Object.keys(whole).some((key) => key in KINDS_BY_LIST)) return parseResourceLists(whole);
  const items: ImportItem[] = [];
  const unreadable: UnreadableEntry[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const read = parseItemLine(line, index + 1);
    if ("message" in read) unreadable.push(read);
    else items.push(read);
  }
  return { items, unreadable };
}

/** Returns the text of JSON Lines, or of an object of lists, with one field of an item replaced. */
export function replaceItemField(
  text: string,
  { kind, line, resource }: ImportItem,
  field: string,
  typed: string,
): string {
  const value = parseTypedValue(typed, resource[field]);
  const setField = (item: Readonly<Record<string, unknown>>) => ({ ...item, [field]: value });
  const whole = parseJsonObject(text);
  const list = Object.keys(KINDS_BY_LIST).find((key) => KINDS_BY_LIST[key] === kind) ?? "";
  const rows = whole?.[list];
  if (Array.isArray(rows)) {
    const item = rows[line - 1] as Readonly<Record<string, unknown>>;
    return JSON.stringify({ ...whole, [list]: rows.with(line - 1, setField(item)) }, undefined, 2);
  }
  const lines = text.split("\n");
  const item = parseJsonObject(lines[line - 1] ?? "")?.[kind] as Readonly<Record<string, unknown>>;
  return lines.with(line - 1, JSON.stringify({ [kind]: setField(item) })).join("\n");
}

/** Parses a typed value as JSON; keeps it as text if it replaces a text or is not valid JSON. */
function parseTypedValue(typed: string, before: unknown): unknown {
  if (typed === "") return undefined;
  if (typeof before === "string") return typed;
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

/** Parses an object of lists of resources, such as `{"racks": […]}`. Lines of items are positions in their lists. */
export function parseResourceLists(whole: Readonly<Record<string, unknown>>): ParsedFile {
  const items: ImportItem[] = [];
  const unreadable: UnreadableEntry[] = [];
  for (const [key, list] of Object.entries(whole)) {
    const kind = KINDS_BY_LIST[key];
    if (kind === undefined || !Array.isArray(list)) {
      unreadable.push({ line: 1, message: `"${key}" is no list of ${Object.keys(KINDS_BY_LIST).join(", ")}` });
      continue;
    }
    for (const [index, resource] of list.entries()) {
      if (isObject(resource)) items.push({ kind, line: index + 1, resource });
      else unreadable.push({ line: index + 1, message: `"${key}" holds something that is no object` });
    }
  }
  return { items, unreadable };
}

function parseItemLine(line: string, number: number): ImportItem | UnreadableEntry {
  const object = parseJsonObject(line);
  if (object === undefined) return { line: number, message: "This is no JSON object" };
  const [[kind, resource] = ["", undefined], ...more] = Object.entries(object);
  if (more.length > 0 || !isImportKind(kind) || !isObject(resource)) {
    return { line: number, message: `Expected an object with one key out of ${IMPORT_KINDS.join(", ")}` };
  }
  return { kind, line: number, resource };
}

function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
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

function isImportKind(word: string): word is ImportKind {
  return (IMPORT_KINDS as readonly string[]).includes(word);
}

/** Matches the prefixes of a field's path that exist only in the request and not in the file. */
const REQUEST_PREFIX_PATTERN =
  /\b(?:items\[\d+\]|(?:changes\[\d+\]\.)?(?:rack|device|crac|cable|fabric_link))\.(?=[a-z])/g;

/** Returns the errors of an item by field, with paths relative to the item. */
export function createFieldProblems(violations: readonly FieldViolation[], message: string): readonly FieldProblem[] {
  if (violations.length === 0) return [{ field: "", message: simplifyMessage(message) }];
  return violations.map(({ field, description }) => ({
    field: field.replaceAll(REQUEST_PREFIX_PATTERN, "").replace(/^(?:items|changes)\[\d+\].*$/, ""),
    message: simplifyMessage(description.replaceAll(REQUEST_PREFIX_PATTERN, "")),
  }));
}

/** Returns the errors of one result in a bulk reply. */
export function listResultProblems({ error }: BulkReply["results"][number]): readonly FieldProblem[] {
  if (error === undefined) return [];
  const details = error.details as readonly ErrorDetail[];
  return createFieldProblems(
    details.flatMap(({ field_violations = [] }) => field_violations),
    error.message,
  );
}

/** Joins an item's errors that were found in the file with the server's errors that concern other fields. */
export function joinFieldProblems(
  { problems: own = [] }: ImportItem,
  found: readonly FieldProblem[],
): readonly FieldProblem[] {
  const isKnown = ({ field }: FieldProblem) =>
    field !== "" && own.some((one) => getTopField(one.field) === getTopField(field));
  return [...own, ...found.filter((one) => !isKnown(one))];
}

export function getTopField(field: string): string {
  return field.split(/[.[]/)[0] ?? "";
}

/** Returns the column of a table that a field was read from; undefined for a field without a column. */
export function findFieldColumn({ columns = [] }: ParsedFile, field: string): FilledColumn | undefined {
  if (field === "") return undefined;
  return (
    columns.find(({ path }) => path === field) ??
    columns.find(
      ({ path }) => path.startsWith(`${field}.`) || field.startsWith(`${path}.`) || field.startsWith(`${path}[`),
    )
  );
}

/** Finds resources that the file contains twice. Reports each later item with the line of the first one. */
export function findRepeatedItems(items: readonly ImportItem[]): ReadonlyMap<ImportItem, FieldProblem> {
  const first = new Map<string, ImportItem>();
  const repeated = new Map<ImportItem, FieldProblem>();
  for (const item of items) {
    const key = getItemKey(item);
    const other = key === undefined ? undefined : first.get(key);
    if (other !== undefined)
      repeated.set(item, {
        field: "code" in item.resource ? "code" : "a",
        message: `Line ${other.line} has it already`,
      });
    else if (key !== undefined) first.set(key, item);
  }
  return repeated;
}

function getItemKey({ kind, resource: { code, a, b } }: ImportItem): string | undefined {
  if (typeof code === "string") return `${kind}:${code.toLowerCase()}`;
  if (a === undefined || b === undefined) return undefined;
  const ends = [a, b].map((end) => JSON.stringify(end).toLowerCase());
  return `${kind}:${ends.toSorted().join("~")}`;
}
