/** Whether a value of JSON is an object rather than a list, null or a scalar; `Value` is what its fields may hold. */
export function isJsonObject<Value = unknown>(value: unknown): value is Readonly<Record<string, Value>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
