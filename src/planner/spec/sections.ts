import { findLineEnd, skipLineBreak } from "./text_lines.ts";

/** One Markdown line; `start..end` are its offsets without the line break, `next` is the next line's offset. */
export interface BodyLine {
  /** Line number, from 1. */
  readonly number: number;
  readonly start: number;
  readonly end: number;
  readonly next: number;
  readonly text: string;
}

interface Fence {
  readonly mark: string;
  readonly length: number;
}

// Fences in list items match too, also on the item's first line. A fence of backticks has no backtick after it.
const OPENING_FENCE_PATTERN = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:(`{3,})[^`]*|(~{3,}).*)$/;

// HTML comments and raw elements. A comment that begins within a line of text is part of that line.
const RAW_HTML_PATTERN = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*<(?:!--|(pre|script|style|textarea)(?=[\s>]|$))/i;

/**
 * Calls `visit` with every line outside fenced code, HTML comments and `<pre>` until it returns true, without the lines
 * of the fences themselves. Returns the fence that is open at the end of the body; undefined without one. Cost: one
 * pass.
 *
 * @param from the first line, which must be outside fences
 */
export function visitUnfencedLines(
  body: string,
  visit: (line: BodyLine) => boolean,
  from: Pick<BodyLine, "number" | "start"> = { number: 1, start: 0 },
): Fence | undefined {
  let fence: Fence | undefined;
  let rawEnd = 0;
  for (let { start, number } = from; start < body.length; number++) {
    const end = findLineEnd(body, start);
    const next = skipLineBreak(body, end);
    const text = body.slice(start, end);
    if (fence !== undefined) {
      if (isClosingFence(text, fence)) fence = undefined;
    } else if (start >= rawEnd) {
      fence = parseOpeningFence(text);
      rawEnd = findRawHtmlEnd(body, start, text);
      if (fence === undefined && rawEnd <= start && visit({ number, start, end, next, text })) return undefined;
    }
    start = next;
  }
  return fence;
}

/** A line and the number of the line that opened its fence; null outside fences and for the fence lines themselves. */
interface FencedLine extends BodyLine {
  readonly fencedBy: number | null;
}

/** Iterates over every line of a body, including fenced code. Cost: one pass. */
export function* iterateLines(body: string): Iterable<FencedLine> {
  let fence: (Fence & { readonly line: number }) | undefined;
  let rawEnd = 0;
  for (let start = 0, number = 1; start < body.length; number++) {
    const end = findLineEnd(body, start);
    const next = skipLineBreak(body, end);
    const text = body.slice(start, end);
    const isRaw = start < rawEnd;
    const opened = fence === undefined && !isRaw ? parseOpeningFence(text) : undefined;
    if (fence === undefined && !isRaw) rawEnd = findRawHtmlEnd(body, start, text);
    const isEnd = fence !== undefined && isClosingFence(text, fence);
    yield { number, start, end, next, text, fencedBy: isEnd ? null : (fence?.line ?? null) };
    if (isEnd) fence = undefined;
    else if (opened !== undefined) fence = { ...opened, line: number };
    start = next;
  }
}

/** Returns the line that would close the fence that is open at the end of `body`; undefined if none is open. */
export function findMissingFence(body: string): string | undefined {
  const fence = visitUnfencedLines(body, () => false);
  return fence === undefined ? undefined : fence.mark.repeat(fence.length);
}

/**
 * Returns the offset after the comment or raw element that opens on the line at `start`; 0 without one. One that is not
 * closed counts as text, so that a slip hides no criterion.
 */
function findRawHtmlEnd(body: string, start: number, line: string): number {
  if (!line.includes("<")) return 0;
  const match = RAW_HTML_PATTERN.exec(line);
  if (match === null) return 0;
  const from = start + match[0].length;
  if (match[1] === undefined) return body.indexOf("-->", from - 2) + 1;
  const closing = body.slice(from).search(/<\/(?:pre|script|style|textarea)>/i);
  return closing === -1 ? 0 : from + closing + 1;
}

