import { type BodyLine, visitUnfencedLines } from "../spec/body_lines.ts";

/** A checkbox of a task list, with the text below it. */
export interface ChecklistItem {
  /** Line in the text, from 1. */
  readonly line: number;
  /** Number of blanks before the item. */
  readonly indent: number;
  /** The character between the brackets: a blank, `x`, or another sign. */
  readonly mark: string;
  /** True if `*` follows the box, which marks a task that the result does not need. */
  readonly isOptional: boolean;
  readonly text: string;
  /** The lines from below the item to the next item or heading, without their common indentation. */
  readonly details: string;
  /** Texts of the headings above the item, the nearest last. */
  readonly headings: readonly string[];
}

const CHECKBOX_PATTERN = /^([ \t]*)[-*+]\s*\[([ xX~-])\](\*?)\s+(\S.*)$/;
const HEADING_PATTERN = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;

/** Parses the checkboxes outside fenced code. */
export function parseChecklist(text: string): readonly ChecklistItem[] {
  const found: { item: Omit<ChecklistItem, "details">; from: number; to: number }[] = [];
  const headings: string[] = [];
  visitUnfencedLines(text, (line) => {
    const heading = HEADING_PATTERN.exec(line.text);
    if (heading !== null) {
      headings.length = Math.min(headings.length, (heading[1]?.length ?? 1) - 1);
      headings[(heading[1]?.length ?? 1) - 1] = heading[2] ?? "";
    }
    const box = CHECKBOX_PATTERN.exec(line.text);
    const last = found.at(-1);
    if ((heading !== null || box !== null || /^---+\s*$/.test(line.text)) && last?.to === -1) last.to = line.start;
    if (box !== null) found.push({ item: parseItem(line, box, headings), from: line.next, to: -1 });
    return false;
  });
  return found.map(({ item, from, to }) => ({
    ...item,
    details: dedentText(text.slice(from, to === -1 ? undefined : to)),
  }));
}

function parseItem(
  { number }: BodyLine,
  box: RegExpExecArray,
  headings: readonly string[],
): Omit<ChecklistItem, "details"> {
  const [, blanks = "", mark = " ", star = "", text = ""] = box;
  return {
    line: number,
    indent: blanks.replaceAll("\t", "    ").length,
    mark: mark.toLowerCase(),
    isOptional: star !== "",
    text: text.trim(),
    headings: headings.filter((heading) => heading !== undefined && heading !== ""),
  };
}

function dedentText(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, "\n").split("\n");
  const filled = lines.filter((line) => line.trim() !== "");
  const indent = Math.min(...filled.map((line) => line.length - line.trimStart().length), 40);
  return lines
    .map((line) => line.slice(indent))
    .join("\n")
    .trim();
}
