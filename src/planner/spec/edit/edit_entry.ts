import { CST } from "yaml";
import { isJsonObject } from "#kernel/json_object.ts";
import {
  type FieldValue,
  findBlockHeader,
  findItemEnd,
  findItemStart,
  findTokenEnd,
  hasItemContent,
  isTextList,
  type SequenceToken,
  type Token,
} from "../full_frontmatter.ts";
import { findLineEnd, findLineStart, skipLineBreak } from "../text_lines.ts";
import { isListToken, type MapEntry, type MapSite } from "./map_entries.ts";

/** A new value and, in `current`, the parsed value that the entry has now. */
interface ValueChange {
  readonly value: FieldValue;
  readonly current: unknown;
}

/** The YAML text and its layout. Every function here returns undefined for a form that it cannot edit in place. */
export interface EditSite {
  readonly yaml: string;
  readonly layout: FrontmatterLayout;
}

type EntryEdits = readonly TextEdit[] | undefined;

export function planEntryChange(site: EditSite, { map }: MapSite, entry: MapEntry, change: ValueChange): EntryEdits {
  const inFlow = map.type === "flow-collection";
  const { value } = change;
  if (isTextList(value) && isListToken(entry.value)) {
    const edits = planListEdits(site, entry.value, { value, current: change.current, inFlow });
    if (edits !== undefined) return edits;
  }
  if (inFlow) return planFlowValue(entry, value);
  return needsSeparateLines(value, site.layout)
    ? planBlockValue(site, entry, value)
    : planInlineValue(site, entry, value);
}

/** Removes an entry; comment lines above it stay. */
export function planEntryRemoval(site: EditSite, { map, entries }: MapSite, entry: MapEntry): EntryEdits {
  if (map.type === "flow-collection") {
    const plan = entries.flatMap((other, index) => (other === entry ? [] : [index]));
    return planFlowItemEdits(site.yaml, map, { plan, lineBreak: site.layout.lineBreak });
  }
  const lines = findWholeLines(site.yaml, entry.start, entry.end);
  return lines && [{ ...lines, text: "" }];
}

export function planEntryAddition(
  site: EditSite,
  { map, entries }: MapSite,
  name: string,
  value: FieldValue,
): EntryEdits {
  const { yaml, layout } = site;
  if (map.type === "flow-collection") {
    const text = `${formatScalar(name, { style: "plain", inFlow: true })}: ${formatFlowValue(value)}`;
    return planFlowItemEdits(yaml, map, { plan: [...entries.keys(), text], lineBreak: layout.lineBreak });
  }
  const last = entries.at(-1);
  const first = entries[0];
  const lines = last && findWholeLines(yaml, last.start, last.end);
  if (lines === undefined || first === undefined) return undefined;
  const indent = yaml.slice(findLineStart(yaml, first.start), first.start);
  return [{ start: lines.end, end: lines.end, text: formatFieldLines(name, value, indent, layout) }];
}

function planListEdits(
  { yaml, layout }: EditSite,
  list: SequenceToken,
  { value, current, inFlow }: { value: readonly string[]; current: unknown; inFlow: boolean },
): EntryEdits {
  const form = { style: selectItemStyle(list), inFlow: inFlow || list.type === "flow-collection" };
  const plan: ItemPlan = planItems(isTextList(current) ? current : [], value, (item) => formatScalar(item, form));
  const options = { plan, lineBreak: layout.lineBreak };
  if (list.type === "flow-collection") return planFlowItemEdits(yaml, list, options);
  return plan.length === 0 ? undefined : planBlockListEdits(yaml, list, options);
}

function planFlowValue(entry: MapEntry, value: FieldValue): EntryEdits {
  const text = formatFlowValue(value, entry.value);
  if (entry.value !== undefined) return [replaceToken(entry.value, text)];
  const at = entry.colonEnd ?? entry.keyEnd;
  return [{ start: at, end: at, text: entry.colonEnd === undefined ? `: ${text}` : ` ${text}` }];
}

