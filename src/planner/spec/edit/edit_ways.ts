import { isJsonObject } from "#kernel/json_object.ts";
import type { ReadableDocument } from "../document.ts";
import { asRead, type FieldValue, sameValue } from "../field_value.ts";
import { yamlOf } from "../full_frontmatter.ts";
import { type FrontmatterRange, splitText } from "../split_text.ts";
import { afterLastFilledLine, lineBreakOf, lineEnd, lineStart } from "../text_lines.ts";
import { addEntry, type EditSite, removeEntry, setEntry } from "./edit_entry.ts";
import { fieldLines, inlineText, type Layout } from "./field_text.ts";
import { isMapToken, type MapEntry, type MapSite, mapAt } from "./map_entries.ts";
import { type ScalarStyle, scalarText } from "./scalar_text.ts";
import { applyEdits, type TextEdit } from "./text_edits.ts";

/** One field to change in a text that parsed as `before`. */
export interface FieldEdit {
  readonly text: string;
  readonly before: ReadableDocument;
  readonly key: string;
  readonly value: FieldValue | undefined;
}

/** Ways to make the edit, the gentlest first; undefined where a way does not fit. */
export function* waysToEdit(edit: FieldEdit): Generator<string | undefined> {
  const { text, key, value } = edit;
  const split = splitText(text);
  if (!split.ok) return;
  const lineBreak = lineBreakOf(text);
  if (split.range === null) {
    const fields = value === undefined ? "" : fieldLines(key, value, "", layoutOf(undefined, lineBreak));
    const block = `---${lineBreak}${fields}---${lineBreak}`;
    yield text.slice(0, split.mark) + block + text.slice(split.mark);
    return;
  }
  const { range } = split;
  const root = mapAt(yamlOf(text, range), []);
  const site = { yaml: text.slice(range.start, range.end), layout: layoutOf(root, lineBreak) };
  const entry = root?.entries.find(({ name }) => name === key);
  const apply = (edits: readonly TextEdit[] | undefined): string | undefined =>
    edits && withYaml(text, range, applyEdits(site.yaml, edits));
  if (root !== undefined && entry !== undefined) {
    yield* changesOf(edit, { range, site, root, entry, apply });
  } else if (value !== undefined) {
    yield* additions(site, { root, key, value, apply });
  }
}

interface ChangeSite {
  readonly range: FrontmatterRange;
  readonly site: EditSite;
  readonly root: MapSite;
  readonly entry: MapEntry;
  readonly apply: (edits: readonly TextEdit[] | undefined) => string | undefined;
}

function* changesOf(edit: FieldEdit, { range, site, root, entry, apply }: ChangeSite): Generator<string | undefined> {
  const { key, value, before } = edit;
  const current = before.frontmatter[key];
  if (value === undefined) {
    const removal = removeEntry(site, root, entry);
    yield apply(removal);
    // Blank or indented comment lines below would become part of a block scalar above.
    yield apply(removal?.map((edit) => ({ ...edit, end: edit.end + looseLinesAt(site.yaml, edit.end) })));
    return;
  }
  if (
    isJsonObject<FieldValue>(value) &&
    isJsonObject<FieldValue>(current) &&
    isMapToken(entry.value) &&
    Object.keys(value).length > 0
  ) {
    yield withinMapping(edit, range, { value, current });
  }
  yield apply(setEntry(site, root, entry, { value, current }));
  yield apply([rewriteEntry(site, root, entry, { value, style: "plain" })]);
  yield apply([rewriteEntry(site, root, entry, { value, style: "double" })]);
}

