import type { CST } from "yaml";
import { findLineEnd, skipLineBreak } from "../text_lines.ts";
import { findItemEnd, findItemStart, findTokenEnd, hasItemContent } from "../yaml_tokens.ts";
import type { ItemPlan } from "./list_plan.ts";
import type { TextEdit } from "./text_edits.ts";

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
export function planFlowItemEdits(
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
