import type { ProcessRecord } from "../../ports.ts";
import { buildSpec } from "../../spec/build_spec.ts";
import { parseDocument } from "../../spec/document.ts";
import type { Spec } from "../../spec/spec.ts";
import { parseSpecId, type SpecId } from "../../spec/spec_id.ts";
import { readProjectText } from "../files/read_text.ts";
import { buildActivePath, buildArchivePath } from "../project/places.ts";
import { findPendingSplit } from "../specs/create_members.ts";

/** Fields that make a record terminal. */
export interface RecordEnd {
  readonly status: "completed" | "failed";
  /** End of the process, in ISO 8601 UTC. */
  readonly completed_at: string;
}

/**
 * Returns the end of a run whose process died without recording it. The spec decides: a run writes its spec first and
 * its record last, so a run killed in between has completed. Any other run failed, at the time of discovery. Source:
 * docs/decisions.md#s-26.
 */
export function decideDeadRunEnd(root: string, { spec_id, started_at, mode }: ProcessRecord, now: Date): RecordEnd {
  const failed = { status: "failed", completed_at: now.toISOString() } as const;
  const id = parseSpecId(spec_id);
  const spec = id === undefined ? null : readSpec(root, id);
  if (spec === null) return failed;
  if (mode === "split") {
    // A split keeps the spec's status, and its last step makes the spec a driver. Other processes can finish a split.
    const split = spec.members.length > 0 || findPendingSplit(root) === id;
    return split ? { ...failed, status: "completed" } : failed;
  }
  const at = spec.status === "completed" ? spec.frontmatter["completed_at"] : undefined;
  const since = typeof at === "string" ? new Date(at).getTime() : Number.NaN;
  // A spec completed before this run began is the result of another run. Without a time, this run did not complete
  // it.
  if (Number.isNaN(since) || since < Date.parse(started_at)) return failed;
  return { status: "completed", completed_at: new Date(since).toISOString() };
}

function readSpec(root: string, id: SpecId): Spec | null {
  for (const [file, archived] of [[buildActivePath(id), false] as const, [buildArchivePath(id), true] as const]) {
    const read = readProjectText(root, file);
    if (read.kind !== "text") continue;
    const document = parseDocument(read.text);
    return document.ok ? buildSpec({ id, file, archived }, document) : null;
  }
  return null;
}
