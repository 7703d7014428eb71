import { MAX_FRONTMATTER_CHARS } from "../limits.ts";
import type { TextProblem } from "./spec.ts";
import { afterBreak, lineEnd, placeOf } from "./text_lines.ts";

/** Offsets of the frontmatter in a text: the YAML is `start..end`, the closing fence `end..bodyStart`. */
export interface FrontmatterRange {
  readonly start: number;
  readonly end: number;
  readonly bodyStart: number;
}

/** `range` is null for a text without frontmatter; `mark` is 1 when a byte-order mark comes first, else 0. */
export type SplitText =
  | { readonly ok: true; readonly mark: 0 | 1; readonly range: FrontmatterRange | null }
  | { readonly ok: false; readonly problem: TextProblem };

/**
 * Finds the frontmatter: it opens at a first line of exactly `---` and ends at the next line of exactly `---`, blanks
 * behind either allowed. `---js` and the like name another language in other tools and are a problem here.
 *
 * Cost: one pass over the text. Source: docs/decisions.md#s-07.
 */
export function splitText(text: string): SplitText {
  const unreadable = unreadableAt(text);
  if (unreadable !== undefined) return refuseText(text, unreadable.at, unreadable.message);
  const mark = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  if (!text.startsWith("---", mark) || text.charAt(mark + 3) === "-") return { ok: true, mark, range: null };
  const firstEnd = lineEnd(text, mark);
  if (!isBlank(text, mark + 3, firstEnd)) {
    return refuseText(text, mark + 3, 'Frontmatter must open with a line of exactly "---": expected nothing behind it');
  }
  const start = afterBreak(text, firstEnd);
  const range = closeOf(text, start);
  if (range === undefined) return refuseText(text, mark, 'Frontmatter is not closed: expected a line of exactly "---"');
  if (range.end - start > MAX_FRONTMATTER_CHARS) {
    return refuseText(text, mark, `Frontmatter is too long: expected at most ${MAX_FRONTMATTER_CHARS} characters`);
  }
  return { ok: true, mark, range };
}

function closeOf(text: string, start: number): FrontmatterRange | undefined {
  for (let at = text.indexOf("---", start); at !== -1; at = text.indexOf("---", at + 1)) {
    const before = text.charCodeAt(at - 1);
    if (before !== 10 && before !== 13) continue;
    const end = lineEnd(text, at);
    if (isBlank(text, at + 3, end)) return { start, end: at, bodyStart: afterBreak(text, end) };
  }
  return undefined;
}

/** A NUL means a binary file; half a surrogate pair cannot be written back as UTF-8. */
function unreadableAt(text: string): { at: number; message: string } | undefined {
  const nul = text.indexOf("\0");
  if (nul !== -1) return { at: nul, message: "The text holds a NUL character: expected Markdown" };
  if (text.isWellFormed()) return undefined;
  return { at: text.search(/\p{Surrogate}/u), message: "The text holds half a surrogate pair: expected valid Unicode" };
}

function isBlank(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 9) return false;
  }
  return true;
}

function refuseText(text: string, at: number, message: string): SplitText {
  return { ok: false, problem: { ...placeOf(text, at), message } };
}
