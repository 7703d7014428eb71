import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { MAX_FRONTMATTER_CHARS } from "../../limits.ts";
import { parseDocument, parseReadable, type ReadableDocument } from "../document.ts";
import { convertToParsedValue, extractYaml, type FieldValue, isSameValue } from "../full_frontmatter.ts";
import { type FrontmatterRange, splitText } from "../split_text.ts";
import { detectLineBreak, findContentEnd, findLineEnd, findLineStart, locateOffset } from "../text_lines.ts";
import {
  applyEdits,
  type EditSite,
  type FrontmatterLayout,
  formatFieldLines,
  formatInlineValue,
  formatScalar,
  planEntryAddition,
  planEntryChange,
  planEntryRemoval,
  type ScalarStyle,
  type TextEdit,
} from "./edit_entry.ts";
import { findMapping, isMapToken, type MapEntry, type MapSite } from "./map_entries.ts";

export type { FieldValue } from "../full_frontmatter.ts";

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

/** A change of one field in a text, with the text's parsed form in `before`. */
interface FieldEdit {
  readonly text: string;
  readonly before: ReadableDocument;
  readonly key: string;
  readonly value: FieldValue | undefined;
}

/** Yields texts edited in different ways, the one with the fewest changes first; undefined for an inapplicable way. */
function* listEditedTexts(edit: FieldEdit): Generator<string | undefined> {
  const { text, key, value } = edit;
  const split = splitText(text);
  if (!split.ok) return;
  const lineBreak = detectLineBreak(text);
  if (split.range === null) {
    const fields = value === undefined ? "" : formatFieldLines(key, value, "", detectLayout(undefined, lineBreak));
    const block = `---${lineBreak}${fields}---${lineBreak}`;
    yield text.slice(0, split.mark) + block + text.slice(split.mark);
    return;
  }
  const { range } = split;
  const root = findMapping(extractYaml(text, range), []);
  const site = { yaml: text.slice(range.start, range.end), layout: detectLayout(root, lineBreak) };
  const entry = root?.entries.find(({ name }) => name === key);
  const apply = (edits: readonly TextEdit[] | undefined): string | undefined =>
    edits && replaceYaml(text, range, applyEdits(site.yaml, edits));
  if (root !== undefined && entry !== undefined) {
    yield* listChangedTexts(edit, { range, site, root, entry, applyToText: apply });
  } else if (value !== undefined) {
    yield* listAddedTexts(site, { root, key, value, apply });
  }
}

interface ChangeSite {
  readonly range: FrontmatterRange;
  readonly site: EditSite;
  readonly root: MapSite;
  readonly entry: MapEntry;
  readonly applyToText: (edits: readonly TextEdit[] | undefined) => string | undefined;
}

function* listChangedTexts(
  edit: FieldEdit,
  { range, site, root, entry, applyToText }: ChangeSite,
): Generator<string | undefined> {
  const { key, value, before } = edit;
  const current = before.frontmatter[key];
  if (value === undefined) {
    const removal = planEntryRemoval(site, root, entry);
    yield applyToText(removal);
    // Blank or indented comment lines below would otherwise become part of a block scalar above.
    yield applyToText(removal?.map((edit) => ({ ...edit, end: edit.end + measureLooseLines(site.yaml, edit.end) })));
    return;
  }
  if (
    isJsonObject<FieldValue>(value) &&
    isJsonObject<FieldValue>(current) &&
    isMapToken(entry.value) &&
    Object.keys(value).length > 0
  ) {
    yield editMapping(edit, range, { value, current });
  }
  yield applyToText(planEntryChange(site, root, entry, { value, current }));
  yield applyToText([rewriteEntry(site, root, entry, { value, style: "plain" })]);
  yield applyToText([rewriteEntry(site, root, entry, { value, style: "double" })]);
}

