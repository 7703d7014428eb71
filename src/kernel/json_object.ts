/** Whether a JSON value is an object rather than an array, null or a scalar. `Value` is the type of its fields. */
export function isJsonObject<Value = unknown>(value: unknown): value is Readonly<Record<string, Value>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
