import type { ProcessRecord } from "../ports.ts";
import type { Readiness } from "../spec/readiness.ts";
import type { Spec } from "../spec/spec.ts";
import { findPersonNeed, type PersonNeed, type PersonNeedFacts } from "../work/person_need.ts";
import type { Column } from "./wire.ts";

export interface WorkFacts {
  /** Ids of specs that have a running process. */
  readonly workingIds: ReadonlySet<string>;
  /** State of the worktree after its last run, by the id of its spec. */
  readonly worktrees: ReadonlyMap<string, NonNullable<PersonNeedFacts["worktree"]>>;
  /** The latest process of each spec, by spec id. */
  readonly last: ReadonlyMap<string, ProcessRecord>;
}

/** A spec's column, and the reason if the column alone does not explain it. */
export interface ColumnPlacement {
  readonly column: Column;
  readonly need: PersonNeed["kind"] | null;
  readonly note: string | null;
  readonly command: string | null;
}

/**
 * Chooses the column of an active spec.
 *
 * - Working: a process runs, or the status is in progress.
 * - Needs you: the run has ended and a person must act: it failed, needs attention, or is not merged.
 * - Ready or Blocked: a pending spec whose work may begin, or may not.
 */
export function chooseColumn(spec: Spec, readiness: Readiness, facts: WorkFacts): ColumnPlacement {
  const { id } = spec;
  if (facts.workingIds.has(id)) return createColumnPlacement("working");
  const need = findPersonNeed({
    id,
    status: spec.status,
    worktree: facts.worktrees.get(id),
    last: facts.last.get(id),
  });
  if (need !== null) return { column: "needs_you", need: need.kind, note: need.why, command: need.command };
  switch (readiness.getEffectiveStatus(spec)) {
    case "completed":
    case "cancelled":
      return createColumnPlacement("done");
    case "in_progress":
      return createColumnPlacement("working", "No agent works on it", `planner work ${id}`);
    case "blocked":
      return readiness.listUnmet(spec).length > 0
        ? createColumnPlacement("blocked")
        : createColumnPlacement("blocked", 'Its status is "blocked"', `planner diagnose ${id}`);
    case "pending":
      return readiness.isReady(spec) ? createColumnPlacement("ready") : explainBlockedSpec(spec);
    default:
      return createColumnPlacement("needs_you", `Its status "${spec.status}" is not known`, `planner lint ${id}`);
  }
}

function createColumnPlacement(
  column: Column,
  note: string | null = null,
  command: string | null = null,
): ColumnPlacement {
  return { column, need: null, note, command };
}

/** Explains why work on a pending spec may not begin. */
function explainBlockedSpec({ id, approval, members, type }: Spec): ColumnPlacement {
  if (approval?.required === true && approval.status !== "approved") {
    return createColumnPlacement("blocked", "It waits for approval", `planner approve ${id}`);
  }
  const isDriver = members.length > 0 || type === "group" || type === "driver";
  return createColumnPlacement("blocked", isDriver ? "Its members come first" : "Specs before it are not done");
}
