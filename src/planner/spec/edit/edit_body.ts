import { OperationError } from "#kernel/errors.ts";
import { replaceControlCharacters } from "#kernel/escape.ts";
import { CRITERIA_SECTION, type Criterion, parseCriteria } from "../criteria.ts";
import { parseReadable } from "../document.ts";
import { findFirstHeading, findHeadings, findLastSection, findMissingFence } from "../sections.ts";
import { detectLineBreak, findLineStart } from "../text_lines.ts";

const OUTPUT_SECTION = "Output";
const LINE_END_PATTERN = /[\r\n]$/;

/**
 * Appends `output` as plain text under `## Output`: to that section if it is the last one of the body, otherwise in a
 * new section. Closes a code fence that is open at the end of the body first, because the heading would otherwise be
 * code.
 * @throws OperationError `failed_precondition` with line and column if `text` does not parse, `invalid_argument` if no
 * spec file can hold `output`
 *
 * Source: docs/contract/spec-tool.md#rule-1.
 */
export function appendOutput(text: string, output: string): string {
  const { head, body } = splitHead(text);
  const lineBreak = detectLineBreak(text);
  const ended = ensureLineEnd(body, lineBreak);
  const fence = findMissingFence(body);
  const before = fence === undefined ? ended : `${ended}${fence}${lineBreak}`;
  const blank = before === "" || endsWithBlankLine(before) ? "" : lineBreak;
  const heading = endsInOutputSection(before) ? "" : `## ${OUTPUT_SECTION}${lineBreak}${lineBreak}`;
  return joinFileParts(head, `${before}${blank}${heading}${normalizeBodyText(output, lineBreak)}`, lineBreak);
}

/**
 * Replaces the body by `body`. Keeps the title's heading in front if `body` has no heading of its level or above.
 * @throws OperationError as `appendOutput`
 *
 * Source: docs/contract/spec-tool.md#rule-1.
 */
export function replaceBody(text: string, body: string): string {
  const { head, body: old } = splitHead(text);
  const lineBreak = detectLineBreak(text);
  const title = findFirstHeading(old);
  const replacement = normalizeBodyText(body, lineBreak);
  const leading = head.length > 1 ? matchBlankLines(old) : "";
  if (title === undefined || findHeadings(body).some(({ level, text }) => level <= title.level && text !== "")) {
    return joinFileParts(head, matchBlankLines(replacement) === "" ? leading + replacement : replacement, lineBreak);
  }
  const kept = old.slice(title.start, title.end) + lineBreak;
  return joinFileParts(head, `${leading}${kept}${replacement === "" ? "" : lineBreak}${replacement}`, lineBreak);
}

/**
 * Appends `entry` to the last section called `name`, or to a new section at the end of the body. Closes a code fence
 * that is open before that position first.
 * @throws OperationError as `appendOutput`
 */
export function appendSectionEntry(text: string, name: string, entry: string): string {
  const { head, body } = splitHead(text);
  const lineBreak = detectLineBreak(text);
  const section = findLastSection(body, name);
  const at = section?.end ?? body.length;
  const ended = ensureLineEnd(body.slice(0, at), lineBreak);
  const fence = findMissingFence(ended);
  const before = fence === undefined ? ended : `${ended}${fence}${lineBreak}`;
  const blank = before === "" || endsWithBlankLine(before) ? "" : lineBreak;
  const heading = section === undefined ? `## ${name}${lineBreak}${lineBreak}` : "";
  const after = at < body.length ? lineBreak + body.slice(at) : "";
  return joinFileParts(head, `${before}${blank}${heading}${normalizeBodyText(entry, lineBreak)}${after}`, lineBreak);
}

/** Splits a file into its head (byte-order mark and frontmatter, including the closing line) and its body. */
function splitHead(text: string): { readonly head: string; readonly body: string } {
  const { body } = parseReadable(text);
  return { head: text.slice(0, text.length - body.length), body };
}

