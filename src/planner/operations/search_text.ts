import type { Spec } from "../spec/spec.ts";

/** Longest snippet, in characters, without the dots that stand for what is left out. */
const SNIPPET_CHARS = 160;

/** How much of a snippet stands before the match. */
const LEAD_CHARS = 60;

/**
 * The pattern that finds `query` as it stands, by Unicode's simple case folding: `ΟΔΌΣ` finds `οδός`, and offsets are
 * those of the searched text, which lower-casing both sides would shift.
 */
export function searchPattern(query: string): RegExp {
  return new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu");
}

/**
 * The line that holds the first match, cut around it: of the body, else the title. The title's own heading comes last,
 * because a list shows the title anyway.
 */
export function snippetOf({ title, body }: Spec, pattern: RegExp): string {
  const every = new RegExp(pattern, "giu");
  let titleLine: string | undefined;
  for (const match of body.matchAll(every)) {
    const line = lineAround(body, match.index, match[0].length);
    if (title === null || line.text.trim() !== `# ${title}`) return cut(line);
    titleLine ??= title;
    if (every.lastIndex >= body.length) break;
  }
  return titleLine ?? title ?? "";
}

interface MatchedLine {
  readonly text: string;
  /** Where the match begins in `text`. */
  readonly at: number;
  readonly length: number;
}

function lineAround(body: string, index: number, length: number): MatchedLine {
  const start = Math.max(body.lastIndexOf("\n", index - 1), body.lastIndexOf("\r", index - 1)) + 1;
  const end = /[\r\n]/.exec(body.slice(index))?.index;
  const text = body.slice(start, end === undefined ? undefined : index + end);
  return { text, at: index - start, length };
}

function cut({ text, at, length }: MatchedLine): string {
  if (text.trim().length <= SNIPPET_CHARS) return text.trim();
  const from = Math.max(0, Math.min(at - LEAD_CHARS, text.length - SNIPPET_CHARS));
  const to = Math.min(text.length, Math.max(from + SNIPPET_CHARS, Math.min(at + length, from + SNIPPET_CHARS)));
  const piece = text.slice(from, to).trim();
  return `${from > 0 ? "…" : ""}${piece}${to < text.length ? "…" : ""}`;
}
