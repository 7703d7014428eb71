/**
 * Fields whose values stay the text that was written, so that `model: 1.10` or `labels: [007]` lose nothing; null and
 * nested structures stay what they are. For a list it holds for the items.
 */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "status",
  "title",
  "description",
  "type",
  "depends_on",
  "labels",
  "target_files",
  "model",
  "output_schema",
  "context",
  "prompt",
  "branch",
  "commits",
  "commit",
  "completed_at",
  "members",
  "tracks",
  "informed_by",
  "origin",
  "assignee",
  "due",
]);

const APPROVAL_TEXTS: ReadonlySet<string> = new Set(["status", "by", "at"]);

/** Whether scalars directly under `path` (keys from the top) keep their text. */
export function keepsText(path: readonly string[]): boolean {
  if (path.length === 1) return TEXT_FIELDS.has(path[0] ?? "");
  return path.length === 2 && path[0] === "approval" && APPROVAL_TEXTS.has(path[1] ?? "");
}
