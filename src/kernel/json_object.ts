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
