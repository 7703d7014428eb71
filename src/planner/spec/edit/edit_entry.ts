import type { CST } from "yaml";
import { type FieldValue, isList } from "../field_value.ts";
import { afterBreak, lineEnd, lineStart } from "../text_lines.ts";
import { blockHeader, isFilled, itemEnd, itemStart, type SequenceToken, type Token, tokenEnd } from "../yaml_tokens.ts";
import { flowItemEdits } from "./edit_flow_items.ts";
import { fieldLines, inlineText, type Layout, takesLines, valueLines } from "./field_text.ts";
import { type ItemPlan, itemStyle, planItems, styleOf } from "./list_plan.ts";
import { isListToken, type MapEntry, type MapSite } from "./map_entries.ts";
import { scalarText } from "./scalar_text.ts";
import type { Range, TextEdit } from "./text_edits.ts";

/** What is set: `current` is the value that the entry has now, as parsed. */
export interface NewValue {
  readonly value: FieldValue;
  readonly current: unknown;
}

/** The YAML and its habits. Every function here gives undefined for a form that it cannot edit in place. */
export interface EditSite {
  readonly yaml: string;
  readonly layout: Layout;
}

type Edits = readonly TextEdit[] | undefined;

export function setEntry(site: EditSite, { map }: MapSite, entry: MapEntry, change: NewValue): Edits {
  const inFlow = map.type === "flow-collection";
  const { value } = change;
  if (isList(value) && isListToken(entry.value)) {
    const edits = listEdits(site, entry.value, { value, current: change.current, inFlow });
    if (edits !== undefined) return edits;
  }
  if (inFlow) return setInFlow(entry, value);
  return takesLines(value, site.layout) ? setOnLines(site, entry, value) : setInline(site, entry, value);
}

/** Takes an entry away; the comment lines above it stay. */
export function removeEntry(site: EditSite, { map, entries }: MapSite, entry: MapEntry): Edits {
  if (map.type === "flow-collection") {
    const plan = entries.flatMap((other, index) => (other === entry ? [] : [index]));
    return flowItemEdits(site.yaml, map, { plan, lineBreak: site.layout.lineBreak });
  }
  const lines = linesOf(site.yaml, entry.start, entry.end);
  return lines && [{ ...lines, text: "" }];
}

export function addEntry(site: EditSite, { map, entries }: MapSite, name: string, value: FieldValue): Edits {
  const { yaml, layout } = site;
  if (map.type === "flow-collection") {
    const text = `${scalarText(name, { style: "plain", inFlow: true })}: ${flowText(value)}`;
    return flowItemEdits(yaml, map, { plan: [...entries.keys(), text], lineBreak: layout.lineBreak });
  }
  const last = entries.at(-1);
  const first = entries[0];
  const lines = last && linesOf(yaml, last.start, last.end);
  if (lines === undefined || first === undefined) return undefined;
  const indent = yaml.slice(lineStart(yaml, first.start), first.start);
  return [{ start: lines.end, end: lines.end, text: fieldLines(name, value, indent, layout) }];
}

function listEdits(
  { yaml, layout }: EditSite,
  list: SequenceToken,
  { value, current, inFlow }: { value: readonly string[]; current: unknown; inFlow: boolean },
): Edits {
  const form = { style: itemStyle(list), inFlow: inFlow || list.type === "flow-collection" };
  const plan: ItemPlan = planItems(isList(current) ? current : [], value, (item) => scalarText(item, form));
  const options = { plan, lineBreak: layout.lineBreak };
  if (list.type === "flow-collection") return flowItemEdits(yaml, list, options);
  return plan.length === 0 ? undefined : blockListEdits(yaml, list, options);
}

function setInFlow(entry: MapEntry, value: FieldValue): Edits {
  const text = flowText(value, entry.value);
  if (entry.value !== undefined) return [replaceToken(entry.value, text)];
  const at = entry.colonEnd ?? entry.keyEnd;
  return [{ start: at, end: at, text: entry.colonEnd === undefined ? `: ${text}` : ` ${text}` }];
}

function setInline({ yaml }: EditSite, entry: MapEntry, value: FieldValue): Edits {
  const text = inlineText(value, { style: styleOf(entry.value), inFlow: false });
  if (entry.value !== undefined && isInline(entry.value)) return [replaceToken(entry.value, text)];
  const cleared = clear(yaml, entry);
  return cleared && [{ start: cleared.at, end: cleared.at, text: ` ${text}` }, ...cleared.edits];
}

