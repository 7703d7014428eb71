import type { CST } from "yaml";
import { type FieldValue, isTextList } from "../field_value.ts";
import { findLineEnd, findLineStart, skipLineBreak } from "../text_lines.ts";
import {
  findBlockHeader,
  findItemEnd,
  findItemStart,
  findTokenEnd,
  hasItemContent,
  type SequenceToken,
  type Token,
} from "../yaml_tokens.ts";
import { planFlowItemEdits } from "./edit_flow_items.ts";
import {
  type FrontmatterLayout,
  formatFieldLines,
  formatInlineValue,
  formatValueLines,
  needsSeparateLines,
} from "./field_text.ts";
import { detectScalarStyle, type ItemPlan, planItems, selectItemStyle } from "./list_plan.ts";
import { isListToken, type MapEntry, type MapSite } from "./map_entries.ts";
import { formatScalar } from "./scalar_text.ts";
import type { OffsetRange, TextEdit } from "./text_edits.ts";

/** A new value and, in `current`, the parsed value that the entry has now. */
export interface ValueChange {
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
