import { createInvalidArgumentError } from "#kernel/errors.ts";
import { MAX_QUERY_CHARS } from "../../limits.ts";
import type { Spec } from "../../spec/spec.ts";

/** Maximum length of a snippet in characters, without the ellipses. */
const MAX_SNIPPET_CHARS = 120;

/** Number of characters of a snippet before the match. */
const MAX_LEAD_CHARS = 40;

/**
 * Creates a pattern that matches `query` literally, by Unicode's simple case folding: `ΟΔΌΣ` matches `οδός`. Match
 * offsets refer to the searched text; lower-casing both sides would shift them.
 * @param name the parameter with the query, for errors
 * @throws OperationError for a blank query, or one that is too long
 */
export function createSearchPattern(query: string, name = "query"): RegExp {
  if (query.trim() === "") throw createInvalidArgumentError(`Invalid ${name}: expected text to find`);
  if (query.length > MAX_QUERY_CHARS) {
    const message = `Invalid ${name}: expected at most ${MAX_QUERY_CHARS} characters, got ${query.length}`;
    throw createInvalidArgumentError(message);
  }
  return new RegExp(RegExp.escape(query), "iu");
}

export function matchesPattern({ title, body }: Spec, pattern: RegExp): boolean {
  return pattern.test(body) || (title !== null && pattern.test(title));
}

/** Returns the text around the first match in the body, from one line; the title if only its heading matches. */
export function cutSnippet({ title, body }: Spec, pattern: RegExp): string {
  for (const match of body.matchAll(new RegExp(pattern, "giu"))) {
    // If a query begins with line breaks, the match counts from the first character after them.
    const line = findMatchedLine(body, match.index + match[0].search(/\S|$/));
    if (title === null || line.text.trim() !== `# ${title}`) return cutMatchedLine(line);
  }
  return title ?? "";
}

interface MatchedLine {
  readonly text: string;
  /** Offset of the match in `text`. */
  readonly at: number;
}

function findMatchedLine(body: string, index: number): MatchedLine {
  const start = index === 0 ? 0 : Math.max(body.lastIndexOf("\n", index - 1), body.lastIndexOf("\r", index - 1)) + 1;
  const end = body.slice(index).search(/[\r\n]/);
  return { text: body.slice(start, end === -1 ? undefined : index + end), at: index - start };
}

function cutMatchedLine({ text, at }: MatchedLine): string {
  if (text.trim().length <= MAX_SNIPPET_CHARS) return text.trim();
  const from = Math.max(0, Math.min(at - MAX_LEAD_CHARS, text.length - MAX_SNIPPET_CHARS));
  const to = from + MAX_SNIPPET_CHARS;
  // Half of a surrogate pair at either end is removed, because it is not valid text.
  const piece = text.slice(from, to).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
  return `${from > 0 ? "…" : ""}${piece.trim()}${to < text.length ? "…" : ""}`;
}
