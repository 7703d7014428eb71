import { compile, parse, postprocess, preprocess } from "micromark";
import { isScalar, parseDocument, visit } from "yaml";
import { applyEdits, type OffsetRange, type TextEdit } from "../../spec/edit/edit_entry.ts";
import { scanFrontmatter } from "../../spec/quick_frontmatter.ts";
import type { FrontmatterRange } from "../../spec/split_text.ts";
import { detectLineBreak, findLineEnd, skipLineBreak } from "../../spec/text_lines.ts";

const HEADING_PATTERN = /^#{1,6}(?:[ \t]|$)/;
const FENCE_MARK_PATTERN = /`{3}|~{3}/;
const FENCE_PATTERN = /^(?:`{3,}[^`]*|~{3,}.*)$/;
const FENCE_END_PATTERN = /^(?:`+|~+)[ \t]*$/;
const HTML_START_PATTERN = /^[ \t]*</;

/**
 * Splits a Markdown body before its headings into parts that render alone as they do in the whole body. Returns one
 * part if this is not certain: link definitions apply everywhere, and raw HTML and fences in lists may contain lines
 * that look like a heading.
 *
 * Cost: one pass. Source: CommonMark 0.31, 4.2 (a heading ends every paragraph and, at the margin, every container).
 */
export function splitAtHeadings(body: string): readonly string[] {
  const cuts = body.includes("]:") ? [] : findHeadingOffsets(body);
  return [0, ...cuts].map((cut, index) => body.slice(cut, cuts[index]));
}

/** Returns offsets of unindented headings except one at the start; none if a line makes the split uncertain. */
function findHeadingOffsets(body: string): readonly number[] {
  const found: number[] = [];
  let fence = "";
  for (let start = 0; start < body.length; ) {
    const end = findLineEnd(body, start);
    const line = body.slice(start, end);
    if (isUncertainLine(line, fence)) return [];
    if (FENCE_PATTERN.test(line)) fence = updateFence(line, fence);
    else if (fence === "" && start > 0 && HEADING_PATTERN.test(line)) found.push(start);
    start = skipLineBreak(body, end);
  }
  return found;
}

function isUncertainLine(line: string, fence: string): boolean {
  return FENCE_MARK_PATTERN.test(line) ? !FENCE_PATTERN.test(line) : fence === "" && HTML_START_PATTERN.test(line);
}

