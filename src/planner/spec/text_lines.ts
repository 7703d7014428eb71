/** A line ends at LF, CR LF or a lone CR, as in YAML 1.2 and CommonMark. Offsets are UTF-16 code units. */

const LF = 10;
const CR = 13;

/** Returns the offset of the line break at or after `from`, or the text's length without one. */
export function findLineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === LF || code === CR) return at;
  }
  return text.length;
}

/** Returns the offset after the line break at `end`, or `end` at the end of the text. */
export function skipLineBreak(text: string, end: number): number {
  if (end >= text.length) return text.length;
  return text.charCodeAt(end) === CR && text.charCodeAt(end + 1) === LF ? end + 2 : end + 1;
}

/** Returns the offset of the first character of the line that contains `at`. */
export function findLineStart(text: string, at: number): number {
  let start = at;
  while (start > 0) {
    const before = text.charCodeAt(start - 1);
    if (before === LF || (before === CR && text.charCodeAt(start) !== LF)) break;
    start--;
  }
  return start;
}

/** Counts the line breaks in `text` between the offsets `from` and `to`. */
export function countLineBreaks(text: string, from: number, to: number): number {
  let count = 0;
  // The engine's search is used, because a loop over the characters of many short texts took longer than parsing
  // them.
  const part = text.slice(from, to);
  for (let at = part.indexOf("\n"); at !== -1; at = part.indexOf("\n", at + 1)) count++;
  if (!part.includes("\r")) return count;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === CR && text.charCodeAt(at + 1) !== LF) count++;
  return count;
}

/** Returns line and column of an offset, both from 1; a byte-order mark does not count as a column. */
export function locateOffset(text: string, at: number): { readonly line: number; readonly column: number } {
  const start = findLineStart(text, at);
  const mark = start === 0 && text.charCodeAt(0) === 0xfeff && at > 0 ? 1 : 0;
  return { line: countLineBreaks(text, 0, start) + 1, column: at - start - mark + 1 };
}

/** Returns the first line break of the text, or LF without one. */
export function detectLineBreak(text: string): "\n" | "\r\n" | "\r" {
  const end = findLineEnd(text, 0);
  if (end >= text.length || text.charCodeAt(end) === LF) return "\n";
  return text.charCodeAt(end + 1) === LF ? "\r\n" : "\r";
}

/** Returns the offset after the line break of the last line that is not blank; 0 if all lines are blank. */
export function findContentEnd(text: string): number {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end--;
  return end === 0 ? 0 : skipLineBreak(text, findLineEnd(text, end));
}

/** Returns a text as one line: every run of white space is one space. */
export function joinLines(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