/** Returns whether the last level 2 section is the output, so that text appended to the body belongs to it. */
function endsInOutputSection(body: string): boolean {
  const section = findLastSection(body, OUTPUT_SECTION);
  return section?.heading.level === 2 && section.end === body.length;
}

/** Converts `text` to the file's line endings, with one at the end and visible signs for other control characters. */
function normalizeBodyText(text: string, lineBreak: string): string {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new OperationError("invalid_argument", "Invalid output: expected text without NUL characters");
  }
  return ensureLineEnd(replaceControlCharacters(text).replaceAll("\n", lineBreak), lineBreak);
}

function ensureLineEnd(text: string, lineBreak: string): string {
  return text === "" || LINE_END_PATTERN.test(text) ? text : text + lineBreak;
}

function endsWithBlankLine(text: string): boolean {
  const line = text.replace(/(?:\r\n|\n|\r)$/, "");
  return line.slice(findLineStart(line, line.length)).trim() === "";
}

function matchBlankLines(text: string): string {
  return /^(?:[ \t]*(?:\r\n|\n|\r))*/.exec(text)?.[0] ?? "";
}

function joinFileParts(head: string, body: string, lineBreak: string): string {
  if (head.length > 1) return LINE_END_PATTERN.test(head) || body === "" ? head + body : head + lineBreak + body;
  // Without frontmatter a body must not begin with a fence, nor with a character that would be read as the byte-order
  // mark.
  const misleads = /^---(?!-)/.test(body) || (head === "" && body.startsWith("\ufeff"));
  return misleads ? head + lineBreak + body : head + body;
}

interface KeepChecksOptions {
  /** Text of the spec whose checks stay. */
  readonly own: string;
  /** Whether criteria that the other text lacks are added again, unchecked. */
  readonly restores: boolean;
  /** Returns whether a check is kept; without this function all checks are kept. */
  readonly stays?: (command: string) => boolean;
}

/**
 * Returns the spec's text with the checks that the same criteria have in `own`. A check that differs is kept as a line
 * `proposed verify: <command>` below. No other byte changes.
 * @throws OperationError `failed_precondition` with line and column if one of the texts does not parse
 */
export function keepChecks(text: string, { own, restores, stays = () => true }: KeepChecksOptions): string {
  const wanted = parseCriteria(parseReadable(own).body).filter(({ verify }) => verify !== null && stays(verify));
  if (wanted.length === 0) return text;
  const { body } = parseReadable(text);
  const left = [...parseCriteria(body)];
  const lines = body.split(/(?<=\n|\r(?!\n))/);
  const lineBreak = detectLineBreak(text);
  const lost: Criterion[] = [];
  for (const criterion of wanted) {
    const index = left.findIndex(({ label }) => label === criterion.label);
    const [found] = index < 0 ? [] : left.splice(index, 1);
    if (found === undefined) lost.push(criterion);
    else if (found.verify !== criterion.verify)
      replaceCheck(lines, { found, command: criterion.verify ?? "", lineBreak });
  }
  const kept = text.slice(0, text.length - body.length) + lines.join("");
  if (!restores || lost.length === 0) return kept;
  const entries = lost.map(({ label, verify }) => `- [ ] ${label}${lineBreak}  verify: ${verify}`);
  return appendSectionEntry(kept, CRITERIA_SECTION, entries.join(lineBreak));
}

interface CheckReplacement {
  readonly found: Criterion;
  readonly command: string;
  readonly lineBreak: string;
}

function replaceCheck(lines: string[], { found, command, lineBreak }: CheckReplacement): void {
  if (found.verifyLine === null) {
    const at = found.line - 1;
    const line = lines[at] ?? "";
    const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
    lines[at] = `${line.replace(/[\r\n]+$/, "")}${lineBreak}${indent}  verify: ${command}${lineBreak}`;
    return;
  }
  const line = lines[found.verifyLine - 1] ?? "";
  const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
  const end = /[\r\n]+$/.exec(line)?.[0] ?? "";
  const proposed = `${indent}proposed verify: ${found.verify}`;
  lines[found.verifyLine - 1] = `${indent}verify: ${command}${lineBreak}${proposed}${end}`;
}
