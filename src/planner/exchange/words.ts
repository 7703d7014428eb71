import { isDay, type Priority } from "../spec/planning.ts";
import type { StoredStatus } from "../spec/status.ts";

/** Words of other tools for their statuses, in lower case with single blanks. */
export const STATUS_WORDS: Readonly<Record<string, StoredStatus>> = {
  ...words("pending", [
    "to do",
    "todo",
    "open",
    "backlog",
    "new",
    "ready",
    "planned",
    "pending",
    "reopened",
    "draft",
    "not started",
  ]),
  ...words("in_progress", [
    "in progress",
    "doing",
    "started",
    "active",
    "wip",
    "hooked",
    "paused",
    "working",
    "claimed",
  ]),
  ...words("needs_attention", ["review", "in review", "needs review", "testing", "needs attention", "qa"]),
  ...words("completed", [
    "done",
    "completed",
    "complete",
    "closed",
    "finished",
    "resolved",
    "merged",
    "shipped",
    "released",
  ]),
  ...words("cancelled", [
    "cancelled",
    "canceled",
    "won't do",
    "wont do",
    "won't fix",
    "wontfix",
    "abandoned",
    "rejected",
    "not planned",
    "duplicate",
    "obsolete",
    "dropped",
  ]),
  ...words("blocked", ["blocked", "on hold", "waiting", "deferred", "pinned", "parked", "postponed"]),
  ...words("failed", ["failed"]),
};

/** Words that mean exactly what planner's own word means: nothing is lost by using that one. */
const EXACT = new Set([
  ...["to do", "todo", "open", "pending", "in progress", "done", "completed", "complete", "closed"],
  ...["cancelled", "canceled", "blocked", "failed", "needs attention"],
]);

function words(status: StoredStatus, all: readonly string[]): Record<string, StoredStatus> {
  return Object.fromEntries(all.map((word) => [word, status]));
}

export interface StatusMeaning {
  readonly status: StoredStatus;
  /** The source's word, if planner's word says less. */
  readonly originStatus?: string;
}

/** What a status word of another tool means; undefined for a word that is not known. */
export function statusOf(word: string): StatusMeaning | undefined {
  const plain = word
    .toLowerCase()
    .replaceAll(/[_\-\s]+/g, " ")
    .replaceAll("’", "'")
    .replaceAll(/[^\p{L}\p{N}' ]/gu, "")
    .trim();
  const status = Object.hasOwn(STATUS_WORDS, plain) ? STATUS_WORDS[plain] : undefined;
  if (status === undefined) return undefined;
  return EXACT.has(plain) ? { status } : { status, originStatus: word };
}

/** Words of other tools for priorities. */
export const PRIORITY_WORDS: Readonly<Record<string, Priority>> = {
  critical: "critical",
  urgent: "critical",
  highest: "critical",
  blocker: "critical",
  p0: "critical",
  high: "high",
  important: "high",
  p1: "high",
  medium: "medium",
  normal: "medium",
  moderate: "medium",
  p2: "medium",
  low: "low",
  lowest: "low",
  minor: "low",
  trivial: "low",
  p3: "low",
  p4: "low",
};

/** What a priority word of another tool means; undefined for a word that is not known. */
export function priorityOf(word: string): Priority | undefined {
  const plain = word.trim().toLowerCase();
  return Object.hasOwn(PRIORITY_WORDS, plain) ? PRIORITY_WORDS[plain] : undefined;
}

/** Words of other tools for types. */
export const TYPE_WORDS: Readonly<Record<string, string>> = {
  bug: "fix",
  fix: "fix",
  bugfix: "fix",
  hotfix: "fix",
  feature: "code",
  enhancement: "code",
  improvement: "code",
  story: "code",
  code: "code",
  chore: "task",
  operation: "task",
  ops: "task",
  docs: "docs",
  doc: "docs",
  documentation: "docs",
  spike: "research",
  research: "research",
  epic: "driver",
};

/** planner's type for a word of another tool; undefined for a word that is not known. */
export function typeOf(word: string): string | undefined {
  const plain = word.trim().toLowerCase();
  return Object.hasOwn(TYPE_WORDS, plain) ? TYPE_WORDS[plain] : undefined;
}

/** The day of a date or time as tools write them; undefined for anything else. */
export function dayOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const iso = /^(\d{4})-(\d{2})-(\d{2})(?=$|[T ])/.exec(trimmed)?.[0];
  const short = /^(\d{2})[-/.](\d{2})[-/.](\d{2})$/.exec(trimmed);
  const day = iso ?? (short === null ? "" : `20${short[3]}-${short[2]}-${short[1]}`);
  return isDay(day) && day >= "1970" && day < "2200" ? day : undefined;
}

/** The moment of a date or time, ISO 8601 in UTC; undefined for anything else. Times without a zone count as UTC. */
export function momentOf(text: string | undefined): string | undefined {
  const day = dayOf(text);
  if (text === undefined || day === undefined) return undefined;
  const rest = /^\d{4}-\d{2}-\d{2}[T ](\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?)\s*(Z|[+-]\d{2}:?\d{2})?$/.exec(text.trim());
  if (rest === null) return `${day}T00:00:00Z`;
  const time = Date.parse(`${day}T${rest[1]}${rest[2] ?? "Z"}`);
  return Number.isNaN(time) ? `${day}T00:00:00Z` : new Date(time).toISOString();
}
