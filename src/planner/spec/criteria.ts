import { type BodyLine, visitUnfencedLines } from "./body_lines.ts";
import type { CriteriaList, Criterion } from "./criteria_list.ts";
import { quoteItem } from "./criteria_list.ts";
import { CriteriaReader } from "./criteria_reader.ts";
import { findSections, type Section } from "./sections.ts";

export type { Criterion, DroppedCriterion, NearItem } from "./criteria_list.ts";

export const CRITERIA_SECTION = "Acceptance Criteria";

/** Sections that planner and agents write; without a section of criteria, only boxes outside of them count. */
const WRITTEN_SECTIONS = ["Output", "Review", "Approval Discussion"] as const;

/**
 * Reads the criteria of the first "Acceptance Criteria" section outside code and comments; without such a section,
 * those of the whole body except what planner wrote. A later section is a report about the criteria, such as an agent's
 * under `## Output`. Source: docs/decisions.md#s-10.
 */
export function readCriteria(body: string): CriteriaList {
  const section = findSections(body, CRITERIA_SECTION)[0];
  const skipped = section === undefined ? WRITTEN_SECTIONS.flatMap((name) => findSections(body, name)) : [];
  const reader = new CriteriaReader(section !== undefined);
  const visit = (line: BodyLine): boolean => {
    if (section !== undefined && line.start >= section.end) return true;
    if (!skipped.some((one) => isLineInSection(line, one))) reader.readLine(line);
    return false;
  };
  const heading = section?.heading;
  visitUnfencedLines(body, visit, heading && { number: heading.line + 1, start: heading.next });
  return reader.finish();
}

/** Returns the checkbox lines that count as criteria; see `readCriteria`. */
export function parseCriteria(body: string): readonly Criterion[] {
  return readCriteria(body).criteria;
}

function isLineInSection({ start }: BodyLine, { heading, end }: Section): boolean {
  return start >= heading.next && start < end;
}

/** Maximum number of items that a message names. */
const MAX_NAMED_ITEMS = 3;

/**
 * Says which items of a spec look like criteria and are not read as such, with their lines and what is meant; null
 * without one. A spec with such an item is not verified and not completed: it may ask for more than planner reads.
 */
export function describeNearItems(spec: { readonly body: string; readonly bodyLine: number }): string | null {
  const { near } = readCriteria(spec.body);
  if (near.length === 0) return null;
  const named = near
    .slice(0, MAX_NAMED_ITEMS)
    .map(({ line, text, advice }) => `line ${spec.bodyLine + line - 1} ${quoteItem(text)}: ${advice}`);
  const more = near.length > named.length ? `; and ${near.length - named.length} more` : "";
  const count =
    near.length === 1 ? "1 line looks like a criterion and is" : `${near.length} lines look like criteria and are`;
  return `${count} not read as one: ${named.join("; ")}${more}`;
}
