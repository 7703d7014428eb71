import { findSections, visitUnfencedLines } from "./sections.ts";

/** Lines by which git marks a conflict's two sides; not `=======`, because alone it underlines a heading. */
const CONFLICT_MARKER_PATTERN = /^(?:<{7}|>{7})(?: |$)/;

/** Error message for a text with a conflict marker; says what to do. */
export const CONFLICT_MESSAGE =
  "a conflict of git is not resolved: expected one of its two sides, and no line that git marked";

/** Returns the offset of the first conflict marker in `text`, or undefined. */
export function findConflictMarker(text: string): number | undefined {
  const found = hasConflictMarker(text) ? /^(?:<{7}|>{7})(?: |\r?$)/m.exec(text) : null;
  return found?.index;
}

/**
 * Returns the number of the body's line with the first conflict marker, or undefined. Ignores fenced code and `##
 * Output`, where an agent may report a conflict. Cost: two searches in a text without a marker.
 */
export function findConflictLine(body: string): number | undefined {
  if (!hasConflictMarker(body)) return undefined;
  const outputs = findSections(body, "Output");
  let found: number | undefined;
  visitUnfencedLines(body, ({ text, start, number }) => {
    if (!CONFLICT_MARKER_PATTERN.test(text) || outputs.some(({ heading, end }) => start >= heading.next && start < end))
      return false;
    found = number;
    return true;
  });
  return found;
}

function hasConflictMarker(text: string): boolean {
  return text.includes("<<<<<<<") || text.includes(">>>>>>>");
}