function setOnLines({ yaml, layout }: EditSite, entry: MapEntry, value: FieldValue): Edits {
  const cleared = clear(yaml, entry);
  const lines = linesOf(yaml, entry.start, entry.start);
  if (cleared === undefined || lines === undefined) return undefined;
  const indent = yaml.slice(lines.start, entry.start);
  return [{ start: cleared.below, end: cleared.below, text: valueLines(value, indent, layout) }, ...cleared.edits];
}

/** How an entry loses its value: `at` is where another one may follow the colon, `below` where lines of one may begin. */
interface Cleared {
  readonly edits: readonly TextEdit[];
  readonly at: number;
  readonly below: number;
}

function clear(yaml: string, { colonEnd: at, value }: MapEntry): Cleared | undefined {
  if (at === undefined) return undefined;
  const nextLine = (offset: number): number => afterBreak(yaml, lineEnd(yaml, offset));
  if (value === undefined) return { edits: [], at, below: nextLine(at) };
  if (value.type === "block-scalar") {
    const header = blockHeader(value);
    if (header === undefined) return undefined;
    const below = nextLine(header.offset);
    const end = tokenEnd(value);
    const content = { start: below, end: end < below ? below : nextLine(end), text: "" };
    return { edits: [{ start: at, end: header.offset + header.source.length, text: "" }, content], at, below };
  }
  if (value.type === "block-map" || value.type === "block-seq") {
    const lines = itemLines(yaml, value);
    const first = lines?.[0];
    return lines && first && { edits: lines.map((range) => ({ ...range, text: "" })), at, below: first.start };
  }
  const end = tokenEnd(value);
  // Does not edit a value below its key, because a comment may precede it.
  return lineEnd(yaml, at) < value.offset
    ? undefined
    : { edits: [{ start: at, end: end, text: "" }], at, below: nextLine(end) };
}

function isInline(token: Token): boolean {
  return token.type !== "block-scalar" && token.type !== "block-map" && token.type !== "block-seq";
}

function replaceToken(token: Token, text: string): TextEdit {
  return { start: token.offset, end: tokenEnd(token), text };
}

function flowText(value: FieldValue, old?: Token): string {
  return inlineText(value, { style: styleOf(old), inFlow: true });
}

/** The whole lines that hold `start..end`, the last one's line break included, or undefined if its first line has other text before `start`. */
function linesOf(yaml: string, start: number, end: number): Range | undefined {
  const from = lineStart(yaml, start);
  if (yaml.slice(from, start).trim() !== "") return undefined;
  return { start: from, end: afterBreak(yaml, lineEnd(yaml, end)) };
}

/** The lines of every item of a block collection, or undefined when an item shares its line with something else. */
function itemLines(yaml: string, collection: CST.BlockSequence | CST.BlockMap): readonly Range[] | undefined {
  const ranges = collection.items.filter(isFilled).map((item) => linesOf(yaml, itemStart(item), itemEnd(item)));
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

/**
 * Carries out a plan that keeps or adds at least one item: removed items go with their lines, new ones get lines like
 * the first item's; comment lines between the items stay.
 */
function blockListEdits(
  yaml: string,
  list: CST.BlockSequence,
  { plan, lineBreak }: { readonly plan: ItemPlan; readonly lineBreak: string },
): readonly TextEdit[] | undefined {
  const ranges = itemLines(yaml, list);
  const first = ranges?.[0];
  if (ranges === undefined || first === undefined) return undefined;
  const kept = new Set(plan);
  const edits: TextEdit[] = ranges.flatMap(({ start, end }, index) =>
    kept.has(index) ? [] : [{ start, end, text: "" }],
  );
  const opening = openingOf(yaml, list);
  let at = first.start;
  for (const step of plan) {
    if (typeof step === "number") at = ranges[step]?.end ?? at;
    else edits.push({ start: at, end: at, text: `${opening}${step}${lineBreak}` });
  }
  return edits;
}

/** What a line of the list begins with up to its value: `  - `. */
function openingOf(yaml: string, list: CST.BlockSequence): string {
  const first = list.items.find(isFilled);
  const dash = first === undefined ? list.offset : itemStart(first);
  const value = first?.value?.offset;
  const gap = value === undefined ? " " : yaml.slice(dash + 1, value);
  return `${yaml.slice(lineStart(yaml, dash), dash)}-${/^ +$/.test(gap) ? gap : " "}`;
}
