import { isJsonObject } from "./json_object.ts";

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
