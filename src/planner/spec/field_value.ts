import { isJsonObject } from "#kernel/json_object.ts";

/** A value that a frontmatter field may be set to. Numbers must be finite. */
export type FieldValue =
  | string
  | boolean
  | number
  | readonly string[]
  | { readonly [key: string]: string | boolean | number | readonly string[] };

export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}

/** Returns the value as the parser would read it: in fields that keep their text, numbers and booleans become texts. */
export function convertToParsedValue(value: FieldValue, path: readonly string[]): unknown {
  if (isTextList(value)) return value;
  if (isJsonObject<FieldValue>(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, convertToParsedValue(inner, [...path, key])]),
    );
  }
  return keepsWrittenText(path) ? String(value) : value;
}

/** Returns whether two parsed frontmatter values are equal, ignoring the order of keys. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSameValue(item, b[index]));
  }
  if (isJsonObject<FieldValue>(a) && isJsonObject<FieldValue>(b)) {
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    return keys.every((key) => Object.hasOwn(b, key) && isSameValue(a[key], b[key]));
  }
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

/**
 * Fields whose scalars keep their written text, so that `model: 1.10` or `labels: [007]` lose no digits; null and
 * nested structures are parsed. For a list the rule applies to the items.
 */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "status",
  "title",
  "description",
  "type",
  "depends_on",
  "labels",
  "target_files",
  "model",
  "output_schema",
  "context",
  "prompt",
  "branch",
  "commits",
  "commit",
  "completed_at",
  "members",
  "tracks",
  "informed_by",
  "origin",
  "assignee",
  "due",
]);

const APPROVAL_TEXTS: ReadonlySet<string> = new Set(["status", "by", "at"]);

/** Returns whether scalars directly under `path` (keys from the top) keep their written text. */
export function keepsWrittenText(path: readonly string[]): boolean {
  if (path.length === 1) return TEXT_FIELDS.has(path[0] ?? "");
  return path.length === 2 && path[0] === "approval" && APPROVAL_TEXTS.has(path[1] ?? "");
}
