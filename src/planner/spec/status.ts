/** The values that the update tool accepts and the schema's default enum. Source: docs/contract/spec-tool.md#tools. */
export const UPDATE_STATUSES = ["pending", "in_progress", "completed", "failed"] as const;

/** The values that the tool itself writes beside them, whatever a schema enumerates. Source: docs/decisions.md#s-13. */
export const TOOL_STATUSES = ["blocked", "cancelled", "needs_attention"] as const;

/** Status values allowed in a file. Source: docs/decisions.md#s-09. */
export const STORED_STATUSES = [...UPDATE_STATUSES, ...TOOL_STATUSES] as const;

/** What a list filter may ask for: the stored words and the computed `ready`. */
export const FILTER_STATUSES = [...STORED_STATUSES, "ready"] as const;

export type StoredStatus = (typeof STORED_STATUSES)[number];
export type FilterStatus = (typeof FILTER_STATUSES)[number];

/** Reads a stored word: absent is `pending`, `paused` (an older word) is `in_progress`, any other stays as written. */
export function readStatus(written: string | null): string {
  if (written === null || written === "") return "pending";
  return written === "paused" ? "in_progress" : written;
}
