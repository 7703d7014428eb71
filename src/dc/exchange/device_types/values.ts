/** Something about a file that is not as the library's schema says. */
export interface TypeProblem {
  /** Where in the document: `["interfaces", 3, "type"]`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A text; YAML reads unquoted `8000` or `yes` as other values, which are texts all the same. */
export function plainText(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Returns an optional value; notes an unexpected value and leaves it out. */
export function noted<Value>(
  { value, path, expected }: { readonly value: unknown; readonly path: TypeProblem["path"]; readonly expected: string },
  read: (value: unknown) => Value | undefined,
  notes: TypeProblem[],
): Value | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const known = read(value);
  if (known === undefined)
    notes.push({ path, message: `expected ${expected}, found ${formatValue(value)}: it is left out` });
  return known;
}

/** True or false, and nothing that YAML of other versions takes for them. */
export function flagOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

export function formatValue(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
