import { isJsonObject } from "#kernel/json_object.ts";
import type { FieldRule } from "../config/config.ts";
import { findNearFields } from "../spec/near.ts";

type FieldType = NonNullable<FieldRule["type"]>;

const TYPE_TESTS: Record<FieldType, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  array: (value) => Array.isArray(value),
  object: (value) => isJsonObject(value),
};

const TYPE_NAMES: Record<FieldType, string> = {
  string: "a string",
  boolean: "a boolean",
  integer: "an integer",
  number: "a number",
  array: "an array",
  object: "an object",
};

/** Returns whether a frontmatter value is missing: the key is absent, or its value is empty. */
export function isMissingValue(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** Describes the required type if `value` has another one, else undefined. `items` alone requires an array. */
export function describeTypeMismatch({ type, items }: FieldRule, value: unknown): string | undefined {
  const demanded = type ?? (items === undefined ? undefined : "array");
  if (demanded === undefined || TYPE_TESTS[demanded](value)) return undefined;
  return demanded === "array" && items !== undefined ? `an array of ${items}` : TYPE_NAMES[demanded];
}

/** Returns the items of an array that have another type than the rule requires. */
export function findMistypedItems(
  { items }: FieldRule,
  value: unknown,
): readonly { readonly index: number; readonly item: unknown; readonly expected: string }[] {
  if (items === undefined || !Array.isArray(value) || value.every(TYPE_TESTS[items])) return [];
  return value.flatMap((item, index) =>
    TYPE_TESTS[items](item) ? [] : [{ index, item, expected: TYPE_NAMES[items] }],
  );
}

/** Returns the name of a value's type as the configuration spells it. */
export function nameType(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** Fields by which people and other programs say that work is done or held, in place of `status`. */
const HOLDING_FIELDS: ReadonlySet<string> = new Set([
  ..."state stage done completed completed_at unproven closed cancelled canceled archived resolved".split(" "),
  ..."finished hold held on_hold paused blocked deferred".split(" "),
]);

/** Number of lines of a body in which a line `Status: …` is meant as the spec's. Our choice. */
const MAX_STATUS_LINES = 10;

/**
 * Returns whether a text without a value for `id` or `status` says it in another way: by a similar key, a key of
 * another program, or a line at the body's beginning. Only a person may then write the field, because a status of
 * pending could start work that a person had ended.
 */
export function saysElsewhere(
  { frontmatter, body }: { readonly frontmatter: Readonly<Record<string, unknown>>; readonly body: string },
  field: string,
): boolean {
  if (findNearFields(frontmatter).some(({ meant }) => meant === field)) return true;
  if (field !== "status") return false;
  const isStatus = ([key, value]: [string, unknown]): boolean =>
    HOLDING_FIELDS.has(normalizeKey(key)) || (key !== "approval" && isJsonObject(value) && "status" in value);
  if (Object.entries(frontmatter).some(isStatus)) return true;
  const lines = body.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
  return lines.slice(0, MAX_STATUS_LINES).some((line) => /^[\s>*_|#-]*(?:status|state)[\s*_]*[:=|]/i.test(line));
}

function normalizeKey(key: string): string {
  return key.toLowerCase().replace(/[\s-]+/g, "_");
}
