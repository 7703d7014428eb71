import { isScalar, parseDocument, visit } from "yaml";
import { quickFrontmatter } from "../../spec/quick_frontmatter.ts";
import type { FrontmatterRange } from "../../spec/split_text.ts";
import { lineEnd } from "../../spec/text_lines.ts";
import type { Range, TextEdit } from "./text_edits.ts";
import { trimEdits } from "./trailing_space.ts";

/**
 * The edits that trim the lines of the frontmatter, its fences included. Blanks within a block scalar or a quoted text are
 * part of the value, or may be, so those lines stay.
 *
 * @param yaml the frontmatter with every lone CR as LF, so that offsets agree with `text`
 */
export function trimFrontmatter(text: string, range: FrontmatterRange, yaml: string): readonly TextEdit[] {
  const whole = { start: 0, end: range.bodyStart };
  const every = trimEdits(text, whole, []);
  // Where the quick scanner reads it, no value goes over the end of a line.
  if (every.length === 0 || quickFrontmatter(text, range) !== undefined) return every;
  const keep: Range[] = [];
  visit(parseDocument(yaml, { logLevel: "silent", prettyErrors: false }), (_, node) => {
    if (!isScalar(node) || node.range === null || node.range === undefined) return;
    const [start, valueEnd, nodeEnd] = node.range;
    if (node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED") {
      // Only a comment can follow the header on its line.
      keep.push({ start: range.start + lineEnd(yaml, start) + 1, end: range.start + nodeEnd });
    } else if (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE") {
      keep.push({ start: range.start + start, end: range.start + valueEnd });
    }
  });
  keep.sort((a, b) => a.start - b.start);
  return trimEdits(text, whole, keep);
}
