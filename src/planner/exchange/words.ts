import { isCalendarDay, type Priority } from "../spec/planning.ts";
import type { StoredStatus } from "../spec/status.ts";

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
