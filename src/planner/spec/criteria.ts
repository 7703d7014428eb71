import { type BodyLine, visitLines } from "./body_lines.ts";
import { type Section, sectionsOf } from "./sections.ts";

export const CRITERIA_SECTION = "Acceptance Criteria";

export interface Criterion {
  /** Line in the body, from 1. */
  readonly line: number;
  /** Offset of that line. */
  readonly start: number;
  /** The whole checkbox line, trimmed. */
  readonly text: string;
  /** What it says, without the box. */
  readonly label: string;
  readonly checked: boolean;
  /** The command that proves it, or null. */
  readonly verify: string | null;
  /** Line in the body of that command, from 1; null without one. */
  readonly verifyLine: number | null;
}

// `[x](…)` is a link whose text is x.
const CHECKBOX = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\](?!\()/;

// Below its criterion and deeper than it, as a separate line or an item of a list.
const VERIFY = /^([ \t]+)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?verify:[ \t]+(\S.*)$/i;

/**
 * The checkbox lines of the first "Acceptance Criteria" section outside fenced code; without such a section, those of
 * the whole body except its output. A later section is a report about the criteria, an agent's under `## Output` for example.
 *
 * Source: docs/decisions.md#s-10.
 */
export function criteriaOf(body: string): readonly Criterion[] {
  const section = sectionsOf(body, CRITERIA_SECTION)[0];
  const outputs = section === undefined ? sectionsOf(body, "Output") : [];
  const found: Criterion[] = [];
  let indent = 0;
  const visit = (line: BodyLine): boolean => {
    if (section !== undefined && line.start >= section.end) return true;
    if (outputs.some((output) => isInside(line, output))) return false;
    const box = CHECKBOX.exec(line.text);
    if (box !== null) {
      indent = box[1]?.length ?? 0;
      found.push(criterion(line, box));
      return false;
    }
    const check = VERIFY.exec(line.text);
    const last = found.at(-1);
    if (check !== null && last?.verify === null && (check[1]?.length ?? 0) > indent) {
      found[found.length - 1] = { ...last, verify: withoutQuotes(check[2] ?? ""), verifyLine: line.number };
    }
    return false;
  };
  const heading = section?.heading;
  visitLines(body, visit, heading && { number: heading.line + 1, start: heading.next });
  return found;
}

function isInside({ start }: BodyLine, { heading, end }: Section): boolean {
  return start >= heading.next && start < end;
}

function criterion({ number, start, text }: BodyLine, box: RegExpExecArray): Criterion {
  const label = text.slice(box[0].length).replace(/\s+/g, " ").trim();
  return { line: number, start, text: text.trim(), label, checked: box[2] !== " ", verify: null, verifyLine: null };
}

/** Markdown writes commands between backticks. */
function withoutQuotes(command: string): string {
  const text = command.trim();
  return /^`[^`]+`$/.test(text) ? text.slice(1, -1).trim() : text;
}
