/** Statuses that the update tool accepts; the schema's default enum. Source: docs/contract/spec-tool.md#tools. */
export const UPDATE_STATUSES = ["pending", "in_progress", "completed", "failed"] as const;

/** Further status values that planner itself writes, whatever a schema enumerates. Source: docs/decisions.md#s-13. */
export const TOOL_STATUSES = ["blocked", "cancelled", "needs_attention"] as const;

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

/**
 * Returns the status as which a status counts in filters and sums: itself, or `needs_attention` for a word that planner
 * does not know, because only a person can tell what it means.
 */
export function getCountedStatus(status: string): StoredStatus {
  return STORED_STATUSES.find((known) => known === status) ?? "needs_attention";
}
