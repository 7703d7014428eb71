import { OperationError } from "#kernel/errors.ts";
import { MAX_FRONTMATTER_CHARS } from "../../limits.ts";
import { parseDocument, readableDocument } from "../document.ts";
import { asRead, type FieldValue, sameValue } from "../field_value.ts";
import { yamlOf } from "../full_frontmatter.ts";
import { splitText } from "../split_text.ts";
import { placeOf } from "../text_lines.ts";
import { type FieldEdit, waysToEdit } from "./edit_ways.ts";
import { mapAt } from "./map_entries.ts";

export type { FieldValue } from "../field_value.ts";

/** New values by field; undefined removes the field. A mapping replaces the whole mapping that the field held. */
export type FieldChanges = Readonly<Record<string, FieldValue | undefined>>;

/**
 * Sets and removes frontmatter fields; no line changes but theirs, and of those no more than must. A field that has the
 * value already keeps its lines, new fields come last. A text without frontmatter gets one.
 *
 * @throws OperationError `failed_precondition` with line and column when `text` does not parse, or when a field is
 *   written in a way that cannot be changed without another one (an anchor that an alias elsewhere refers to);
 *   `invalid_argument` for a number that is not finite or a value that no frontmatter holds
 *
 * The result is parsed again: it holds the new values and is otherwise as before. Cost: two parses per field.
 * Source: docs/decisions.md#s-06.
 */
export function editFields(text: string, changes: FieldChanges): string {
  let edited = text;
  for (const [key, value] of Object.entries(changes)) edited = editField(edited, key, value);
  return edited;
}

function editField(text: string, key: string, value: FieldValue | undefined): string {
  checkValue(key, value);
  const before = readableDocument(text);
  const edit: FieldEdit = { text, before, key, value };
  const has = Object.hasOwn(before.frontmatter, key);
  if (value === undefined ? !has : has && sameValue(before.frontmatter[key], asRead(value, [key]))) return text;
  for (const candidate of waysToEdit(edit))
    if (candidate !== undefined && changesOnlyField(candidate, edit)) return candidate;
  throw refusal(edit);
}

function checkValue(key: string, value: FieldValue | undefined): void {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new OperationError("invalid_argument", `Invalid value ${value} for "${key}": expected a finite number`);
  }
  if (value !== undefined && JSON.stringify(value).length > MAX_FRONTMATTER_CHARS) {
    const limit = `expected frontmatter of at most ${MAX_FRONTMATTER_CHARS} characters`;
    throw new OperationError("invalid_argument", `Value for "${key}" is too long: ${limit}`);
  }
}

/** Whether the edited text reads as before except for the one field. */
function changesOnlyField(candidate: string, { before, key, value }: FieldEdit): boolean {
  const after = parseDocument(candidate);
  if (!after.ok || after.body !== before.body) return false;
  const expected: Record<string, unknown> = Object.assign(Object.create(null), before.frontmatter);
  if (value === undefined) delete expected[key];
  else expected[key] = asRead(value, [key]);
  return sameValue(after.frontmatter, expected);
}

function refusal({ text, key }: FieldEdit): OperationError {
  const split = splitText(text);
  const range = split.ok ? split.range : null;
  const entry = range && mapAt(yamlOf(text, range), [])?.entries.find(({ name }) => name === key);
  const { line, column } = placeOf(text, (range?.start ?? 0) + (entry?.start ?? 0));
  const reason = "cannot be changed without changing other fields";
  return new OperationError("failed_precondition", `Cannot set "${key}": line ${line}, column ${column}: it ${reason}`);
}
