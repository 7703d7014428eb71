import { compile, parse, postprocess, preprocess } from "micromark";
import { type CST, isScalar, Parser, parseDocument as parseYaml, visit } from "yaml";
import { formatCountWithNoun } from "#words/names.ts";
import { parseDocument, type ReadableDocument } from "../spec/document.ts";
import { applyEdits, type OffsetRange, type TextEdit } from "../spec/edit/edit_entry.ts";
import { editFields, type FieldValue } from "../spec/edit/edit_fields.ts";
import { extractYaml } from "../spec/full_frontmatter.ts";
import { scanFrontmatter } from "../spec/quick_frontmatter.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { type FrontmatterRange, splitText } from "../spec/split_text.ts";
import { detectLineBreak, findLineEnd, skipLineBreak } from "../spec/text_lines.ts";
import { isMissingValue, saysElsewhere } from "./rules/fields.ts";

/** A text after the fixes, and a description of each fix. Without a fix the text is unchanged. */
export interface FixedText {
  readonly text: string;
  readonly fixes: readonly string[];
}

export interface FixedFile {
  /** Path from the project root. */
  readonly file: string;
  readonly specId: SpecId;
  readonly fixes: readonly string[];
}

/**
 * Applies the contract's fixes to one spec's text: adds a missing id and status, trims trailing white space, indents by
 * two spaces, and ends the file with a newline.
 *
 * A text that does not parse stays unchanged, and so does a status outside the enum. The values of the frontmatter and
 * the rendered body stay the same, and a second call changes nothing.
 *
 * Source: docs/contract/spec-tool.md#auto-fix; docs/decisions.md#s-14.
 */
export function fixText(text: string, id: SpecId): FixedText {
  if (!parseDocument(text).ok) return { text, fixes: [] };
  let fixed = text;
  const fixes: string[] = [];
  for (const fix of TEXT_FIXES) {
    const { text: next, done } = fix(fixed, id);
    if (next === fixed) continue;
    fixed = next;
    fixes.push(...done);
  }
  return { text: fixed, fixes };
}

type TextFix = (text: string, id: SpecId) => { readonly text: string; readonly done: readonly string[] };

/** Fields are filled first, so that the added lines are fixed too; the newline at the end of the file is last. */
const TEXT_FIXES: readonly TextFix[] = [
  fillMissingFields,
  trimFrontmatter,
  indentFrontmatter,
  trimSpecBody,
  appendFinalNewline,
];

function fillMissingFields(text: string, id: SpecId): ReturnType<TextFix> {
  const document = parseDocument(text);
  if (!document.ok) return returnUnchanged(text);
  const changes: Record<string, FieldValue> = {};
  const done: string[] = [];
  if (isMissingValue(document.frontmatter["id"]) && !saysElsewhere(document, "id")) {
    changes["id"] = id;
    done.push("missing id written from the file name");
  }
  if (isMissingValue(document.frontmatter["status"]) && !saysStatus(text, document)) {
    changes["status"] = "pending";
    done.push("missing status set to pending");
  }
  return { text: editFields(text, changes), done };
}