function parseOpeningFence(line: string): Fence | undefined {
  if (!line.includes("```") && !line.includes("~~~")) return undefined;
  const match = OPENING_FENCE_PATTERN.exec(line);
  const run = match?.[1] ?? match?.[2];
  return run === undefined ? undefined : { mark: run.charAt(0), length: run.length };
}

function isClosingFence(line: string, fence: Fence): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === fence.mark.repeat(text.length);
}

/** A heading outside fenced code. Offsets are those of its line in the body; `next` is the offset of the next line. */
interface Heading {
  /** Level from 1 for `#` to 6 for `######`. */
  readonly level: number;
  readonly text: string;
  /** Line in the body, from 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** A heading and its text, which has the offsets `heading.next..end` in the body. */
export interface Section {
  readonly heading: Heading;
  readonly end: number;
}

/** Finds every `#` heading outside fenced code, in order. */
export function findHeadings(body: string): readonly Heading[] {
  const found: Heading[] = [];
  visitUnfencedLines(body, (line) => {
    const heading = parseHeading(line);
    if (heading !== undefined) found.push(heading);
    return false;
  });
  return found;
}

/** Returns the first heading of level 1 with a text, or undefined. Stops reading there. */
export function findTitleHeading(body: string): Heading | undefined {
  let title: Heading | undefined;
  visitUnfencedLines(body, (line) => {
    const heading = parseHeading(line);
    if (heading?.level !== 1 || heading.text === "") return false;
    title = heading;
    return true;
  });
  return title;
}

/** Sections that planner reads or writes; their headings are not the spec's title. */
const OWN_SECTIONS: ReadonlySet<string> = new Set(["acceptance criteria", "output"]);

/** Sections that planner writes only at level 2; a person may use the same text as a title at another level. */
const WRITTEN_SECTIONS: ReadonlySet<string> = new Set(["approval discussion", "review"]);

/**
 * Returns the heading that is the title: the first one, at any level, except planner's own sections. Source:
 * docs/contract/spec-tool.md#spec; docs/decisions.md#s-05.
 */
export function findFirstHeading(body: string): Heading | undefined {
  let first: Heading | undefined;
  visitUnfencedLines(body, (line) => {
    const heading = parseHeading(line);
    if (heading === undefined || heading.text === "" || isOwnSection(heading)) return false;
    first = heading;
    return true;
  });
  return first;
}

function isOwnSection({ level, text }: Heading): boolean {
  const name = normalizeSectionName(text);
  return OWN_SECTIONS.has(name) || (level === 2 && WRITTEN_SECTIONS.has(name));
}

/** Returns the text of the heading that is the title, or null. */
export function findTitle(body: string): string | null {
  return findFirstHeading(body)?.text ?? null;
}

/** Returns the last section of this name; see `findSections`. */
export function findLastSection(body: string, name: string): Section | undefined {
  return findSections(body, name).at(-1);
}

/**
 * Returns the sections of this name in order, each up to the next heading of the same or a higher level. Letter case
 * and a colon after the name do not matter.
 */
export function findSections(body: string, name: string): readonly Section[] {
  const all = findHeadings(body);
  const wanted = name.toLowerCase();
  return all.flatMap((heading, index) => {
    if (normalizeSectionName(heading.text) !== wanted) return [];
    const following = all.slice(index + 1).find(({ level }) => level <= heading.level);
    return [{ heading, end: following?.start ?? body.length }];
  });
}

function normalizeSectionName(text: string): string {
  return text.toLowerCase().replace(/:$/, "");
}

function parseHeading({ text, number, start, end, next }: BodyLine): Heading | undefined {
  // Most lines have no heading, and this test is faster than the pattern.
  if (!text.includes("#")) return undefined;
  const match = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(text);
  if (match === null) return undefined;
  const content = text.slice(match[0].length).trim();
  return { level: match[1]?.length ?? 0, text: removeClosingMarks(content), line: number, start, end, next };
}

/** Removes Markdown's optional closing run of `#` after a blank. */
function removeClosingMarks(content: string): string {
  let end = content.length;
  while (end > 0 && content.charAt(end - 1) === "#") end--;
  if (end === content.length || (end > 0 && !/[ \t]/.test(content.charAt(end - 1)))) return content;
  return content.slice(0, end).trimEnd();
}
