import { isJsonObject } from "#kernel/json_object.ts";
import type { ReadableDocument } from "../document.ts";
import { convertToParsedValue, type FieldValue, isSameValue } from "../field_value.ts";
import { extractYaml } from "../full_frontmatter.ts";
import { type FrontmatterRange, splitText } from "../split_text.ts";
import { detectLineBreak, findContentEnd, findLineEnd, findLineStart } from "../text_lines.ts";
import { type EditSite, planEntryAddition, planEntryChange, planEntryRemoval } from "./edit_entry.ts";
import { type FrontmatterLayout, formatFieldLines, formatInlineValue } from "./field_text.ts";
import { findMapping, isMapToken, type MapEntry, type MapSite } from "./map_entries.ts";
import { formatScalar, type ScalarStyle } from "./scalar_text.ts";
import { applyEdits, type TextEdit } from "./text_edits.ts";

/** A change of one field in a text, with the text's parsed form in `before`. */
export interface FieldEdit {
  readonly text: string;
  readonly before: ReadableDocument;
  readonly key: string;
  readonly value: FieldValue | undefined;
}

/** Yields texts edited in different ways, the one with the fewest changes first; undefined for an inapplicable way. */
export function* listEditedTexts(edit: FieldEdit): Generator<string | undefined> {
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
