import { compareSpecIds, parseParentId, type SpecId } from "./spec_id.ts";

export interface Approval {
  readonly required: boolean;
  readonly status: string | null;
  readonly by: string | null;
  readonly at: string | null;
}

/**
 * One spec as read from its file. Absent lists are empty and absent texts are null.
 *
 * `status` is the stored value (an absent one reads as `pending`, `paused` as `in_progress`). It may be a value outside
 * the schema, which lint reports. `frontmatter` contains every key as written, known or not.
 */
export interface Spec {
  readonly id: SpecId;
  /** Path from the project root, with forward slashes. */
  readonly file: string;
  readonly archived: boolean;
  readonly title: string | null;
  readonly status: string;
  readonly type: string;
  readonly dependsOn: readonly string[];
  readonly labels: readonly string[];
  readonly targetFiles: readonly string[];
  readonly members: readonly string[];
  readonly model: string | null;
  readonly outputSchema: string | null;
  readonly approval: Approval | null;
  readonly priority: Priority | null;
  readonly assignee: string | null;
  /** Due day, `YYYY-MM-DD`. */
  readonly due: string | null;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** The text after the frontmatter, with the file's line endings. */
  readonly body: string;
  /** Line number in the file of the body's first line, from 1. */
  readonly bodyLine: number;
}

/** Location and message of an error. Lines and columns count from 1 in the whole file, columns in characters. */
export interface TextProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** An existing spec file that cannot be read or parsed; `line` and `column` are null if the error has no location. */
export interface UnreadableFile {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

/** Every spec of one folder, sorted by id, and the files that could not be read. */
export interface SpecSet {
  readonly specs: readonly Spec[];
  readonly unreadable: readonly UnreadableFile[];
}

/** An entry of the specs folder that is not read as a spec. */
export interface StrayEntry {
  /** Path from the project root, with forward slashes. */
  readonly file: string;
  readonly kind: "folder" | "upper_case_ending";
}

/** Returns the strings of `origin`: the source of an import, `<source>:<id>`, or the subject of research. */
export function listOrigins({ frontmatter }: Spec): readonly string[] {
  const value = frontmatter["origin"];
  return (Array.isArray(value) ? value : [value]).filter((text) => typeof text === "string");
}

/** Values of the field `priority`, the most urgent first. */
export const PRIORITIES = ["critical", "high", "medium", "low"] as const;

export type Priority = (typeof PRIORITIES)[number];

export interface PlanningFields {
  readonly id: SpecId;
  readonly priority?: Priority | null;
  readonly due?: string | null;
}

/** Parses a priority; null for any other text. */
export function parsePriority(text: string | null): Priority | null {
  return PRIORITIES.find((priority) => priority === text) ?? null;
}

/** Returns whether `text` is a calendar day, `YYYY-MM-DD`. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // Some engines read 30 February as 2 March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Compares by priority, due day and id. No priority comes after `low`, no due day last within a priority. */
export function compareUrgency(a: PlanningFields, b: PlanningFields): number {
  return rankPriority(a) - rankPriority(b) || compareDueDays(a, b) || compareSpecIds(a.id, b.id);
}

/** Compares by due day; specs without one come last. */
export function compareDueDays(a: PlanningFields, b: PlanningFields): number {
  const [left, right] = [a.due ?? "~", b.due ?? "~"];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function rankPriority({ priority }: PlanningFields): number {
  return priority === undefined || priority === null ? PRIORITIES.length : PRIORITIES.indexOf(priority);
}

/** Statuses that the update tool accepts; the schema's default enum. Source: docs/contract/spec-tool.md#tools. */
export const UPDATE_STATUSES = ["pending", "in_progress", "completed", "failed"] as const;

/** Further status values that planner itself writes, whatever a schema enumerates. Source: docs/decisions.md#s-13. */
const TOOL_STATUSES = ["blocked", "cancelled", "needs_attention"] as const;

/** Statuses that a file may have whatever a schema enumerates: those that planner writes, and `ready`, a pending one. */
export const OTHER_STATUSES = [...TOOL_STATUSES, "ready"] as const;

/** Status values allowed in a file. Source: docs/decisions.md#s-09. */
export const STORED_STATUSES = [...UPDATE_STATUSES, ...TOOL_STATUSES] as const;

/** Values of a list's status filter: the stored ones and the computed `ready`. */
export const FILTER_STATUSES = [...STORED_STATUSES, "ready"] as const;

export type StoredStatus = (typeof STORED_STATUSES)[number];
export type FilterStatus = (typeof FILTER_STATUSES)[number];

/** Statuses that lists compute or that older versions wrote, with the one that a file with them has. */
const READ_STATUSES: Readonly<Record<string, string>> = { ready: "pending", paused: "in_progress" };

/** Converts a status: an absent one and `ready` are `pending`, `paused` is `in_progress`; others stay unchanged. */
export function normalizeStatus(written: string | null): string {
  if (written === null || written === "") return "pending";
  return Object.hasOwn(READ_STATUSES, written) ? (READ_STATUSES[written] ?? written) : written;
}

/** Returns whether a status is final, completed or cancelled: what waits for such a spec may begin. */
export function isDoneStatus(status: string): boolean {
  return status === "completed" || status === "cancelled";
}

/**
 * Returns the status as which a status counts in filters and sums: itself, or `needs_attention` for a word that planner
 * does not know, because only a person can tell what it means.
 */
export function getCountedStatus(status: string): StoredStatus {
  return STORED_STATUSES.find((known) => known === status) ?? "needs_attention";
}

/** Returns whether an id is that of a member of a spec: the spec lists it, or it extends the spec's own id. */
export function isMemberOf(id: SpecId, spec: Pick<Spec, "id" | "members">): boolean {
  // Most ids do not begin so, and this test is cheaper than parsing the id.
  return (id.startsWith(`${spec.id}.`) && parseParentId(id) === spec.id) || spec.members.includes(id);
}

/** Returns the ids of a spec's members, each once: those that it lists, then those of `specs` that extend its own. */
export function listMemberIds(
  spec: Pick<Spec, "id" | "members">,
  specs: readonly Pick<Spec, "id">[],
): readonly string[] {
  const known = specs.map(({ id }) => id).filter((id) => isMemberOf(id, spec));
  return [...new Set<string>([...spec.members, ...known])];
}