/** Changes single keys of a mapping; those to add come before those to remove, so that it is never empty. */
function withinMapping(
  { text, key }: FieldEdit,
  range: FrontmatterRange,
  { value, current }: { value: Readonly<Record<string, FieldValue>>; current: Readonly<Record<string, unknown>> },
): string | undefined {
  let yaml = text.slice(range.start, range.end);
  const names = [...Object.keys(value), ...Object.keys(current).filter((name) => !Object.hasOwn(value, name))];
  for (const name of names) {
    const inner = value[name];
    const old = Object.hasOwn(current, name) ? current[name] : undefined;
    if (inner !== undefined && sameValue(old, asRead(inner, [key, name]))) continue;
    const edits = editWithin(yaml, [key, name], { value: inner, current: old, lineBreak: lineBreakOf(text) });
    if (edits === undefined) return undefined;
    yaml = applyEdits(yaml, edits);
  }
  return withYaml(text, range, yaml);
}

function editWithin(
  yaml: string,
  [key, name]: readonly [string, string],
  { value, current, lineBreak }: { value: FieldValue | undefined; current: unknown; lineBreak: string },
): readonly TextEdit[] | undefined {
  const parsable = yaml.replace(/\r(?!\n)/g, "\n");
  const map = mapAt(parsable, [key]);
  if (map === undefined) return undefined;
  const site = { yaml, layout: layoutOf(mapAt(parsable, []), lineBreak) };
  const entry = map.entries.find((candidate) => candidate.name === name);
  if (entry === undefined) return value === undefined ? [] : addEntry(site, map, name, value);
  return value === undefined ? removeEntry(site, map, entry) : setEntry(site, map, entry, { value, current });
}

function* additions(
  site: EditSite,
  {
    root,
    key,
    value,
    apply,
  }: { root: MapSite | undefined; key: string; value: FieldValue; apply: ChangeSite["apply"] },
): Generator<string | undefined> {
  const { yaml, layout } = site;
  if (root?.map.type === "flow-collection") {
    yield apply(addEntry(site, root, key, value));
    return;
  }
  const first = root?.entries[0];
  const indent = first === undefined ? "" : yaml.slice(lineStart(yaml, first.start), first.start);
  const text = fieldLines(key, value, /^ *$/.test(indent) ? indent : "", layout);
  // Blank lines at the end stay behind the new field, unless they are part of a block text.
  const behind = afterLastFilledLine(yaml);
  yield apply([{ start: behind, end: behind, text }]);
  yield apply([{ start: yaml.length, end: yaml.length, text }]);
  if (root !== undefined) yield apply(addEntry(site, root, key, value));
}

/** Rewrites the entry on one line and keeps a comment after it. This form depends least on the surrounding text. */
function rewriteEntry(
  { yaml }: EditSite,
  { map }: MapSite,
  entry: MapEntry,
  { value, style }: { readonly value: FieldValue; readonly style: ScalarStyle },
): TextEdit {
  const inFlow = map.type === "flow-collection";
  const text = `${scalarText(entry.name, { style, inFlow })}: ${inlineText(value, { style, inFlow })}`;
  // What a block text leaves behind itself on its last line belongs to it.
  const isBlockText = entry.value?.type === "block-scalar";
  return { start: entry.start, end: isBlockText ? lineEnd(yaml, entry.end) : entry.end, text };
}

/** How many characters the blank and indented comment lines at `at` take. */
function looseLinesAt(yaml: string, at: number): number {
  return /^(?:[ \t]*(?:\r\n|\n|\r)|[ \t]+#[^\r\n]*(?:\r\n|\n|\r))*/.exec(yaml.slice(at))?.[0].length ?? 0;
}

function layoutOf(root: MapSite | undefined, lineBreak: string): Layout {
  const lists = (root?.entries ?? []).map(({ value }) => value);
  const block = lists.find((token) => token?.type === "block-seq");
  const flow = lists.some((token) => token?.type === "flow-collection" && token.start.source === "[");
  const base = root?.map.type === "block-map" ? root.map.indent : 0;
  const indent = block?.type === "block-seq" ? Math.max(0, block.indent - base) : 2;
  return { lineBreak, lists: block === undefined && flow ? "flow" : "block", listIndent: " ".repeat(indent) };
}

function withYaml(text: string, range: FrontmatterRange, yaml: string): string {
  return text.slice(0, range.start) + yaml + text.slice(range.end);
}
