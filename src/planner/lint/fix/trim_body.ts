import { micromark, parse, postprocess, preprocess } from "micromark";
import { lineBreakOf } from "../../spec/text_lines.ts";
import { applyEdits, type Range } from "./text_edits.ts";
import { trimEdits } from "./trailing_space.ts";

/** Markdown in which blanks at the end of a line mean something: code, raw HTML, and the two-space line break. */
const MEANINGFUL: ReadonlySet<string> = new Set([
  "codeFenced",
  "codeIndented",
  "codeText",
  "htmlFlow",
  "htmlText",
  "hardBreakTrailing",
]);

/**
 * Trims the lines of a Markdown body where that changes nothing that a reader sees.
 *
 * Blanks in code and raw HTML stay, and so do two or more spaces before a line that goes on, which are a line break. When
 * the trimmed body would still render otherwise, it is given back as it was. Cost: two or three parses of the body.
 */
export function trimBody(body: string): { readonly body: string; readonly lines: number } {
  const unchanged = { body, lines: 0 };
  if (trimEdits(body, { start: 0, end: body.length }, []).length === 0) return unchanged;
  // A last line that is not ended is judged as if it were: blanks alone on it may be a line of code.
  const ending = /[\r\n]$/.test(body) ? "" : lineBreakOf(body);
  const whole = body + ending;
  const edits = trimEdits(whole, { start: 0, end: whole.length }, meaningfulRanges(whole));
  const trimmed = applyEdits(whole, edits);
  const rendered = render(whole);
  if (edits.length === 0 || render(trimmed) !== rendered) return unchanged;
  const unended = trimmed.slice(0, trimmed.length - ending.length);
  // A last line of nothing but blanks goes altogether, unless it is one of code.
  const goes = !/[\r\n]$/.test(unended) || render(unended) === rendered;
  return { body: goes ? unended : trimmed, lines: edits.length };
}

function meaningfulRanges(body: string): readonly Range[] {
  const events = postprocess(
    parse()
      .document()
      .write(preprocess()(body, undefined, true)),
  );
  const ranges: Range[] = [];
  for (const [kind, { type, start, end }] of events) {
    if (kind === "enter" && MEANINGFUL.has(type)) ranges.push({ start: start.offset, end: end.offset });
  }
  return ranges.sort((a, b) => a.start - b.start || b.end - a.end);
}

function render(body: string): string {
  // The renderer takes the line breaks of its output from the input's first one.
  return micromark(body, { allowDangerousHtml: true }).replace(/\r\n?/g, "\n");
}