/** Returns the open fence after a fence line, if `fence` was open before it. */
function updateFence(line: string, fence: string): string {
  if (fence === "") return /^(?:`+|~+)/.exec(line)?.[0] ?? "";
  return FENCE_END_PATTERN.test(line) && line.startsWith(fence) ? "" : fence;
}

/** Markdown node types in which blanks at a line's end matter: code, raw HTML, and the two-space line break. */
const BLANK_SENSITIVE_TYPES: ReadonlySet<string> = new Set(
  "codeFenced codeIndented codeText htmlFlow htmlText hardBreakTrailing".split(" "),
);

/**
 * Trims the lines of a Markdown body without changing how it renders.
 *
 * Blanks in code and raw HTML stay, and so do two or more spaces before a continued line, which are a line break. A
 * part of the body that would render differently is returned unchanged. Cost: two parses of each part with trailing
 * blanks.
 */
export function trimBody(body: string): { readonly body: string; readonly lines: number } {
  if (!hasBlankEnds(body)) return { body, lines: 0 };
  const trimmed = splitAtHeadings(body).map((part) =>
    hasBlankEnds(part) ? trimBodyPart(part, body) : { body: part, lines: 0 },
  );
  return {
    body: trimmed.map((part) => part.body).join(""),
    lines: trimmed.reduce((sum, { lines }) => sum + lines, 0),
  };
}

function hasBlankEnds(text: string): boolean {
  return /[ \t](?:[\r\n]|$)/.test(text);
}

function trimBodyPart(part: string, body: string): { readonly body: string; readonly lines: number } {
  // An unterminated last line is parsed with a line break appended, because a line of blanks may belong to a code
  // block.
  const ending = /[\r\n]$/.test(part) ? "" : detectLineBreak(body);
  const whole = part + ending;
  const { keep, html } = renderMarkdown(whole);
  const edits = planTrimming(whole, { start: 0, end: whole.length }, keep);
  const trimmed = applyEdits(whole, edits);
  if (edits.length === 0 || renderMarkdown(trimmed).html !== html) return { body: part, lines: 0 };
  const unended = trimmed.slice(0, trimmed.length - ending.length);
  // A last line of only blanks is removed together with its line break, unless it belongs to a code block.
  const goes = ending === "" || !/[\r\n]$/.test(unended) || renderMarkdown(unended).html === html;
  return { body: goes ? unended : trimmed, lines: edits.length };
}

/** Renders Markdown to HTML and finds the ranges in which trailing blanks matter. */
function renderMarkdown(text: string): { readonly html: string; readonly keep: readonly OffsetRange[] } {
  const events = postprocess(
    parse()
      .document()
      .write(preprocess()(text, undefined, true)),
  );
  const keep: OffsetRange[] = [];
  for (const [kind, { type, start, end }] of events) {
    if (kind === "enter" && BLANK_SENSITIVE_TYPES.has(type)) keep.push({ start: start.offset, end: end.offset });
  }
  keep.sort((a, b) => a.start - b.start || b.end - a.end);
  // The renderer copies the form of the input's first line break into its output.
  return { keep, html: compile({ allowDangerousHtml: true })(events).replace(/\r\n?/g, "\n") };
}

/**
 * Returns the edits that remove spaces and tabs from the ends of the lines in a range.
 *
 * @param keep ranges, in text order, in which blanks matter; blanks that begin in one stay
 */
export function planTrimming(
  text: string,
  { start: from, end: to }: OffsetRange,
  keep: readonly OffsetRange[],
): readonly TextEdit[] {
  const edits: TextEdit[] = [];
  let next = 0;
  for (let lineStart = from; lineStart < to; ) {
    const end = Math.min(findLineEnd(text, lineStart), to);
    const start = findTrailingBlanks(text, lineStart, end);
    while ((keep[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++;
    const kept = keep[next];
    if (start < end && !(kept !== undefined && kept.start <= start)) edits.push({ start, end, text: "" });
    lineStart = Math.max(skipLineBreak(text, end), end + 1);
  }
  return edits;
}

function findTrailingBlanks(text: string, lineStart: number, end: number): number {
  let start = end;
  while (start > lineStart && isBlank(text.charCodeAt(start - 1))) start--;
  return start;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/**
 * Returns the edits that trim the lines of the frontmatter, including its fences. Lines within a block scalar or a
 * quoted text stay, because their blanks may be part of the value.
 *
 * @param yaml the frontmatter with every lone CR as LF, so that offsets agree with `text`
 */
export function planFrontmatterTrimming(text: string, range: FrontmatterRange, yaml: string): readonly TextEdit[] {
  const whole = { start: 0, end: range.bodyStart };
  const every = planTrimming(text, whole, []);
  // If the quick scanner reads the frontmatter, no value continues on a second line.
  if (every.length === 0 || scanFrontmatter(text, range) !== undefined) return every;
  const keep: OffsetRange[] = [];
  visit(parseDocument(yaml, { logLevel: "silent", prettyErrors: false }), (_, node) => {
    if (!isScalar(node) || node.range === null || node.range === undefined) return;
    const [start, valueEnd, nodeEnd] = node.range;
    if (node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED") {
      // Only a comment can follow the block scalar's header on its line.
      keep.push({ start: range.start + findLineEnd(yaml, start) + 1, end: range.start + nodeEnd });
    } else if (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE") {
      keep.push({ start: range.start + start, end: range.start + valueEnd });
    }
  });
  keep.sort((a, b) => a.start - b.start);
  return planTrimming(text, whole, keep);
}
