import type { CST } from "yaml";
import { afterBreak, lineEnd, lineStart } from "../text_lines.ts";
import { isFilled, itemEnd, itemStart } from "../yaml_tokens.ts";
import type { ItemPlan } from "./list_plan.ts";
import type { TextEdit } from "./text_edits.ts";

/** Whole lines of a text, the last one's line break included. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** The lines that hold `start..end`, or undefined if its first line has other text before `start`. */
export function linesOf(yaml: string, start: number, end: number): LineRange | undefined {
  const from = lineStart(yaml, start);
  if (yaml.slice(from, start).trim() !== "") return undefined;
  return { from, to: afterBreak(yaml, lineEnd(yaml, end)) };
}

/** The lines of every item of a block collection, or undefined when an item shares its line with something else. */
export function itemLines(
  yaml: string,
  collection: CST.BlockSequence | CST.BlockMap,
): readonly LineRange[] | undefined {
  const ranges = collection.items.filter(isFilled).map((item) => linesOf(yaml, itemStart(item), itemEnd(item)));
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

/**
 * Carries out a plan that keeps or adds at least one item: removed items go with their lines, new ones get lines like
 * the first item's; comment lines between the items stay.
 */
export function blockListEdits(
  yaml: string,
  list: CST.BlockSequence,
  { plan, lineBreak }: { readonly plan: ItemPlan; readonly lineBreak: string },
): readonly TextEdit[] | undefined {
  const ranges = itemLines(yaml, list);
  const first = ranges?.[0];
  if (ranges === undefined || first === undefined) return undefined;
  const kept = new Set(plan);
  const edits: TextEdit[] = ranges.flatMap(({ from, to }, index) => (kept.has(index) ? [] : [{ from, to, text: "" }]));
  const opening = openingOf(yaml, list);
  let at = first.from;
  for (const step of plan) {
    if (typeof step === "number") at = ranges[step]?.to ?? at;
    else edits.push({ from: at, to: at, text: `${opening}${step}${lineBreak}` });
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
