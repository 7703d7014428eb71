/** Statuses that the update tool accepts; the schema's default enum. Source: docs/contract/spec-tool.md#tools. */
export const UPDATE_STATUSES = ["pending", "in_progress", "completed", "failed"] as const;

/** Further status values that planner itself writes, whatever a schema enumerates. Source: docs/decisions.md#s-13. */
export const TOOL_STATUSES = ["blocked", "cancelled", "needs_attention"] as const;

/** Status values allowed in a file. Source: docs/decisions.md#s-09. */
export const STORED_STATUSES = [...UPDATE_STATUSES, ...TOOL_STATUSES] as const;

/** Values of a list's status filter: the stored ones and the computed `ready`. */
export const FILTER_STATUSES = [...STORED_STATUSES, "ready"] as const;

export type StoredStatus = (typeof STORED_STATUSES)[number];
export type FilterStatus = (typeof FILTER_STATUSES)[number];

/** Converts a status: an absent one is `pending`, `paused` (an older word) is `in_progress`; others stay unchanged. */
export function normalizeStatus(written: string | null): string {
  if (written === null || written === "") return "pending";
  return written === "paused" ? "in_progress" : written;
}
