import { visitLines } from "./body_lines.ts";
import { sectionsOf } from "./sections.ts";

/** What git writes around the two sides of a conflict; `=======` alone underlines a heading. */
const MARKER = /^(?:<{7}|>{7})(?: |$)/;

/** Why a text with such a line is refused, and what to do. */
export const CONFLICT = "a conflict of git is not resolved: expected one of its two sides, and no line that git marked";

/** The offset of the first line of `text` that git marked as one end of a conflict, or undefined. */
export function conflictAt(text: string): number | undefined {
  const found = hasMarker(text) ? /^(?:<{7}|>{7})(?: |\r?$)/m.exec(text) : null;
  return found?.index;
}

/**
 * The line in the body of the first such line outside of code fences and of `## Output`, where an agent may report a
 * conflict; undefined without one. Cost: two searches in a text without such a line.
 */
export function conflictLine(body: string): number | undefined {
  if (!hasMarker(body)) return undefined;
  const outputs = sectionsOf(body, "Output");
  let found: number | undefined;
  visitLines(body, ({ text, start, number }) => {
    if (!MARKER.test(text) || outputs.some(({ heading, end }) => start >= heading.next && start < end)) return false;
    found = number;
    return true;
  });
  return found;
}

function hasMarker(text: string): boolean {
  return text.includes("<<<<<<<") || text.includes(">>>>>>>");
}