function planInlineValue({ yaml }: EditSite, entry: MapEntry, value: FieldValue): EntryEdits {
  const text = formatInlineValue(value, { style: detectScalarStyle(entry.value), inFlow: false });
  if (entry.value !== undefined && isInlineToken(entry.value)) return [replaceToken(entry.value, text)];
  const cleared = planValueRemoval(yaml, entry);
  return cleared && [{ start: cleared.at, end: cleared.at, text: ` ${text}` }, ...cleared.edits];
}

function planBlockValue({ yaml, layout }: EditSite, entry: MapEntry, value: FieldValue): EntryEdits {
  const cleared = planValueRemoval(yaml, entry);
  const lines = findWholeLines(yaml, entry.start, entry.start);
  if (cleared === undefined || lines === undefined) return undefined;
  const indent = yaml.slice(lines.start, entry.start);
  return [
    { start: cleared.below, end: cleared.below, text: formatValueLines(value, indent, layout) },
    ...cleared.edits,
  ];
}

/** Edits that remove an entry's value: a new value may be inserted after the colon at `at`, or as lines at `below`. */
interface ValueRemoval {
  readonly edits: readonly TextEdit[];
  readonly at: number;
  readonly below: number;
}

function planValueRemoval(yaml: string, { colonEnd: at, value }: MapEntry): ValueRemoval | undefined {
  if (at === undefined) return undefined;
  const nextLine = (offset: number): number => skipLineBreak(yaml, findLineEnd(yaml, offset));
  if (value === undefined) return { edits: [], at, below: nextLine(at) };
  if (value.type === "block-scalar") {
    const header = findBlockHeader(value);
    if (header === undefined) return undefined;
    const below = nextLine(header.offset);
    const end = findTokenEnd(value);
    const content = { start: below, end: end < below ? below : nextLine(end), text: "" };
    return { edits: [{ start: at, end: header.offset + header.source.length, text: "" }, content], at, below };
  }
  if (value.type === "block-map" || value.type === "block-seq") {
    const lines = findItemLines(yaml, value);
    const first = lines?.[0];
    return lines && first && { edits: lines.map((range) => ({ ...range, text: "" })), at, below: first.start };
  }
  const end = findTokenEnd(value);
  // A value on a line below its key is not edited, because a comment may precede it.
  return findLineEnd(yaml, at) < value.offset
    ? undefined
    : { edits: [{ start: at, end: end, text: "" }], at, below: nextLine(end) };
}

function isInlineToken(token: Token): boolean {
  return token.type !== "block-scalar" && token.type !== "block-map" && token.type !== "block-seq";
}

function replaceToken(token: Token, text: string): TextEdit {
  return { start: token.offset, end: findTokenEnd(token), text };
}

function formatFlowValue(value: FieldValue, old?: Token): string {
  return formatInlineValue(value, { style: detectScalarStyle(old), inFlow: true });
}

/** Returns the whole lines of `start..end` with the last line break; undefined if text precedes `start` on its line. */
function findWholeLines(yaml: string, start: number, end: number): OffsetRange | undefined {
  const from = findLineStart(yaml, start);
  if (yaml.slice(from, start).trim() !== "") return undefined;
  return { start: from, end: skipLineBreak(yaml, findLineEnd(yaml, end)) };
}

