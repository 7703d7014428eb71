import { afterBreak, lineEnd } from "../../spec/text_lines.ts";
import type { Range, TextEdit } from "./text_edits.ts";

/**
 * The edits that take spaces and tabs off the ends of the lines in `from..to`.
 *
 * @param keep ranges, in text order, in which a blank means something; blanks that begin in one stay
 */
export function trimEdits(text: string, { start: from, end: to }: Range, keep: readonly Range[]): readonly TextEdit[] {
  const edits: TextEdit[] = [];
  let next = 0;
  for (let lineStart = from; lineStart < to; ) {
    const end = Math.min(lineEnd(text, lineStart), to);
    const start = blankStart(text, lineStart, end);
    while ((keep[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++;
    const kept = keep[next];
    if (start < end && !(kept !== undefined && kept.start <= start)) edits.push({ start, end, text: "" });
    lineStart = Math.max(afterBreak(text, end), end + 1);
  }
  return edits;
}

function blankStart(text: string, lineStart: number, end: number): number {
  let start = end;
  while (start > lineStart && isBlank(text.charCodeAt(start - 1))) start--;
  return start;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}
