import type { PortKind } from "#dc/model/enum_values.ts";
import { typeFits } from "#dc/model/port_types.ts";
import { slugFrom } from "./codes.ts";

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
export function noteUnexpected<Value>(
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

/** Legs of a three-phase feed, as sources name them. */
export const FEED_LEGS = ["A", "B", "C"] as const;

/** Most positions of a port. */
export const MAX_POSITIONS = 1024;

/** A source's port type in our spelling, or undefined if it does not belong on a port of this kind. */
export function fittingType(kind: PortKind, given: string): string | undefined {
  const type = slugFrom(given);
  return type !== undefined && typeFits(kind, type) ? type : undefined;
}

/** The word of an enumeration that NetBox spells in lower case with hyphens, or undefined. */
export function oneOf<Word extends string>(words: readonly Word[], given: string): Word | undefined {
  const wanted = given.toUpperCase().replaceAll("-", "_");
  return words.find((word) => word === wanted);
}
