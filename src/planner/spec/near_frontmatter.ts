import { normalizeWord, OWN_FIELDS } from "./near.ts";
import { countLineBreaks, findLineEnd, skipLineBreak } from "./text_lines.ts";

/** Number of lines from the beginning of a text in which a block of fields is meant as its frontmatter. Our choice. */
const MAX_LINES_ABOVE = 10;

// Lines with which people and other programs open and close a block of fields.
const FENCE_PATTERN = /^[\s\u200b\ufeff]*(?:-{2,}|[–—][-–—]*|\+{3}|`{3,}|~{3,})[ \t]*(ya?ml|toml|json)?[ \t]*$/i;
const FIELD_PATTERN = /^[ \t]*["']?([\p{L}_][\p{L}\p{N} _-]{0,40})["']?[ \t]*[:=](?:[ \t]|$)/u;
const CONTINUED_PATTERN = /^(?:[ \t]+\S|[ \t]*-|[ \t]*#(?!#)|[ \t]*$)/;

const OWN_FIELD_FORMS: ReadonlySet<string> = new Set(OWN_FIELDS.map(normalizeWord));
// "Title: x" above a line of dashes is a heading of Markdown, so only these fields tell that the first fence is missing.
const DECISIVE_FORMS: ReadonlySet<string> = new Set(["id", "status", "dependson"]);

/**
 * Finds a block of fields of planner near the beginning of a text that is not read as its frontmatter: below other
 * lines, between other fences (`----`, `+++`), or without the first fence. Returns the offset of the block; undefined
 * without one.
 *
 * Code behind text is no such block: a document may explain the format.
 *
 * @param from offset at which the text begins, after a byte-order mark
 */
export function findNearFrontmatter(text: string, from: number): number | undefined {
  let isFirst = true;
  for (let start = from, line = 0; start < text.length && line < MAX_LINES_ABOVE; line++) {
    const end = findLineEnd(text, start);
    const written = text.slice(start, end);
    const next = skipLineBreak(text, end);
    if (isFence(written, isFirst) && findBlockEnd(text, next, OWN_FIELD_FORMS) !== undefined) return start;
    if (isFirst && /^---[ \t]*$/.test(findBlockEnd(text, start, DECISIVE_FORMS) ?? "")) return start;
    // What follows may be an example in code.
    if (/^\s*[`~]{3}/.test(written)) return undefined;
    if (written.trim() !== "") isFirst = false;
    start = next;
  }
  return undefined;
}

/**
 * Returns the line in the body, from 1, of a second block of fields right below the frontmatter, such as another program
 * leaves that adds its own; undefined without one. What it says of the spec is not read.
 */
export function findSecondBlock(body: string): number | undefined {
  const blank = /^\s*/.exec(body)?.[0] ?? "";
  const end = findLineEnd(body, blank.length);
  const isBlock =
    body.startsWith("---", blank.length) &&
    isFence(body.slice(blank.length, end), false) &&
    findBlockEnd(body, skipLineBreak(body, end), OWN_FIELD_FORMS) !== undefined;
  return isBlock ? countLineBreaks(body, 0, blank.length) + 1 : undefined;
}

function isFence(line: string, isFirst: boolean): boolean {
  return FENCE_PATTERN.test(line) && (isFirst || !/^\s*[`~]/.test(line));
}

/** Returns the line that closes the fields that begin at `start`; undefined unless one of them is among `forms`. */
function findBlockEnd(text: string, start: number, forms: ReadonlySet<string>): string | undefined {
  let hasOwn = false;
  for (let at = start; at < text.length; ) {
    const end = findLineEnd(text, at);
    const line = text.slice(at, end);
    if (FENCE_PATTERN.test(line)) return hasOwn ? line : undefined;
    const name = FIELD_PATTERN.exec(line)?.[1];
    if (name === undefined && (at === start || !CONTINUED_PATTERN.test(line))) return undefined;
    hasOwn ||= name !== undefined && forms.has(normalizeWord(name));
    at = skipLineBreak(text, end);
  }
  return undefined;
}
