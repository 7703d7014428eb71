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
export interface FencedLine extends BodyLine {
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
