import type { ProcessRecord } from "../ports.ts";
import type { Readiness } from "../spec/readiness.ts";
import type { Spec } from "../spec/spec.ts";
import { type NeedSigns, type PersonNeed, personNeed } from "../work/person_need.ts";
import type { Column } from "./wire.ts";

export interface WorkFacts {
  /** Ids of specs that a process works on. */
  readonly working: ReadonlySet<string>;
  /** Ids of specs with a worktree, with what its last worker left there. */
  readonly worktrees: ReadonlyMap<string, NonNullable<NeedSigns["worktree"]>>;
  /** The last process of each spec. */
  readonly last: ReadonlyMap<string, ProcessRecord>;
}

/** Where a spec stands, and why if the column does not say it. */
export interface Standing {
  readonly column: Column;
  readonly need: PersonNeed["kind"] | null;
  readonly note: string | null;
  readonly command: string | null;
}

/**
 * Returns the one column of an active spec.
 *
 * - A spec that a process works on, or that is in progress, is in Working.
 * - Work that has ended and waits for a person is in Needs you: failed, needs attention, or not merged.
 * - A pending spec is in Ready if work may begin, otherwise in Blocked.
 */
export function columnOf(spec: Spec, readiness: Readiness, facts: WorkFacts): Standing {
  const { id } = spec;
  if (facts.working.has(id)) return standing("working");
  const need = personNeed({ id, status: spec.status, worktree: facts.worktrees.get(id), last: facts.last.get(id) });
  if (need !== null) return { column: "needs_you", need: need.kind, note: need.why, command: need.command };
  switch (readiness.effectiveStatus(spec)) {
    case "completed":
    case "cancelled":
      return standing("done");
    case "in_progress":
      return standing("working", "No agent works on it", `planner work ${id}`);
    case "blocked":
      return readiness.unmet(spec).length > 0
        ? standing("blocked")
        : standing("blocked", 'Its status is "blocked"', `planner diagnose ${id}`);
    case "pending":
      return readiness.isReady(spec) ? standing("ready") : waitFor(spec);
    default:
      return standing("needs_you", `Its status "${spec.status}" is not known`, `planner lint ${id}`);
  }
}

function standing(column: Column, note: string | null = null, command: string | null = null): Standing {
  return { column, need: null, note, command };
}

/** A pending spec that is not ready although its dependencies are done. */
function waitFor({ id, approval, members, type }: Spec): Standing {
  if (approval?.required === true && approval.status !== "approved") {
    return standing("blocked", "It waits for approval", `planner approve ${id}`);
  }
  const isDriver = members.length > 0 || type === "group" || type === "driver";
  return standing("blocked", isDriver ? "Its members come first" : "Specs before it are not done");
}
