import { JsonScanner, type TextRange } from "./scan_json.ts";

export interface ExtractedJson {
  readonly value: unknown;
  /** The part of the text that contains the JSON. */
  readonly text: string;
}

interface FencedBlock {
  readonly tag: string;
  readonly content: string;
}

const FENCE_PATTERN = /^(`{3,}|~{3,})[ \t]*(.*)$/s;

/**
 * Ways to find the output, the most reliable first. The first that finds a value is used. Among several values the last
 * one is used, because an agent's drafts come before its answer.
 *
 * Source: docs/contract/spec-tool.md#output-2. A scalar in an untagged block is most often a program's output, so it
 * counts only if nothing else is found.
 */
const EXTRACTION_STRATEGIES: readonly ((text: string, fences: readonly FencedBlock[]) => ExtractedJson | undefined)[] =
  [
    (_, fences) => findLastFence(fences, "json"),
    (_, fences) => findLastFence(fences, "", isContainerValue),
    (text) => parseWholeJson(text),
    (text) => findEmbeddedJson(text),
    (_, fences) => findLastFence(fences, ""),
  ];

/**
 * Finds the JSON value in an agent's output; undefined without one.
 * @param output plain text, without the times of the log
 *
 * Never throws. Cost: linear in the text.
 */
export function extractJson(output: string): ExtractedJson | undefined {
  const text = output.startsWith("\uFEFF") ? output.slice(1) : output;
  const fences = parseFences(text);
  for (const strategy of EXTRACTION_STRATEGIES) {
    const found = strategy(text, fences);
    if (found !== undefined) return found;
  }
  return undefined;
}

function parseWholeJson(text: string): ExtractedJson | undefined {
  // The first character rules out most texts, and a thrown error costs a thousand times as much as this test.
  if (!/^\s*[{["\-\dtfn]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text), text: text.trim() };
  } catch {
    return undefined;
  }
}

function isContainerValue({ value }: ExtractedJson): boolean {
  return typeof value === "object" && value !== null;
}

function findLastFence(
  fences: readonly FencedBlock[],
  wanted: string,
  accept: (found: ExtractedJson) => boolean = () => true,
) {
  for (const { tag, content } of fences.toReversed()) {
    const found = tag === wanted ? parseWholeJson(content) : undefined;
    if (found !== undefined && accept(found)) return found;
  }
  return undefined;
}

/** Parses fenced blocks in order, with tags in lower case. A block without a closing fence ends with the text. */
function parseFences(text: string): readonly FencedBlock[] {
  const fences: FencedBlock[] = [];
  let open: { readonly mark: string; readonly tag: string; readonly from: number } | undefined;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const fence = parseFenceMark(text, start, end);
    if (open === undefined) {
      if (fence !== undefined) open = { mark: fence.mark, tag: parseFenceTag(fence.info), from: end + 1 };
    } else if (fence?.info === "" && fence.mark.startsWith(open.mark)) {
      fences.push({ tag: open.tag, content: text.slice(open.from, start) });
      open = undefined;
    }
    start = end + 1;
  }
  if (open !== undefined) fences.push({ tag: open.tag, content: text.slice(open.from) });
  return fences;
}

function parseFenceMark(text: string, start: number, end: number): { mark: string; info: string } | undefined {
  // Most lines are not fences and some have megabytes, so the first character is tested before the whole line.
  let first = start;
  while (first < end && (text.charCodeAt(first) === 0x20 || text.charCodeAt(first) === 0x09)) first++;
  if (text.charCodeAt(first) !== 0x60 && text.charCodeAt(first) !== 0x7e) return undefined;
  const match = FENCE_PATTERN.exec(text.slice(first, end).trimEnd());
  if (match === null) return undefined;
  const [, mark = "", info = ""] = match;
  return mark.startsWith("`") && info.includes("`") ? undefined : { mark, info };
}

function parseFenceTag(info: string): string {
  return (/^[^\s{]*/.exec(info)?.[0] ?? "").toLowerCase();
}

/** Finds a text's last object or array, with a string if any has one: prose and code contain many `[1]` and `{}`. */
function findEmbeddedJson(text: string): ExtractedJson | undefined {
  const values = findJsonRanges(text).map(({ start, end }) => text.slice(start, end));
  const best = values.findLast((value) => value.includes('"')) ?? values.at(-1);
  return best === undefined ? undefined : parseWholeJson(best);
}

/** Finds every object and array in the text that is complete JSON, outermost only, in text order. */
function findJsonRanges(text: string): readonly TextRange[] {
  const found: TextRange[] = [];
  const scanner = new JsonScanner(text);
  const strings = collectValues(text, scanner, [{ start: 0, end: text.length }], found);
  // A part of an incomplete value that looks like a string may be prose that contains a complete value.
  if (strings.length > 0) collectValues(text, new JsonScanner(text), strings, found);
  return selectOutermost(found);
}

/** Adds values that begin within `places` (in text order) to `found`; returns the strings inside incomplete values. */
function collectValues(text: string, scanner: JsonScanner, places: readonly TextRange[], found: TextRange[]) {
  const strings: TextRange[] = [];
  let from = 0;
  for (const { start, end } of places) {
    for (let at = findBracket(text, Math.max(from, start)); at < end; at = findBracket(text, from)) {
      const scan = scanner.scanValue(at);
      if (scan.isComplete) found.push({ start: at, end: scan.end });
      for (const range of scan.closedValues) found.push(range);
      for (const range of scan.strings) strings.push(range);
      from = Math.max(scan.end, at + 1);
    }
  }
  return strings;
}

const BRACKET_PATTERN = /[{[]/g;

function findBracket(text: string, from: number): number {
  BRACKET_PATTERN.lastIndex = from;
  return BRACKET_PATTERN.exec(text)?.index ?? text.length;
}

function selectOutermost(ranges: readonly TextRange[]): readonly TextRange[] {
  const kept: TextRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (last === undefined || range.start >= last.end) kept.push(range);
  }
  return kept;
}
