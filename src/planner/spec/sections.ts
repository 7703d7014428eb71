import { type BodyLine, visitUnfencedLines } from "./body_lines.ts";

/** A heading outside fenced code. Offsets are those of its line in the body; `next` is the offset of the next line. */
export interface Heading {
  /** Level from 1 for `#` to 6 for `######`. */
  readonly level: number;
  readonly text: string;
  /** Line in the body, from 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** A heading and its text, which has the offsets `heading.next..end` in the body. */
export interface Section {
  readonly heading: Heading;
  readonly end: number;
}

/** Finds every `#` heading outside fenced code, in order. */
export function findHeadings(body: string): readonly Heading[] {
  const found: Heading[] = [];
  visitUnfencedLines(body, (line) => {
    const heading = parseHeading(line);
    if (heading !== undefined) found.push(heading);
    return false;
  });
  return found;
}

/** Returns the first heading of level 1 with a text, or undefined. Stops reading there. */
export function findTitleHeading(body: string): Heading | undefined {
  let title: Heading | undefined;
  visitUnfencedLines(body, (line) => {
    const heading = parseHeading(line);
    if (heading?.level !== 1 || heading.text === "") return false;
    title = heading;
    return true;
  });
  return title;
}

/** Sections that planner reads or writes; their headings are not the spec's title. */
const OWN_SECTIONS: ReadonlySet<string> = new Set(["acceptance criteria", "output"]);

/** Sections that planner writes only at level 2; a person may use the same text as a title at another level. */
const WRITTEN_SECTIONS: ReadonlySet<string> = new Set(["approval discussion", "review"]);

/**
 * Returns the heading that is the title: the first one, at any level, except planner's own sections. Source:
 * docs/contract/spec-tool.md#spec; docs/decisions.md#s-05.
 */
export function findFirstHeading(body: string): Heading | undefined {
  let first: Heading | undefined;
  visitUnfencedLines(body, (line) => {
    const heading = parseHeading(line);
    if (heading === undefined || heading.text === "" || isOwnSection(heading)) return false;
    first = heading;
    return true;
  });
  return first;
}

function isOwnSection({ level, text }: Heading): boolean {
  const name = normalizeSectionName(text);
  return OWN_SECTIONS.has(name) || (level === 2 && WRITTEN_SECTIONS.has(name));
}

/** Returns the text of the heading that is the title, or null. */
export function findTitle(body: string): string | null {
  return findFirstHeading(body)?.text ?? null;
}

/** Returns the last section of this name; see `findSections`. */
export function findLastSection(body: string, name: string): Section | undefined {
  return findSections(body, name).at(-1);
}

/**
 * Returns the sections of this name in order, each up to the next heading of the same or a higher level. Letter case
 * and a colon after the name do not matter.
 */
export function findSections(body: string, name: string): readonly Section[] {
  const all = findHeadings(body);
  const wanted = name.toLowerCase();
  return all.flatMap((heading, index) => {
    if (normalizeSectionName(heading.text) !== wanted) return [];
    const following = all.slice(index + 1).find(({ level }) => level <= heading.level);
    return [{ heading, end: following?.start ?? body.length }];
  });
}

function normalizeSectionName(text: string): string {
  return text.toLowerCase().replace(/:$/, "");
}

function parseHeading({ text, number, start, end, next }: BodyLine): Heading | undefined {
  // Most lines have no heading, and this test is faster than the pattern.
  if (!text.includes("#")) return undefined;
  const match = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(text);
  if (match === null) return undefined;
  const content = text.slice(match[0].length).trim();
  return { level: match[1]?.length ?? 0, text: removeClosingMarks(content), line: number, start, end, next };
}

/** Removes Markdown's optional closing run of `#` after a blank. */
function removeClosingMarks(content: string): string {
  let end = content.length;
  while (end > 0 && content.charAt(end - 1) === "#") end--;
  if (end === content.length || (end > 0 && !/[ \t]/.test(content.charAt(end - 1)))) return content;
  return content.slice(0, end).trimEnd();
}