// A line `# status: …`, or a comment behind an empty status.
const STATUS_COMMENT_PATTERN = /^[ \t]*(?:#[ \t#]*status[ \t]*:|status[ \t]*:[ \t]*(?:~|null|""|'')?[ \t]+#)/im;

/** Returns whether the text says a status elsewhere, in a comment of the frontmatter too. */
function saysStatus(text: string, document: ReadableDocument): boolean {
  const head = text.slice(0, text.length - document.body.length);
  return saysElsewhere(document, "status") || STATUS_COMMENT_PATTERN.test(head);
}

function trimFrontmatter(text: string): ReturnType<TextFix> {
  return editFrontmatter(
    text,
    planFrontmatterTrimming,
    (lines) => `trailing white space trimmed in the frontmatter, ${lines}`,
  );
}

function indentFrontmatter(text: string): ReturnType<TextFix> {
  const edits = (_: string, range: FrontmatterRange, yaml: string): readonly TextEdit[] =>
    isCorrectlyIndented(text, range, yaml)
      ? []
      : planIndentation(yaml).map((edit) => ({
          ...edit,
          start: edit.start + range.start,
          end: edit.end + range.start,
        }));
  return editFrontmatter(text, edits, (lines) => `indentation normalized to 2 spaces, ${lines}`);
}

/** Whether the indentation is certainly correct: the quick scanner accepts only lists and keys at steps of 2 spaces. */
function isCorrectlyIndented(text: string, range: FrontmatterRange, yaml: string): boolean {
  return scanFrontmatter(text, range) !== undefined && !/^(?: | {3,})-|^ *- {2}/m.test(yaml);
}

function trimSpecBody(text: string): ReturnType<TextFix> {
  const document = parseDocument(text);
  if (!document.ok) return returnUnchanged(text);
  const { body, lines } = trimBody(document.body);
  const head = text.slice(0, text.length - document.body.length);
  return {
    text: head + body,
    done: [`trailing white space trimmed in the body, ${formatCountWithNoun(lines, "line")}`],
  };
}

function appendFinalNewline(text: string): ReturnType<TextFix> {
  if (text === "" || /[\r\n]$/.test(text)) return returnUnchanged(text);
  return { text: text + detectLineBreak(text), done: ["newline added at the end of the file"] };
}

/** Edits the frontmatter's lines; returns the text unchanged if a value would change. */
function editFrontmatter(
  text: string,
  planEdits: typeof planFrontmatterTrimming,
  formatFix: (lines: string) => string,
): ReturnType<TextFix> {
  const split = splitText(text);
  if (!split.ok || split.range === null) return returnUnchanged(text);
  const edits = planEdits(text, split.range, extractYaml(text, split.range));
  if (edits.length === 0) return returnUnchanged(text);
  const edited = applyEdits(text, edits);
  return hasSameFields(text, edited)
    ? { text: edited, done: [formatFix(formatCountWithNoun(countChangedLines(text, edited), "line"))] }
    : returnUnchanged(text);
}

function hasSameFields(before: string, after: string): boolean {
  const [old, now] = [parseDocument(before), parseDocument(after)];
  if (!old.ok || !now.ok) return false;
  return old.body === now.body && JSON.stringify(old.frontmatter) === JSON.stringify(now.frontmatter);
}

/** Counts changed lines by position, because these edits neither add nor remove a line. */
function countChangedLines(before: string, after: string): number {
  const now = after.split(/\r\n?|\n/);
  return before.split(/\r\n?|\n/).filter((line, index) => line !== now[index]).length;
}

function returnUnchanged(text: string): ReturnType<TextFix> {
  return { text, done: [] };
}

/** Number of spaces by which each level of a block is indented. Source: docs/contract/spec-tool.md#limits. */
const INDENT_STEP = 2;

/**
 * Returns the edits that indent the frontmatter by two spaces per level.
 *
 * Indents every key of a nested mapping two spaces more than its parent key, and every list item two spaces more than
 * its key. Items of a list that was not indented align with their key. A `-` before a mapping or list is followed by
 * one space. Continuation lines move with the first line of their value, and a comment moves with the line below it.
 * Flow collections keep their inner layout.
 *
 * @param yaml the frontmatter, lone CRs as LF
 * @returns no edits for an unsupported layout (explicit keys, a root that is not a block)
 */
function planIndentation(yaml: string): readonly TextEdit[] {
  const layout = new IndentationLayout(yaml);
  for (const token of new Parser().parse(yaml)) {
    if (token.type === "document" && token.value?.type === "block-map") layout.moveBlock(token.value, 0);
  }
  return layout.listEdits();
}

type YamlBlock = CST.BlockMap | CST.BlockSequence;
type YamlBlockItem = YamlBlock["items"][number];

/** Current and new column of the first key or list item on a line. */
interface LineHead {
  readonly from: number;
  readonly to: number;
}

class IndentationLayout {
  readonly #yaml: string;
  /** Offset of each line's first character. */
  readonly #starts: readonly number[];
  readonly #heads = new Map<number, LineHead>();
  /** By line: columns by which its innermost key or item moves. Lines that continue the value move equally. */
  readonly #moves = new Map<number, number>();
  /** By line: edits of the blanks between a `-` and the text after it. */
  readonly #gaps = new Map<number, readonly TextEdit[]>();
  /** Numbers of the lines that continue a value of an earlier line. */
  readonly #valueLines = new Set<number>();
  #isSupported = true;

  constructor(yaml: string) {
    this.#yaml = yaml;
    this.#starts = [0, ...[...yaml.matchAll(/\n/g)].map(({ index }) => index + 1)];
  }

  /** Records that the items of `block` move to column `to`, and nested blocks with them. */
  moveBlock(block: YamlBlock, to: number): void {
    for (const item of block.items) {
      const head = findItemHead(item);
      if (head === undefined) continue;
      if (head.type === "explicit-key-ind") this.#isSupported = false;
      this.#moveHead(head.offset, to);
      const { key, value } = item;
      if (isBlockToken(value)) this.moveBlock(value, to + this.#computeStep(value, block, head.offset));
      else this.#recordValueLines(value);
      this.#recordValueLines(key);
    }
  }

  listEdits(): readonly TextEdit[] {
    if (!this.#isSupported) return [];
    let move = 0;
    return this.#starts.flatMap((start, line) => {
      const text = this.#getLineText(line);
      const indent = text.length - text.trimStart().length;
      const to = this.#heads.get(line)?.to ?? this.#computeColumn(line, text, move);
      move = this.#moves.get(line) ?? move;
      const edit = { start, end: start + indent, text: " ".repeat(to) };
      return [...(to === indent ? [] : [edit]), ...(this.#gaps.get(line) ?? [])];
    });
  }

  #moveHead(offset: number, to: number): void {
    const line = this.#findLine(offset);
    const start = this.#starts[line] ?? 0;
    const before = this.#yaml.slice(start, offset);
    this.#moves.set(line, to - before.length);
    const gap = /-( +)$/.exec(before)?.[1];
    if (/^ *$/.test(before)) this.#heads.set(line, { from: before.length, to });
    else if (gap === undefined) this.#isSupported = false;
    else if (gap.length > 1) {
      const edit = { start: offset - gap.length, end: offset, text: " " };
      this.#gaps.set(line, [...(this.#gaps.get(line) ?? []), edit]);
    }
  }

  /** Returns a nested block's new column: one step in, except for a list at its key's column, which is valid YAML. */
  #computeStep(value: YamlBlock, block: YamlBlock, headOffset: number): number {
    const first = value.items.map(findItemHead).find((head) => head !== undefined);
    if (block.type === "block-seq" || value.type === "block-map" || first === undefined) return INDENT_STEP;
    return this.#findColumn(first.offset) === this.#findColumn(headOffset) ? 0 : INDENT_STEP;
  }

  #recordValueLines(token: CST.Token | null | undefined): void {
    const range = findValueRange(token);
    if (range === undefined) return;
    const last = this.#findLine(Math.max(range.start, range.end - 1));
    for (let line = this.#findLine(range.start) + 1; line <= last; line++) this.#valueLines.add(line);
  }

  /** Returns the column of a line without a key or item: a continued value, a comment or a blank line. */
  #computeColumn(line: number, text: string, move: number): number {
    const indent = text.length - text.trimStart().length;
    const ofValue = this.#valueLines.has(line);
    if (!ofValue && text.trim() === "") return indent;
    const below = !ofValue && text.trimStart().startsWith("#") ? this.#findNextHead(line) : undefined;
    return below?.from === indent ? below.to : Math.max(0, indent + move);
  }

  #findNextHead(line: number): LineHead | undefined {
    for (let next = line + 1; next < this.#starts.length; next++) {
      const head = this.#heads.get(next);
      if (head !== undefined) return head;
    }
    return undefined;
  }

  #getLineText(line: number): string {
    return this.#yaml.slice(this.#starts[line], this.#starts[line + 1]).replace(/\r?\n$/, "");
  }

  #findLine(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #findColumn(offset: number): number {
    return offset - (this.#starts[this.#findLine(offset)] ?? 0);
  }
}

