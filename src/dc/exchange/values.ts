import type { PortKind } from "#dc/model/enum_values.ts";
import { isPortTypeAllowed } from "#dc/model/port_types.ts";
import { convertToSlug } from "./codes.ts";

/** A value in a file that violates the library's schema. */
export interface TypeProblem {
  /** Path of the value in the document: `["interfaces", 3, "type"]`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Converts a value to text; YAML reads unquoted `8000` or `yes` as other types, although text was meant. */
export function convertToText(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Returns an optional value as `read` converts it. Notes an unexpected value and returns undefined. */
export function readOptional<Value>(
  { value, path, expected }: { readonly value: unknown; readonly path: TypeProblem["path"]; readonly expected: string },
  convert: (value: unknown) => Value | undefined,
  notes: TypeProblem[],
): Value | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const known = convert(value);
  if (known === undefined)
    notes.push({ path, message: `expected ${expected}, found ${formatValue(value)}: it is left out` });
  return known;
}

/** Returns a boolean; undefined for other values, including words that other YAML versions read as booleans. */
export function convertToBoolean(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

export function formatValue(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

/** Names of the legs of a three-phase feed in sources. */
export const FEED_LEGS = ["A", "B", "C"] as const;

/** Maximum number of positions of a port. */
export const MAX_POSITIONS = 1024;

/** Returns a source's port type in the inventory's spelling; undefined if a port of this kind cannot have it. */
export function convertToPortType(kind: PortKind, given: string): string | undefined {
  const type = convertToSlug(given);
  return type !== undefined && isPortTypeAllowed(kind, type) ? type : undefined;
}

/** Converts NetBox's spelling of an enumeration value, in lower case with hyphens; undefined for other words. */
export function convertToEnumValue<Word extends string>(words: readonly Word[], given: string): Word | undefined {
  const wanted = given.toUpperCase().replaceAll("-", "_");
  return words.find((word) => word === wanted);
}
