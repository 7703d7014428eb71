/** Whether two JSON values are equal, regardless of the order of fields. Cost: O(smaller value). */
export function isEqualJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every(
      (name) => Object.hasOwn(right, name) && isEqualJson(readOwnField(left, name), readOwnField(right, name)),
    )
  );
}

function readOwnField(value: object, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name];
}
