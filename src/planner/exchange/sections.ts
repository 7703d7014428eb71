import { findHeadings, findTitleHeading } from "../spec/sections.ts";

/** A heading and the text below it, for a body built from fields. */
export type BodySection = readonly [heading: string, text: string | undefined];

/** Builds a body: `lead` without a heading, then each section below its heading. Absent texts are skipped. */
export function buildBody(lead: string | undefined, sections: readonly BodySection[]): string {
  const parts = sections.flatMap(([heading, text]) =>
    text === undefined || text.trim() === "" ? [] : [`## ${heading}\n\n${text.trim()}`],
  );
  return [lead?.trim() ?? "", ...parts].filter((part) => part !== "").join("\n\n");
}

/** Converts lines to unchecked criteria. Checkboxes, headings, indented lines and blank lines stay unchanged. */
export function convertToCriteria(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return text
    .replaceAll(/\r\n?/g, "\n")
    .split("\n")
    .map((line) => {
      if (line.trim() === "" || /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+\[[ xX]\]|#)/.test(line) || /^\s{2,}/.test(line))
        return line;
      return `- [ ] ${line.replace(/^\s*(?:[-*+•]|\d+[.)])\s+/, "").trim()}`;
    })
    .join("\n");
}

/** Increases the levels of all headings until the smallest is at least `least`. Headings in fenced code stay. */
export function demoteHeadings(text: string, least: number): string {
  const found = findHeadings(text);
  const by = least - Math.min(least, ...found.map(({ level }) => level));
  if (by <= 0) return text;
  let result = "";
  let at = 0;
  for (const { level, start, end } of found) {
    const line = text.slice(start, end);
    result += text.slice(at, start) + line.replace(/^( {0,3})#+/, `$1${"#".repeat(Math.min(6, level + by))}`);
    at = end;
  }
  return result + text.slice(at);
}

/** Splits off the first heading of level 1. */
export function splitTitle(text: string): { readonly title: string | undefined; readonly rest: string } {
  const title = findTitleHeading(text);
  if (title === undefined) return { title: undefined, rest: text };
  return { title: title.text, rest: text.slice(0, title.start) + text.slice(title.next) };
}

/** Converts a name such as `add-dark-mode` to the title "Add dark mode". */
export function formatTitle(name: string): string {
  const words = name.replaceAll(/[-_]+/g, " ").trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Builds a short name from a text, for tasks that have no id. */
export function createSlug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 60)
    .replaceAll(/^-|-$/g, "");
}