/** Returns the line ranges of every item of a block collection; undefined if an item shares a line with other text. */
function findItemLines(yaml: string, collection: CST.BlockSequence | CST.BlockMap): readonly OffsetRange[] | undefined {
  const ranges = collection.items
    .filter(hasItemContent)
    .map((item) => findWholeLines(yaml, findItemStart(item), findItemEnd(item)));
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

/**
 * Returns the edits for a plan that keeps or adds at least one item. Removed items lose their lines, new ones get lines
 * like the first item's, and comment lines between items stay.
 */
function planBlockListEdits(
  yaml: string,
  list: CST.BlockSequence,
  { plan, lineBreak }: { readonly plan: ItemPlan; readonly lineBreak: string },
): readonly TextEdit[] | undefined {
  const ranges = findItemLines(yaml, list);
  const first = ranges?.[0];
  if (ranges === undefined || first === undefined) return undefined;
  const kept = new Set(plan);
  const edits: TextEdit[] = ranges.flatMap(({ start, end }, index) =>
    kept.has(index) ? [] : [{ start, end, text: "" }],
  );
  const opening = findItemOpening(yaml, list);
  let at = first.start;
  for (const step of plan) {
    if (typeof step === "number") at = ranges[step]?.end ?? at;
    else edits.push({ start: at, end: at, text: `${opening}${step}${lineBreak}` });
  }
  return edits;
}

/** Returns the beginning of a list line up to its value: `  - `. */
function findItemOpening(yaml: string, list: CST.BlockSequence): string {
  const first = list.items.find(hasItemContent);
  const dash = first === undefined ? list.offset : findItemStart(first);
  const value = first?.value?.offset;
  const gap = value === undefined ? " " : yaml.slice(dash + 1, value);
  return `${yaml.slice(findLineStart(yaml, dash), dash)}-${/^ +$/.test(gap) ? gap : " "}`;
}

/**
 * One item of a `[…]` or `{…}` on several lines: `lead` is the text before it, including comment lines; `tail` is the
 * text after it on its line, without the comma.
 */
interface FlowItem {
  readonly lead: string;
  readonly text: string;
  readonly tail: string;
}

/** Returns edits that apply a plan within the brackets, or undefined if the commas precede the items. */
function planFlowItemEdits(
  yaml: string,
  collection: CST.FlowCollection,
  { plan, lineBreak }: { readonly plan: ItemPlan; readonly lineBreak: string },
): readonly TextEdit[] | undefined {
  const from = collection.offset + 1;
  const to = findTokenEnd(collection) - 1;
  const inner = yaml.slice(from, to);
  if (!/[\r\n]/.test(inner)) return [{ start: from, end: to, text: formatItemsOnOneLine(yaml, collection, plan) }];
  if (plan.length === 0 && !inner.includes("#")) return [{ start: from, end: to, text: "" }];
  const parts = parseFlowParts(yaml, collection);
  return parts && [{ start: from, end: to, text: formatItemsOnLines(parts, plan, lineBreak) }];
}

function formatItemsOnOneLine(yaml: string, collection: CST.FlowCollection, plan: ItemPlan): string {
  const items = collection.items.filter(hasItemContent);
  const [first, second] = items;
  if (first === undefined || plan.length === 0) return plan.join(", ");
  const texts = items.map((item) => yaml.slice(findItemStart(item), findItemEnd(item)));
  const separator = second === undefined ? ", " : yaml.slice(findItemEnd(first), findItemStart(second));
  const opening = yaml.slice(collection.offset + 1, findItemStart(first));
  const closing = yaml.slice(findItemEnd(items.at(-1) ?? first), findTokenEnd(collection) - 1);
  return (
    opening + plan.map((step) => (typeof step === "number" ? (texts[step] ?? "") : step)).join(separator) + closing
  );
}

interface FlowParts {
  readonly opening: string;
  readonly items: readonly FlowItem[];
  readonly closing: string;
  readonly lastComma: boolean;
}

function parseFlowParts(yaml: string, collection: CST.FlowCollection): FlowParts | undefined {
  const filled = collection.items.filter(hasItemContent);
  const commas = collection.items.flatMap(({ start }) => start.filter(({ type }) => type === "comma"));
  const [opening, firstLead] = splitFirstLine(
    yaml.slice(collection.offset + 1, findItemOrBracketStart(filled[0], collection)),
  );
  const items: FlowItem[] = [];
  let lead = firstLead;
  for (const [index, item] of filled.entries()) {
    const end = findItemEnd(item);
    const gap = yaml.slice(end, findItemOrBracketStart(filled[index + 1], collection));
    const [line, rest] = splitFirstLine(gap);
    const comma = commas[index] === undefined ? -1 : commas[index].offset - end;
    if (comma >= line.length) return undefined;
    const behind = comma < 0 ? line : line.slice(0, comma) + line.slice(comma + 1);
    // Text between the last item and a bracket on the same line belongs to the bracket.
    const closesLine = index === filled.length - 1 && rest === "" && !/[\r\n]$/.test(behind);
    items.push({ lead, text: yaml.slice(findItemStart(item), end), tail: closesLine ? "" : behind });
    lead = closesLine ? behind : rest;
  }
  return { opening, items, closing: lead, lastComma: commas.length >= filled.length && filled.length > 0 };
}

function findItemOrBracketStart(
  item: CST.FlowCollection["items"][number] | undefined,
  collection: CST.FlowCollection,
): number {
  return item === undefined ? findTokenEnd(collection) - 1 : findItemStart(item);
}

function formatItemsOnLines(parts: FlowParts, plan: ItemPlan, lineBreak: string): string {
  const { opening, items, closing, lastComma } = parts;
  const indent = items.map(({ lead }) => /(?:^|[\r\n])([ \t]+)$/.exec(lead)?.[1]).find((found) => found) ?? "  ";
  const lastTail = items.at(-1)?.tail === "" ? "" : lineBreak;
  let previous = -1;
  const planned = plan.map((step): FlowItem => {
    const old = typeof step === "number" ? items[step] : undefined;
    if (typeof step !== "number" || old === undefined) return { lead: indent, text: String(step), tail: lineBreak };
    const comments = extractComments(items.slice(previous + 1, step));
    previous = step;
    return { ...old, lead: comments + old.lead, tail: old.tail || lineBreak };
  });
  const written = planned.map(({ lead, text, tail }, place) => {
    if (place < planned.length - 1) return `${lead}${text},${tail}`;
    return `${lead}${text}${lastComma ? "," : ""}${tail.trim() === "" ? lastTail : tail}`;
  });
  const all = written.join("") + extractComments(items.slice(previous + 1)) + closing;
  // An item on the bracket's own line needs no indentation.
  return opening + (/[\r\n]$/.test(opening) ? all : all.replace(/^[ \t]+/, ""));
}

/** Returns the comment lines before removed items; they are kept. */
function extractComments(removed: readonly FlowItem[]): string {
  return removed.map(({ lead }) => /^[\s\S]*[\r\n]/.exec(lead)?.[0] ?? "").join("");
}

/** Splits a text after its first line break. */
function splitFirstLine(text: string): readonly [line: string, rest: string] {
  const next = skipLineBreak(text, findLineEnd(text, 0));
  return [text.slice(0, next), text.slice(next)];
}

/** Items of a changed collection: a number keeps the item of that index, a text is a new item. */
type ItemPlan = readonly (number | string)[];

/** Returns the plan that changes `before` to `after`. Keeps items that one pass finds in order. */
function planItems(before: readonly unknown[], after: readonly string[], write: (item: string) => string): ItemPlan {
  let from = 0;
  return after.map((item) => {
    const index = before.indexOf(item, from);
    if (index === -1) return write(item);
    from = index + 1;
    return index;
  });
}

/** Returns the style for a new item: that of the last item. */
function selectItemStyle(list: SequenceToken): ScalarStyle {
  return detectScalarStyle(list.items.findLast((item) => item.value !== undefined)?.value);
}

/** Returns the quoting style of a scalar, unless the scalar needs quotes; `plain` for any other token. */
function detectScalarStyle(token: Token | undefined): ScalarStyle {
  if (token?.type !== "single-quoted-scalar" && token?.type !== "double-quoted-scalar") return "plain";
  const text = CST.resolveAsScalar(token, false, () => {}).value;
  if (!isPlainText(text, true)) return "plain";
  return token.type === "single-quoted-scalar" ? "single" : "double";
}

/** Style of lists and line breaks in a frontmatter; new lines use the same. */
export interface FrontmatterLayout {
  readonly lineBreak: string;
  readonly lists: "block" | "flow";
  /** Indentation of a list's `-` relative to its key. */
  readonly listIndent: string;
}

const PLAIN_FORM: ScalarForm = { style: "plain", inFlow: false };
const FLOW_FORM: ScalarForm = { style: "plain", inFlow: true };

/** Formats a value on one line: scalars in the requested style, lists as `[a, b]`, mappings as `{a: b}`. */
export function formatInlineValue(value: FieldValue, form: ScalarForm = PLAIN_FORM): string {
  const inner = { ...form, inFlow: true };
  if (isTextList(value)) return `[${value.map((item) => formatScalar(item, inner)).join(", ")}]`;
  if (!isJsonObject<FieldValue>(value)) return formatScalar(value, form);
  return `{${Object.entries(value)
    .map(([key, item]) => `${formatScalar(key, FLOW_FORM)}: ${formatInlineValue(item, inner)}`)
    .join(", ")}}`;
}

/** Returns whether the value is written on separate lines below its key. */
function needsSeparateLines(value: FieldValue, layout: FrontmatterLayout): boolean {
  if (isTextList(value)) return value.length > 0 && layout.lists === "block";
  return isJsonObject<FieldValue>(value) && Object.keys(value).length > 0;
}

/** Formats the lines of a value below its key. @param indent text before the key on its line */
function formatValueLines(value: FieldValue, indent: string, layout: FrontmatterLayout): string {
  if (isTextList(value)) {
    return value
      .map((item) => `${indent}${layout.listIndent}- ${formatScalar(item, PLAIN_FORM)}${layout.lineBreak}`)
      .join("");
  }
  if (!isJsonObject<FieldValue>(value)) return "";
  return Object.entries(value)
    .map(([key, item]) => formatFieldLines(key, item, `${indent}  `, layout))
    .join("");
}

/** Formats a field with its value as lines of a block mapping. */
export function formatFieldLines(key: string, value: FieldValue, indent: string, layout: FrontmatterLayout): string {
  const name = `${indent}${formatScalar(key, PLAIN_FORM)}:`;
  if (needsSeparateLines(value, layout)) return `${name}${layout.lineBreak}${formatValueLines(value, indent, layout)}`;
  return `${name} ${formatInlineValue(value)}${layout.lineBreak}`;
}

/** A half-open range of character offsets. */
export interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/** Replaces a range of characters; an empty range inserts text. */
export interface TextEdit extends OffsetRange {
  readonly text: string;
}

/** Applies edits that do not overlap. Insertions at an offset precede a replacement there, in their given order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return parts.join("") + text.slice(at);
}

/** YAML style of a scalar: plain, or in single or double quotes. */
export type ScalarStyle = "plain" | "single" | "double";

interface ScalarForm {
  /** The preferred style; a text that needs other quotes gets them. */
  readonly style: ScalarStyle;
  /** True within `[]` or `{}`, where commas and brackets are syntax. */
  readonly inFlow: boolean;
}

// Words and numbers of YAML 1.1 and 1.2, which are quoted so that every parser reads them as text.
const NON_TEXT_PATTERN = new RegExp(
  [
    "^(?:y|yes|n|no|true|false|on|off|null|~|=|<<)$",
    String.raw`^[-+]?(?:\d[\d_,]*)?\.?[\d_]*(?:e[-+]?\d+)?$`,
    String.raw`^[-+]?0(?:o[0-7_]+|x[\da-f_]+|b[01_]+)$`,
    String.raw`^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$`,
    String.raw`^(?:[-+]?\.inf|\.nan)$`,
  ].join("|"),
  "i",
);
const PLAIN_PATTERN = /^[^\s\-?:,[\]{}#&*!|>'"%@`\p{C}](?:[^\p{C}\u2028\u2029]*[^\s:\p{C}])?$/u;

/** Formats a scalar on one line so that YAML parsers read the same value back. */
export function formatScalar(value: string | number | boolean, { style, inFlow }: ScalarForm): string {
  if (typeof value !== "string") return String(value);
  if (style === "plain" && isPlainText(value, inFlow)) return value;
  if (style === "single" && /^[^\p{C}\u2028\u2029]*$/u.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return quoteDouble(value);
}

/** Returns whether every YAML parser reads the text, written without quotes, as the same string. */
function isPlainText(text: string, inFlow: boolean): boolean {
  if (!PLAIN_PATTERN.test(text) || NON_TEXT_PATTERN.test(text)) return false;
  return !/: |:\t| #|\t#/.test(text) && !(inFlow && /[,[\]{}]|:$/.test(text));
}

/** Formats the text in double quotes. A JSON string is valid YAML, except that YAML requires a few more escapes. */
function quoteDouble(text: string): string {
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