const LAYOUT_TOKEN_TYPES: ReadonlySet<string> = new Set(["space", "newline", "comment"]);

/** Returns the first token of an item that is not layout: `-`, an anchor, a tag or the key. */
function findItemHead({ start, key }: YamlBlockItem): CST.Token | undefined {
  return start.find(({ type }) => !LAYOUT_TOKEN_TYPES.has(type)) ?? key ?? undefined;
}

function isBlockToken(token: CST.Token | undefined): token is YamlBlock {
  return token?.type === "block-map" || token?.type === "block-seq";
}

/** Returns the range of a scalar or flow collection, without the text that follows it. */
function findValueRange(token: CST.Token | null | undefined): OffsetRange | undefined {
  switch (token?.type) {
    case "block-scalar": {
      const header = token.props.reduce((length, prop) => length + ("source" in prop ? prop.source.length : 0), 0);
      return { start: token.offset, end: token.offset + header + token.source.length };
    }
    case "scalar":
    case "single-quoted-scalar":
    case "double-quoted-scalar":
      return { start: token.offset, end: token.offset + token.source.length };
    case "flow-collection":
      return { start: token.offset, end: (token.end[0]?.offset ?? token.offset) + 1 };
    default:
      return undefined;
  }
}

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
function trimBody(body: string): { readonly body: string; readonly lines: number } {
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
function planFrontmatterTrimming(text: string, range: FrontmatterRange, yaml: string): readonly TextEdit[] {
  const whole = { start: 0, end: range.bodyStart };
  const every = planTrimming(text, whole, []);
  // If the quick scanner reads the frontmatter, no value continues on a second line.
  if (every.length === 0 || scanFrontmatter(text, range) !== undefined) return every;
  const keep: OffsetRange[] = [];
  visit(parseYaml(yaml, { logLevel: "silent", prettyErrors: false }), (_, node) => {
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
