import { type BodyLine, findHeadings, findTitleHeading, visitUnfencedLines } from "../spec/sections.ts";
import { isCalendarDay, type Priority, type StoredStatus } from "../spec/spec.ts";
import type { SourceFile, SourceTask } from "./source.ts";

/** Status words of other tools, in lower case with single blanks. */
export const STATUS_WORDS: Readonly<Record<string, StoredStatus>> = {
  ...mapWords("pending", "to do, todo, open, backlog, new, ready, planned, pending, reopened, draft, not started"),
  ...mapWords("in_progress", "in progress, doing, started, active, wip, hooked, paused, working, claimed"),
  ...mapWords("needs_attention", "review, in review, needs review, testing, needs attention, qa"),
  ...mapWords("completed", "done, completed, complete, closed, finished, resolved, merged, shipped, released"),
  ...mapWords("cancelled", "cancelled, canceled, won't do, wont do, won't fix, wontfix, abandoned, rejected"),
  ...mapWords("cancelled", "not planned, duplicate, obsolete, dropped"),
  ...mapWords("blocked", "blocked, on hold, waiting, deferred, pinned, parked, postponed"),
  failed: "failed",
};

/** Words with the same meaning as planner's status, so that the source's word need not be kept. */
const EXACT_STATUS_WORDS = new Set([
  ...["to do", "todo", "open", "pending", "in progress", "done", "completed", "complete", "closed"],
  ...["cancelled", "canceled", "blocked", "failed", "needs attention"],
]);

function mapWords<Value>(value: Value, words: string): Record<string, Value> {
  return Object.fromEntries(words.split(", ").map((word) => [word, value]));
}

export interface StatusMeaning {
  readonly status: StoredStatus;
  /** The source's status word, if it is more precise than planner's. */
  readonly originStatus?: string;
}

/** Translates a status word of another tool; undefined for an unknown word. */
export function parseStatusWord(word: string): StatusMeaning | undefined {
  const plain = word
    .toLowerCase()
    .replaceAll(/[_\-\s]+/g, " ")
    .replaceAll("’", "'")
    .replaceAll(/[^\p{L}\p{N}' ]/gu, "")
    .trim();
  const status = Object.hasOwn(STATUS_WORDS, plain) ? STATUS_WORDS[plain] : undefined;
  if (status === undefined) return undefined;
  return EXACT_STATUS_WORDS.has(plain) ? { status } : { status, originStatus: word };
}

/** Priority words of other tools. */
export const PRIORITY_WORDS: Readonly<Record<string, Priority>> = {
  ...mapWords("critical", "critical, urgent, highest, blocker, p0"),
  ...mapWords("high", "high, important, p1"),
  ...mapWords("medium", "medium, normal, moderate, p2"),
  ...mapWords("low", "low, lowest, minor, trivial, p3, p4"),
};

/** Translates a priority word of another tool; undefined for an unknown word. */
export function parsePriorityWord(word: string): Priority | undefined {
  const plain = word.trim().toLowerCase();
  return Object.hasOwn(PRIORITY_WORDS, plain) ? PRIORITY_WORDS[plain] : undefined;
}

/** Type words of other tools. */
export const TYPE_WORDS: Readonly<Record<string, string>> = {
  ...mapWords("fix", "bug, fix, bugfix, hotfix"),
  ...mapWords("code", "feature, enhancement, improvement, story, code"),
  ...mapWords("task", "chore, operation, ops"),
  ...mapWords("docs", "docs, doc, documentation"),
  ...mapWords("research", "spike, research"),
  epic: "driver",
};

/** Translates a type word of another tool; undefined for an unknown word. */
export function parseTypeWord(word: string): string | undefined {
  const plain = word.trim().toLowerCase();
  return Object.hasOwn(TYPE_WORDS, plain) ? TYPE_WORDS[plain] : undefined;
}

/** Parses a date or time that begins `YYYY-MM-DD`, or a date `DD-MM-YY`, to a day `YYYY-MM-DD`; otherwise undefined. */
export function parseDay(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const iso = /^(\d{4})-(\d{2})-(\d{2})(?=$|[T ])/.exec(trimmed)?.[0];
  const short = /^(\d{2})[-/.](\d{2})[-/.](\d{2})$/.exec(trimmed);
  const day = iso ?? (short === null ? "" : `20${short[3]}-${short[2]}-${short[1]}`);
  return isCalendarDay(day) && day >= "1970" && day < "2200" ? day : undefined;
}

/** Parses a date or time to ISO 8601 in UTC; undefined for anything else. A time without a zone counts as UTC. */
export function parseTime(text: string | undefined): string | undefined {
  const day = parseDay(text);
  if (text === undefined || day === undefined) return undefined;
  const rest = /^\d{4}-\d{2}-\d{2}[T ](\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?)\s*(Z|[+-]\d{2}:?\d{2})?$/.exec(text.trim());
  if (rest === null) return `${day}T00:00:00Z`;
  const time = Date.parse(`${day}T${rest[1]}${rest[2] ?? "Z"}`);
  return Number.isNaN(time) ? `${day}T00:00:00Z` : new Date(time).toISOString();
}

/** A heading and the text below it, for a body built from fields. */
type BodySection = readonly [heading: string, text: string | undefined];

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

/** Returns the key, with a number from 2 behind it if `keys` has it already, and adds it to `keys`. */
export function createUniqueKey(wanted: string, keys: Set<string>): string {
  let key = wanted;
  for (let count = 2; keys.has(key); count++) key = `${wanted}-${count}`;
  keys.add(key);
  return key;
}

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

/** Files of a source, grouped by the folder that becomes a task. */
export class FilesByFolder {
  readonly #folders = new Map<string, Map<string, string>>();

  /** @param pattern its first group matches the folder, its second the file's path within the folder */
  constructor(files: readonly SourceFile[], pattern: RegExp) {
    for (const { path, text } of files) {
      const [, folder, name] = pattern.exec(path) ?? [];
      if (folder === undefined || name === undefined) continue;
      const inside = this.#folders.get(folder) ?? new Map<string, string>();
      inside.set(name, text);
      this.#folders.set(folder, inside);
    }
  }

  listFolders(): readonly string[] {
    return [...this.#folders.keys()];
  }

  listFileNames(folder: string): readonly string[] {
    return [...(this.#folders.get(folder)?.keys() ?? [])];
  }

  hasFile(folder: string, name: string): boolean {
    return this.#folders.get(folder)?.has(name) === true;
  }

  findText(folder: string, name: string): string | undefined {
    return this.#folders.get(folder)?.get(name);
  }

  /** Returns the path of the folder's first file. */
  findFirstPath(folder: string): string | undefined {
    const [name] = this.listFileNames(folder);
    return name === undefined ? undefined : `${folder}/${name}`;
  }
}

/** Computes the status of a feature from its tasks; drafts, which wait for approval, do not count as open. */
export function computeFeatureStatus(tasks: readonly SourceTask[]): SourceTask["status"] {
  const needed = tasks.filter(({ isDraft }) => isDraft !== true);
  if (tasks.every(({ status }) => status === "pending")) return "pending";
  return needed.every(({ status }) => status === "completed") ? "completed" : "in_progress";
}
