import { OperationError } from "#kernel/errors.ts";
import { MAX_FRONTMATTER_CHARS } from "../../limits.ts";
import { parseDocument, parseReadable } from "../document.ts";
import { convertToParsedValue, type FieldValue, isSameValue } from "../field_value.ts";
import { extractYaml } from "../full_frontmatter.ts";
import { splitText } from "../split_text.ts";
import { locateOffset } from "../text_lines.ts";
import { type FieldEdit, listEditedTexts } from "./edit_ways.ts";
import { findMapping } from "./map_entries.ts";

export type { FieldValue } from "../field_value.ts";

/** New values by field; undefined removes the field. A mapping replaces the field's whole mapping. */
export type FieldChanges = Readonly<Record<string, FieldValue | undefined>>;

/**
 * Sets and removes frontmatter fields. Only lines of these fields change, and as few as possible. A field that already
 * has the value keeps its lines; new fields are added at the end. A text without frontmatter gets one.
 * @throws OperationError `failed_precondition` with line and column if `text` does not parse, or if a field cannot be
 * changed without another one (an anchor that an alias elsewhere refers to); `invalid_argument` for a number that is
 * not finite or a value that no frontmatter can hold
 *
 * The result is parsed again to verify that only these values changed. Cost: two parses per field. Source:
 * docs/decisions.md#s-06.
 */
export function editFields(text: string, changes: FieldChanges): string {
  let edited = text;
  for (const [key, value] of Object.entries(changes)) edited = editField(edited, key, value);
  return edited;
}

function editField(text: string, key: string, value: FieldValue | undefined): string {
  requireWritableValue(key, value);
  const before = parseReadable(text);
  const edit: FieldEdit = { text, before, key, value };
  const has = Object.hasOwn(before.frontmatter, key);
  if (value === undefined ? !has : has && isSameValue(before.frontmatter[key], convertToParsedValue(value, [key])))
    return text;
  for (const candidate of listEditedTexts(edit))
    if (candidate !== undefined && changesOnlyField(candidate, edit)) return candidate;
  throw createFieldRefusal(edit);
}

function requireWritableValue(key: string, value: FieldValue | undefined): void {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new OperationError("invalid_argument", `Invalid value ${value} for "${key}": expected a finite number`);
  }
  if (value !== undefined && JSON.stringify(value).length > MAX_FRONTMATTER_CHARS) {
    const limit = `expected frontmatter of at most ${MAX_FRONTMATTER_CHARS} characters`;
    throw new OperationError("invalid_argument", `Value for "${key}" is too long: ${limit}`);
  }
}

/** Returns whether the edited text parses as before except for the one field. */
function changesOnlyField(candidate: string, { before, key, value }: FieldEdit): boolean {
  const after = parseDocument(candidate);
  if (!after.ok || after.body !== before.body) return false;
  const expected: Record<string, unknown> = Object.assign(Object.create(null), before.frontmatter);
  if (value === undefined) delete expected[key];
  else expected[key] = convertToParsedValue(value, [key]);
  return isSameValue(after.frontmatter, expected);
}

function createFieldRefusal({ text, key }: FieldEdit): OperationError {
  const split = splitText(text);
  const range = split.ok ? split.range : null;
  const entry = range && findMapping(extractYaml(text, range), [])?.entries.find(({ name }) => name === key);
  const { line, column } = locateOffset(text, (range?.start ?? 0) + (entry?.start ?? 0));
  const reason = "cannot be changed without changing other fields";
  return new OperationError("failed_precondition", `Cannot set "${key}": line ${line}, column ${column}: it ${reason}`);
}
