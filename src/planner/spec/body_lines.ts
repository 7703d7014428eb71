import { afterBreak, lineEnd } from "./text_lines.ts";

/** One line of a Markdown body; `start..end` are offsets without the line break, `next` is where the next line begins. */
export interface BodyLine {
  /** From 1. */
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

// Matches fences in list items too, also on the item's first line. No backtick follows a backtick fence.
const OPENING = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:(`{3,})[^`]*|(~{3,}).*)$/;

/**
 * Calls `visit` with every line outside fenced code until it returns true; returns whether a fence is open at the end.
 * The lines of the fences themselves are left out. Cost: one pass.
 *
 * @param from the first line, which is in no fence
 */
export function visitLines(
  body: string,
  visit: (line: BodyLine) => boolean,
  from: Pick<BodyLine, "number" | "start"> = { number: 1, start: 0 },
): Fence | undefined {
  let fence: Fence | undefined;
  for (let { start, number } = from; start < body.length; number++) {
    const end = lineEnd(body, start);
    const next = afterBreak(body, end);
    const text = body.slice(start, end);
    if (fence !== undefined) {
      if (closesFence(text, fence)) fence = undefined;
    } else {
      fence = openedBy(text);
      if (fence === undefined && visit({ number, start, end, next, text })) return undefined;
    }
    start = next;
  }
  return fence;
}

/** A line with the number of the line whose fence it is inside of; null outside of fences and for their own lines. */
export interface FencedLine extends BodyLine {
  readonly fencedBy: number | null;
}

/** Every line of a body, those in fenced code included. Cost: one pass. */
export function* linesIn(body: string): Iterable<FencedLine> {
  let fence: (Fence & { readonly line: number }) | undefined;
  for (let start = 0, number = 1; start < body.length; number++) {
    const end = lineEnd(body, start);
    const next = afterBreak(body, end);
    const text = body.slice(start, end);
    const opened = fence === undefined ? openedBy(text) : undefined;
    const isEnd = fence !== undefined && closesFence(text, fence);
    yield { number, start, end, next, text, fencedBy: isEnd ? null : (fence?.line ?? null) };
    if (isEnd) fence = undefined;
    else if (opened !== undefined) fence = { ...opened, line: number };
    start = next;
  }
}

/** The line that closes the fence which is still open at the end of `body`, or undefined when none is. */
export function missingFence(body: string): string | undefined {
  const fence = visitLines(body, () => false);
  return fence === undefined ? undefined : fence.mark.repeat(fence.length);
}

function openedBy(line: string): Fence | undefined {
  if (!line.includes("```") && !line.includes("~~~")) return undefined;
  const match = OPENING.exec(line);
  const run = match?.[1] ?? match?.[2];
  return run === undefined ? undefined : { mark: run.charAt(0), length: run.length };
}

function closesFence(line: string, fence: Fence): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === fence.mark.repeat(text.length);
}
