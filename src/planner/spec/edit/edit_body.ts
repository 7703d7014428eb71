import { replaceControls } from "#kernel/control_pictures.ts";
import { OperationError } from "#kernel/errors.ts";
import { missingFence } from "../body_lines.ts";
import { readableDocument } from "../document.ts";
import { firstHeading, headings, sectionOf } from "../sections.ts";
import { lineBreakOf, lineStart } from "../text_lines.ts";

const OUTPUT = "Output";
const ENDS_LINE = /[\r\n]$/;

/**
 * Appends `output` as plain text under `## Output`: at the end of the section of that name when it is the body's last
 * one, else in a new section. A code fence that the body leaves open is closed first, so that the heading is one.
 *
 * @throws OperationError `failed_precondition` with line and column when `text` does not parse, `invalid_argument` when
 *   no spec file can hold `output`
 *
 * Source: docs/contract/spec-tool.md#rule-1.
 */
export function appendOutput(text: string, output: string): string {
  const { head, body } = takeApart(text);
  const lineBreak = lineBreakOf(text);
  const ended = ensureLineEnd(body, lineBreak);
  const fence = missingFence(body);
  const before = fence === undefined ? ended : `${ended}${fence}${lineBreak}`;
  const blank = before === "" || endsBlank(before) ? "" : lineBreak;
  const heading = isOpenSection(before) ? "" : `## ${OUTPUT}${lineBreak}${lineBreak}`;
  return joinParts(head, `${before}${blank}${heading}${formatText(output, lineBreak)}`, lineBreak);
}

/**
 * Replaces the body by `body`; the heading that is the title stays in front if `body` has none of its level or above.
 *
 * @throws OperationError as `appendOutput`
 *
 * Source: docs/contract/spec-tool.md#rule-1.
 */
export function replaceBody(text: string, body: string): string {
  const { head, body: old } = takeApart(text);
  const lineBreak = lineBreakOf(text);
  const title = firstHeading(old);
  const replacement = formatText(body, lineBreak);
  const leading = head.length > 1 ? blankLines(old) : "";
  if (title === undefined || headings(body).some(({ level, text }) => level <= title.level && text !== "")) {
    return joinParts(head, blankLines(replacement) === "" ? leading + replacement : replacement, lineBreak);
  }
  const kept = old.slice(title.start, title.end) + lineBreak;
  return joinParts(head, `${leading}${kept}${replacement === "" ? "" : lineBreak}${replacement}`, lineBreak);
}

/**
 * Appends `entry` at the end of the last section called `name`, which is added at the end of the body if it is missing. A
 * code fence that the body leaves open before that place is closed first.
 *
 * @throws OperationError as `appendOutput`
 */
export function appendToSection(text: string, name: string, entry: string): string {
  const { head, body } = takeApart(text);
  const lineBreak = lineBreakOf(text);
  const section = sectionOf(body, name);
  const at = section?.end ?? body.length;
  const ended = ensureLineEnd(body.slice(0, at), lineBreak);
  const fence = missingFence(ended);
  const before = fence === undefined ? ended : `${ended}${fence}${lineBreak}`;
  const blank = before === "" || endsBlank(before) ? "" : lineBreak;
  const heading = section === undefined ? `## ${name}${lineBreak}${lineBreak}` : "";
  const after = at < body.length ? lineBreak + body.slice(at) : "";
  return joinParts(head, `${before}${blank}${heading}${formatText(entry, lineBreak)}${after}`, lineBreak);
}

/** The file's head (byte-order mark and frontmatter, to the end of the closing line) and its body. */
function takeApart(text: string): { readonly head: string; readonly body: string } {
  const { body } = readableDocument(text);
  return { head: text.slice(0, text.length - body.length), body };
}

/** Returns whether the last level 2 section is the output, so that text appended to the body belongs to it. */
function isOpenSection(body: string): boolean {
  const section = sectionOf(body, OUTPUT);
  return section?.heading.level === 2 && section.end === body.length;
}

/** `text` in the file's line endings, ending in one, with visible signs for other control characters. */
function formatText(text: string, lineBreak: string): string {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new OperationError("invalid_argument", "Invalid output: expected text without NUL characters");
  }
  return ensureLineEnd(replaceControls(text).replaceAll("\n", lineBreak), lineBreak);
}

function ensureLineEnd(text: string, lineBreak: string): string {
  return text === "" || ENDS_LINE.test(text) ? text : text + lineBreak;
}

function endsBlank(text: string): boolean {
  const line = text.replace(/(?:\r\n|\n|\r)$/, "");
  return line.slice(lineStart(line, line.length)).trim() === "";
}

function blankLines(text: string): string {
  return /^(?:[ \t]*(?:\r\n|\n|\r))*/.exec(text)?.[0] ?? "";
}

function joinParts(head: string, body: string, lineBreak: string): string {
  if (head.length > 1) return ENDS_LINE.test(head) || body === "" ? head + body : head + lineBreak + body;
  // Without frontmatter a body must not begin like one, nor with what reads as the file's byte-order mark.
  const misleads = /^---(?!-)/.test(body) || (head === "" && body.startsWith("\ufeff"));
  return misleads ? head + lineBreak + body : head + body;
}
