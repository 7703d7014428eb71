import { compile, parse, postprocess, preprocess } from "micromark";
import { afterBreak, lineBreakOf, lineEnd } from "../../spec/text_lines.ts";
import { applyEdits, type Range } from "./text_edits.ts";
import { trimEdits } from "./trailing_space.ts";

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
 * Blanks in code and raw HTML stay, and so do two or more spaces before a line that goes on, which are a line break. A part
 * of the body that would still render otherwise is given back as it was. Cost: two parses of each part that has such lines.
 */
export function trimBody(body: string): { readonly body: string; readonly lines: number } {
  if (!hasBlankEnds(body)) return { body, lines: 0 };
  const trimmed = bodyParts(body).map((part) => (hasBlankEnds(part) ? trimPart(part, body) : { body: part, lines: 0 }));
  return {
    body: trimmed.map((part) => part.body).join(""),
    lines: trimmed.reduce((sum, { lines }) => sum + lines, 0),
  };
}

function hasBlankEnds(text: string): boolean {
  return /[ \t](?:[\r\n]|$)/.test(text);
}

function trimPart(part: string, body: string): { readonly body: string; readonly lines: number } {
  // A last line that is not ended is judged as if it were: blanks alone on it may be a line of code.
  const ending = /[\r\n]$/.test(part) ? "" : lineBreakOf(body);
  const whole = part + ending;
  const { keep, html } = read(whole);
  const edits = trimEdits(whole, { start: 0, end: whole.length }, keep);
  const trimmed = applyEdits(whole, edits);
  if (edits.length === 0 || read(trimmed).html !== html) return { body: part, lines: 0 };
  const unended = trimmed.slice(0, trimmed.length - ending.length);
  // A last line of nothing but blanks goes altogether, unless it is one of code.
  const goes = ending === "" || !/[\r\n]$/.test(unended) || read(unended).html === html;
  return { body: goes ? unended : trimmed, lines: edits.length };
}

/** What a reader sees, and where blanks mean something. */
function read(text: string): { readonly html: string; readonly keep: readonly Range[] } {
  const events = postprocess(
    parse()
      .document()
      .write(preprocess()(text, undefined, true)),
  );
  const keep: Range[] = [];
  for (const [kind, { type, start, end }] of events) {
    if (kind === "enter" && MEANINGFUL.has(type)) keep.push({ start: start.offset, end: end.offset });
  }
  keep.sort((a, b) => a.start - b.start || b.end - a.end);
  // The renderer takes the line breaks of its output from the input's first one.
  return { keep, html: compile({ allowDangerousHtml: true })(events).replace(/\r\n?/g, "\n") };
}
