import { type BodyLine, visitUnfencedLines } from "./body_lines.ts";
import { findSections, type Section } from "./sections.ts";

export const CRITERIA_SECTION = "Acceptance Criteria";

export interface Criterion {
  /** Line in the body, from 1. */
  readonly line: number;
  /** Offset of the line in the body. */
  readonly start: number;
  /** The checkbox line, trimmed. */
  readonly text: string;
  /** Text of the criterion, without the checkbox. */
  readonly label: string;
  readonly checked: boolean;
  /** The command that checks the criterion, or null. */
  readonly verify: string | null;
  /** Line of that command in the body, from 1; null without a command. */
  readonly verifyLine: number | null;
}

// `[x](…)` is a link with the text x, not a checkbox.
const CHECKBOX_PATTERN = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\](?!\()/;

// A verify line is below its criterion and indented more, as a separate line or a list item.
const VERIFY_PATTERN = /^([ \t]+)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?verify:[ \t]+(\S.*)$/i;

/**
 * Returns the checkbox lines of the first "Acceptance Criteria" section outside fenced code; without such a section,
 * those of the whole body except its output. A later section is a report about the criteria, such as an agent's under
 * `## Output`. Source: docs/decisions.md#s-10.
 */
export function parseCriteria(body: string): readonly Criterion[] {
  const section = findSections(body, CRITERIA_SECTION)[0];
  const outputs = section === undefined ? findSections(body, "Output") : [];
  const found: Criterion[] = [];
  let indent = 0;
  const visit = (line: BodyLine): boolean => {
    if (section !== undefined && line.start >= section.end) return true;
    if (outputs.some((output) => isLineInSection(line, output))) return false;
    const box = CHECKBOX_PATTERN.exec(line.text);
    if (box !== null) {
      indent = box[1]?.length ?? 0;
      found.push(parseCriterion(line, box));
      return false;
    }
    const check = VERIFY_PATTERN.exec(line.text);
    const last = found.at(-1);
    if (check !== null && last?.verify === null && (check[1]?.length ?? 0) > indent) {
      found[found.length - 1] = { ...last, verify: removeBackticks(check[2] ?? ""), verifyLine: line.number };
    }
    return false;
  };
  const heading = section?.heading;
  visitUnfencedLines(body, visit, heading && { number: heading.line + 1, start: heading.next });
  return found;
}

function isLineInSection({ start }: BodyLine, { heading, end }: Section): boolean {
  return start >= heading.next && start < end;
}

function parseCriterion({ number, start, text }: BodyLine, box: RegExpExecArray): Criterion {
  const label = text.slice(box[0].length).replace(/\s+/g, " ").trim();
  return { line: number, start, text: text.trim(), label, checked: box[2] !== " ", verify: null, verifyLine: null };
}

/** Removes the backticks in which Markdown writes commands. */
function removeBackticks(command: string): string {
  const text = command.trim();
  return /^`[^`]+`$/.test(text) ? text.slice(1, -1).trim() : text;
}
