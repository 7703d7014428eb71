import { afterBreak, lineEnd } from "../../spec/text_lines.ts";

const HEADING = /^#{1,6}(?:[ \t]|$)/;
const FENCE_LIKE = /`{3}|~{3}/;
const FENCE = /^(?:`{3,}[^`]*|~{3,}.*)$/;
const FENCE_END = /^(?:`+|~+)[ \t]*$/;
const MARKUP = /^[ \t]*</;

/**
 * Splits a Markdown body before its headings into parts that render alone as they do in the whole. Returns one part if
 * that is not certain: link definitions apply everywhere, and raw HTML and fences in lists may contain lines that have
 * the form of a heading.
 *
 * Cost: one pass. Source: CommonMark 0.31, 4.2 (a heading ends every paragraph and, at the margin, every container).
 */
export function bodyParts(body: string): readonly string[] {
  const cuts = body.includes("]:") ? [] : headingsOf(body);
  return [0, ...cuts].map((cut, index) => body.slice(cut, cuts[index]));
}

/** Offsets of the headings at the margin, except one at the beginning; none where a line is doubtful. */
function headingsOf(body: string): readonly number[] {
  const found: number[] = [];
  let fence = "";
  for (let start = 0; start < body.length; ) {
    const end = lineEnd(body, start);
    const line = body.slice(start, end);
    if (isDoubtful(line, fence)) return [];
    if (FENCE.test(line)) fence = fenceBehind(line, fence);
    else if (fence === "" && start > 0 && HEADING.test(line)) found.push(start);
    start = afterBreak(body, end);
  }
  return found;
}

function isDoubtful(line: string, fence: string): boolean {
  return FENCE_LIKE.test(line) ? !FENCE.test(line) : fence === "" && MARKUP.test(line);
}

/** The fence that is open behind a fence line, where `fence` was open before it. */
function fenceBehind(line: string, fence: string): string {
  if (fence === "") return /^(?:`+|~+)/.exec(line)?.[0] ?? "";
  return FENCE_END.test(line) && line.startsWith(fence) ? "" : fence;
}
