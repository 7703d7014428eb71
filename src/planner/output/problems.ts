import { childPointer } from "./json_pointer.ts";

/** Location of a value in the output; undefined is the root. A linked list, because few locations need a message. */
export type At = { readonly parent: At; readonly token: string | number } | undefined;

/** One way in which a value does not fit its schema. */
export interface Problem {
  readonly at: At;
  /** What is wrong, without the place. */
  readonly what: string;
  /** The message is about a field of the value at `at`; at the root it needs no place. */
  readonly aboutField?: true;
  /** The types that would have fitted, when the type is all that is wrong. */
  readonly types?: readonly string[];
  /** The values that would have fitted, when the value is one of a list. */
  readonly allowed?: readonly unknown[];
}

const MAX_SHOWN_VALUE = 60;
const MAX_SHOWN_LIST = 10;

/** Formats a problem as `<pointer>: <what>`. Shows `output` for the root, whose pointer is empty. */
export function problemLine({ at, what, aboutField }: Problem): string {
  if (at === undefined && aboutField === true) return what;
  return `${at === undefined ? "output" : oneLine(pointerTo(at))}: ${what}`;
}

export function pointerTo(at: At): string {
  const tokens: (string | number)[] = [];
  for (let place = at; place !== undefined; place = place.parent) tokens.push(place.token);
  return tokens.reduceRight<string>(childPointer, "");
}

/** A value as JSON, cut where it gets long. */
export function formatValue(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value.slice(0, MAX_SHOWN_VALUE + 1)) : shownJson(value);
  return text.length > MAX_SHOWN_VALUE ? `${text.slice(0, MAX_SHOWN_VALUE)}…` : text;
}

function shownJson(value: unknown): string {
  // A large value would be written whole only to be cut.
  if (Array.isArray(value) && value.length > MAX_SHOWN_VALUE) return `an array of ${value.length} items`;
  return JSON.stringify(value) ?? String(value);
}

export function formatList(values: readonly unknown[]): string {
  const texts = values.slice(0, MAX_SHOWN_LIST).map(formatValue);
  const rest = values.length - texts.length;
  return rest > 0 ? `${texts.join(", ")} or ${rest} more` : texts.join(", ");
}

/** A field's name in single quotes, on one line whatever it holds. */
export function fieldName(name: string): string {
  return `'${oneLine(name.length > MAX_SHOWN_VALUE ? `${name.slice(0, MAX_SHOWN_VALUE)}…` : name)}'`;
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not reach a terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (letter) => JSON.stringify(letter).slice(1, -1));
}

/** The JSON Schema type of a value, `integer` for a number without a fraction. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