/** Changes single keys of a mapping; adds keys before it removes others, so that the mapping is never empty. */
function editMapping(
  { text, key }: FieldEdit,
  range: FrontmatterRange,
  { value, current }: { value: Readonly<Record<string, FieldValue>>; current: Readonly<Record<string, unknown>> },
): string | undefined {
  let yaml = text.slice(range.start, range.end);
  const names = [...Object.keys(value), ...Object.keys(current).filter((name) => !Object.hasOwn(value, name))];
  for (const name of names) {
    const inner = value[name];
    const old = Object.hasOwn(current, name) ? current[name] : undefined;
    if (inner !== undefined && isSameValue(old, convertToParsedValue(inner, [key, name]))) continue;
    const edits = editMappingKey(yaml, [key, name], { value: inner, current: old, lineBreak: detectLineBreak(text) });
    if (edits === undefined) return undefined;
    yaml = applyEdits(yaml, edits);
  }
  return replaceYaml(text, range, yaml);
}

function editMappingKey(
  yaml: string,
  [key, name]: readonly [string, string],
  { value, current, lineBreak }: { value: FieldValue | undefined; current: unknown; lineBreak: string },
): readonly TextEdit[] | undefined {
  const parsable = yaml.replace(/\r(?!\n)/g, "\n");
  const map = findMapping(parsable, [key]);
  if (map === undefined) return undefined;
  const site = { yaml, layout: detectLayout(findMapping(parsable, []), lineBreak) };
  const entry = map.entries.find((candidate) => candidate.name === name);
  if (entry === undefined) return value === undefined ? [] : planEntryAddition(site, map, name, value);
  return value === undefined
    ? planEntryRemoval(site, map, entry)
    : planEntryChange(site, map, entry, { value, current });
}

function* listAddedTexts(
  site: EditSite,
  {
    root,
    key,
    value,
    apply,
  }: { root: MapSite | undefined; key: string; value: FieldValue; apply: ChangeSite["applyToText"] },
): Generator<string | undefined> {
  const { yaml, layout } = site;
  if (root?.map.type === "flow-collection") {
    yield apply(planEntryAddition(site, root, key, value));
    return;
  }
  const first = root?.entries[0];
  const indent = first === undefined ? "" : yaml.slice(findLineStart(yaml, first.start), first.start);
  const text = formatFieldLines(key, value, /^ *$/.test(indent) ? indent : "", layout);
  // Blank lines at the end stay after the new field, unless they are part of a block scalar.
  const behind = findContentEnd(yaml);
  yield apply([{ start: behind, end: behind, text }]);
  yield apply([{ start: yaml.length, end: yaml.length, text }]);
  if (root !== undefined) yield apply(planEntryAddition(site, root, key, value));
}

/** Rewrites the entry on one line and keeps a comment after it. This form depends least on the surrounding text. */
function rewriteEntry(
  { yaml }: EditSite,
  { map }: MapSite,
  entry: MapEntry,
  { value, style }: { readonly value: FieldValue; readonly style: ScalarStyle },
): TextEdit {
  const inFlow = map.type === "flow-collection";
  const text = `${formatScalar(entry.name, { style, inFlow })}: ${formatInlineValue(value, { style, inFlow })}`;
  // Text after a block scalar on its last line belongs to the scalar.
  const isBlockText = entry.value?.type === "block-scalar";
  return { start: entry.start, end: isBlockText ? findLineEnd(yaml, entry.end) : entry.end, text };
}

/** Returns the length of the blank and indented comment lines at `at`, in characters. */
function measureLooseLines(yaml: string, at: number): number {
  return /^(?:[ \t]*(?:\r\n|\n|\r)|[ \t]+#[^\r\n]*(?:\r\n|\n|\r))*/.exec(yaml.slice(at))?.[0].length ?? 0;
}

function detectLayout(root: MapSite | undefined, lineBreak: string): FrontmatterLayout {
  const lists = (root?.entries ?? []).map(({ value }) => value);
  const block = lists.find((token) => token?.type === "block-seq");
  const flow = lists.some((token) => token?.type === "flow-collection" && token.start.source === "[");
  const base = root?.map.type === "block-map" ? root.map.indent : 0;
  const indent = block?.type === "block-seq" ? Math.max(0, block.indent - base) : 2;
  return { lineBreak, lists: block === undefined && flow ? "flow" : "block", listIndent: " ".repeat(indent) };
}

function replaceYaml(text: string, range: FrontmatterRange, yaml: string): string {
  return text.slice(0, range.start) + yaml + text.slice(range.end);
}
