import { type BodyLine, visitLines } from "./body_lines.ts";

/** A heading outside fenced code. Offsets are of its line in the body, `next` is where the line below begins. */
export interface Heading {
  /** 1 for `#` to 6 for `######`. */
  readonly level: number;
  readonly text: string;
  /** Line in the body, from 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** A heading and its text, which is `heading.next..end` as offsets in the body. */
export interface Section {
  readonly heading: Heading;
  readonly end: number;
}

/** Every `#` heading outside fenced code, in order. */
export function headings(body: string): readonly Heading[] {
  const found: Heading[] = [];
  visitLines(body, (line) => {
    const heading = headingOf(line);
    if (heading !== undefined) found.push(heading);
    return false;
  });
  return found;
}

/** The first heading of level 1 that has a text, or undefined. Stops there. */
export function titleHeading(body: string): Heading | undefined {
  let title: Heading | undefined;
  visitLines(body, (line) => {
    const heading = headingOf(line);
    if (heading?.level !== 1 || heading.text === "") return false;
    title = heading;
    return true;
  });
  return title;
}

/** Sections that planner reads or writes: their headings name no spec. */
const OWN_SECTIONS: ReadonlySet<string> = new Set(["acceptance criteria", "output"]);

/** Those that it only ever writes as level 2: on another level a person may call a spec so. */
const WRITTEN_SECTIONS: ReadonlySet<string> = new Set(["approval discussion", "review"]);

/**
 * The heading that names the spec: the first one, whatever its level. Source: docs/contract/spec-tool.md#spec;
 * docs/decisions.md#s-05.
 */
export function firstHeading(body: string): Heading | undefined {
  let first: Heading | undefined;
  visitLines(body, (line) => {
    const heading = headingOf(line);
    if (heading === undefined || heading.text === "" || isOwn(heading)) return false;
    first = heading;
    return true;
  });
  return first;
}

function isOwn({ level, text }: Heading): boolean {
  const name = sectionName(text);
  return OWN_SECTIONS.has(name) || (level === 2 && WRITTEN_SECTIONS.has(name));
}

/** The text of the heading that names the spec, or null. */
export function titleOf(body: string): string | null {
  return firstHeading(body)?.text ?? null;
}

/** The last section of this name, see `sectionsOf`. */
export function sectionOf(body: string, name: string): Section | undefined {
  return sectionsOf(body, name).at(-1);
}

/**
 * The sections of this name in order, each up to the next heading of the same or a higher level. Letter case and a colon
 * behind the name do not matter.
 */
export function sectionsOf(body: string, name: string): readonly Section[] {
  const all = headings(body);
  const wanted = name.toLowerCase();
  return all.flatMap((heading, index) => {
    if (sectionName(heading.text) !== wanted) return [];
    const following = all.slice(index + 1).find(({ level }) => level <= heading.level);
    return [{ heading, end: following?.start ?? body.length }];
  });
}

function sectionName(text: string): string {
  return text.toLowerCase().replace(/:$/, "");
}

function headingOf({ text, number, start, end, next }: BodyLine): Heading | undefined {
  // Most lines hold none, and this is faster than the pattern.
  if (!text.includes("#")) return undefined;
  const match = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(text);
  if (match === null) return undefined;
  const content = text.slice(match[0].length).trim();
  return { level: match[1]?.length ?? 0, text: withoutClosing(content), line: number, start, end, next };
}

/** Markdown lets a heading end in a run of `#` behind a blank, which is no part of its text. */
function withoutClosing(content: string): string {
  let end = content.length;
  while (end > 0 && content.charAt(end - 1) === "#") end--;
  if (end === content.length || (end > 0 && !/[ \t]/.test(content.charAt(end - 1)))) return content;
  return content.slice(0, end).trimEnd();
}
