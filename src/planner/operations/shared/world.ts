import type { PlannerContext } from "../../context.ts";
import { findCycles, formatCycle } from "../../lint/cycles.ts";
import type { SpecSet } from "../../ports.ts";
import { type Readiness, readinessOf } from "../../spec/readiness.ts";
import type { Spec, UnreadableFile } from "../../spec/spec.ts";
import { parentOf, type SpecId } from "../../spec/spec_id.ts";

/** The active specs of the project and what can be said of them together. */
export interface World {
  readonly specs: readonly Spec[];
  readonly unreadable: readonly UnreadableFile[];
  readonly readiness: Readiness;
}

/** Reads every active spec. */
export async function loadWorld(context: PlannerContext): Promise<World> {
  const [set, archivedIds] = await Promise.all([context.specs.active(), context.specs.archivedIds()]);
  return worldOf(set, archivedIds);
}

/** The world of specs that were read already. */
export function worldOf({ specs, unreadable }: SpecSet, archivedIds: ReadonlySet<SpecId>): World {
  return { specs, unreadable, readiness: readinessOf(specs, archivedIds) };
}

/** Status of a spec that depends on other specs. */
export interface ComputedStatus {
  /** The status that lists show. */
  readonly status: string;
  /** Dependencies that are not done, of a spec that waits for them. */
  readonly blockedBy: readonly string[];
  /** A dependency cycle through the spec, as in `a -> b -> a`; null without one. */
  readonly cycle: string | null;
  /** The status of one of them; null if it has no readable file. */
  statusOf(id: string): string | null;
}

/** Returns a spec's computed status; reads other specs only if they matter. */
export async function computedStatus(context: PlannerContext, spec: Spec): Promise<ComputedStatus> {
  const alone = spec.dependsOn.length === 0 && parentOf(spec.id) === undefined;
  if (spec.archived || spec.status !== "pending" || alone)
    return { status: spec.status, blockedBy: [], cycle: null, statusOf: () => null };
  const { specs, readiness } = await loadWorld(context);
  const byId = new Map<string, Spec>(specs.map((each) => [each.id, each]));
  const statusOf = (id: string): string | null => {
    const found = byId.get(id);
    return found === undefined ? null : readiness.effectiveStatus(found);
  };
  const blockedBy = readiness.unmet(spec);
  const cycle = blockedBy.length === 0 ? null : cycleOf(spec, specs);
  return { status: readiness.effectiveStatus(spec), blockedBy, cycle, statusOf };
}

function cycleOf({ id, dependsOn }: Spec, specs: readonly Spec[]): string | null {
  if (dependsOn.includes(id)) return `${id} -> ${id}`;
  const cycle = findCycles(new Map(specs.map((spec) => [spec.id as string, spec.dependsOn]))).get(id)?.[0];
  return cycle === undefined ? null : formatCycle(cycle);
}
