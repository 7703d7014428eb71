/** Whether a JSON value is an object rather than an array, null or a scalar. `Value` is the type of its fields. */
export function isJsonObject<Value = unknown>(value: unknown): value is Readonly<Record<string, Value>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the fields of a JSON object; none of any other value. */
export function jsonFields(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

/** Reads a text as JSON. Returns undefined for any other text. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
