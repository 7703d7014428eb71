import { visitLines } from "./body_lines.ts";
import { sectionOf } from "./sections.ts";

/** One acceptance criterion. */
export interface Criterion {
  /** Line in the body, from 1. */
  readonly line: number;
  /** The whole checkbox line, trimmed. */
  readonly text: string;
  readonly checked: boolean;
}

// `[x](…)` is a link whose text is x.
const CHECKBOX = /^[ \t]*[-*+][ \t]+\[([ xX])\](?!\()/;

/**
 * The checkbox lines of the last "Acceptance Criteria" section outside fenced code; without such a section, those of
 * the whole body. Source: docs/decisions.md#s-10.
 */
export function criteriaOf(body: string): readonly Criterion[] {
  const section = sectionOf(body, "Acceptance Criteria");
  const from = section?.heading.next ?? 0;
  const to = section?.end ?? body.length;
  const found: Criterion[] = [];
  visitLines(body, ({ start, number, text }) => {
    const match = start >= from && start < to ? CHECKBOX.exec(text) : null;
    if (match !== null) found.push({ line: number, text: text.trim(), checked: match[1] !== " " });
    return start >= to;
  });
  return found;
}
