import { escapeLineSeparators } from "#kernel/json_text.ts";

/** A violation of the schema by a value. */
export interface SchemaViolation {
  /** JSON pointer to the value; empty for the root. */
  readonly pointer: string;
  /** The violation, without its location. */
  readonly what: string;
  /** True if the message is about a field of the value; at the root it is then printed without a location. */
  readonly aboutField?: boolean;
  /** The accepted types, if only the type is wrong. */
  readonly types?: readonly string[];
  /** The accepted values, if the schema lists them. */
  readonly allowed?: readonly unknown[];
}

const MAX_SHOWN_VALUE_CHARS = 60;
const MAX_LISTED_VALUES = 10;

/** Formats a problem as `<pointer>: <what>`, with `output` for the root, whose pointer is empty. */
export function formatProblem({ pointer, what, aboutField }: SchemaViolation): string {
  if (pointer === "" && aboutField === true) return what;
  return `${pointer === "" ? "output" : replaceLineBreaks(pointer)}: ${what}`;
}

/** Formats a value as JSON, shortened if it is long. */
export function formatValue(value: unknown): string {
  const text =
    typeof value === "string"
      ? escapeControls(JSON.stringify(value.slice(0, MAX_SHOWN_VALUE_CHARS + 1)))
      : formatShortJson(value);
  return text.length > MAX_SHOWN_VALUE_CHARS ? `${text.slice(0, MAX_SHOWN_VALUE_CHARS)}…` : text;
}

function formatShortJson(value: unknown): string {
  // A large value is not converted to JSON, because most of the text would be cut off.
  if (Array.isArray(value) && value.length > MAX_SHOWN_VALUE_CHARS) return `an array of ${value.length} items`;
  return escapeControls(JSON.stringify(value) ?? String(value));
}

export function formatValueList(values: readonly unknown[]): string {
  const texts = values.slice(0, MAX_LISTED_VALUES).map(formatValue);
  const rest = values.length - texts.length;
  return rest > 0 ? `${texts.join(", ")} or ${rest} more` : texts.join(", ");
}

/** Formats a field's name in single quotes, on one line. */
export function formatFieldName(name: string): string {
  return `'${replaceLineBreaks(name.length > MAX_SHOWN_VALUE_CHARS ? `${name.slice(0, MAX_SHOWN_VALUE_CHARS)}…` : name)}'`;
}

function replaceLineBreaks(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not reach a terminal
  return escapeControls(text.replace(/[\u0000-\u001f]/g, (letter) => JSON.stringify(letter).slice(1, -1)));
}

/** Escapes the control characters and line separators that JSON leaves as they are. */
function escapeControls(json: string): string {
  return escapeLineSeparators(
    json.replace(/[\u007f-\u009f]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  );
}

/** Returns the JSON Schema type of a value; `integer` for a number without a fraction. */
export function getTypeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
