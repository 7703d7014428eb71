import { MAX_FRONTMATTER_CHARS } from "../limits.ts";
import type { TextProblem } from "./spec.ts";
import { findLineEnd, locateOffset, skipLineBreak } from "./text_lines.ts";

/** Offsets of the frontmatter in a text: `start..end` is the YAML, `end..bodyStart` the closing fence. */
export interface FrontmatterRange {
  readonly start: number;
  readonly end: number;
  readonly bodyStart: number;
}

/** `range` is null for a text without frontmatter; `mark` is the length of the byte-order mark, 0 or 1. */
export type SplitText =
  | { readonly ok: true; readonly mark: 0 | 1; readonly range: FrontmatterRange | null }
  | { readonly ok: false; readonly problem: TextProblem };

/**
 * Finds the frontmatter: it begins with a first line of `---` and ends with the next line of `---`, each with optional
 * trailing blanks. `---js` and the like select another language in other tools and are a problem here.
 *
 * Cost: one pass over the text. Source: docs/decisions.md#s-07.
 */
export function splitText(text: string): SplitText {
  const unreadable = findInvalidCharacter(text);
  if (unreadable !== undefined) return createTextProblem(text, unreadable.at, unreadable.message);
  const mark = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  if (!text.startsWith("---", mark) || text.charAt(mark + 3) === "-") return { ok: true, mark, range: null };
  const firstEnd = findLineEnd(text, mark);
  if (!isBlankRange(text, mark + 3, firstEnd)) {
    return createTextProblem(
      text,
      mark + 3,
      'Frontmatter must open with a line of exactly "---": expected nothing behind it',
    );
  }
  const start = skipLineBreak(text, firstEnd);
  const range = findFrontmatterEnd(text, start);
  if (range === undefined)
    return createTextProblem(text, mark, 'Frontmatter is not closed: expected a line of exactly "---"');
  if (range.end - start > MAX_FRONTMATTER_CHARS) {
    return createTextProblem(
      text,
      mark,
      `Frontmatter is too long: expected at most ${MAX_FRONTMATTER_CHARS} characters`,
    );
  }
  return { ok: true, mark, range };
}

function findFrontmatterEnd(text: string, start: number): FrontmatterRange | undefined {
  for (let at = text.indexOf("---", start); at !== -1; at = text.indexOf("---", at + 1)) {
    const before = text.charCodeAt(at - 1);
    if (before !== 10 && before !== 13) continue;
    const end = findLineEnd(text, at);
    if (isBlankRange(text, at + 3, end)) return { start, end: at, bodyStart: skipLineBreak(text, end) };
  }
  return undefined;
}

/** Finds a NUL, which indicates a binary file, or half a surrogate pair, which cannot be written back as UTF-8. */
function findInvalidCharacter(text: string): { at: number; message: string } | undefined {
  const nul = text.indexOf("\0");
  if (nul !== -1) return { at: nul, message: "The text holds a NUL character: expected Markdown" };
  if (text.isWellFormed()) return undefined;
  return { at: text.search(/\p{Surrogate}/u), message: "The text holds half a surrogate pair: expected valid Unicode" };
}

function isBlankRange(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 9) return false;
  }
  return true;
}

function createTextProblem(text: string, at: number, message: string): SplitText {
  return { ok: false, problem: { ...locateOffset(text, at), message } };
}
