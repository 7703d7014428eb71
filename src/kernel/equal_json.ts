/** True when two JSON values are equal, whatever the order of fields. Cost: O(smaller value). */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && equalJson(read(left, name), read(right, name)))
  );
}

/** A text that is the same for equal JSON values and for no others. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "number") return String(value === 0 ? 0 : value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(read(value, name))}`).join()}}`;
}

function read(value: object, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name];
}
