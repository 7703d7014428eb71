import { isJsonObject } from "#kernel/json_object.ts";
import type { FieldRule } from "../config/config.ts";

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
