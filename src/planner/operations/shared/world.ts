import type { PlannerContext } from "../../context.ts";
import { findCycles, formatCycle } from "../../lint/cycles.ts";
import { computeReadiness, type Readiness } from "../../spec/readiness.ts";
import type { Spec, SpecSet, UnreadableFile } from "../../spec/spec.ts";
import { parseParentId, type SpecId } from "../../spec/spec_id.ts";

/** The active specs of the project and the readiness computed from all of them. */
export interface SpecWorld {
  readonly specs: readonly Spec[];
  readonly unreadable: readonly UnreadableFile[];
  readonly readiness: Readiness;
}

/** Reads every active spec. */
export async function loadSpecWorld(context: PlannerContext): Promise<SpecWorld> {
  const [set, archivedIds] = await Promise.all([context.specs.readActive(), context.specs.listArchivedIds()]);
  return buildSpecWorld(set, archivedIds);
}

/** Builds the world from specs that are already read. */
export function buildSpecWorld({ specs, unreadable }: SpecSet, archivedIds: ReadonlySet<SpecId>): SpecWorld {
  return { specs, unreadable, readiness: computeReadiness(specs, archivedIds) };
}

/** Status of a spec computed from its dependencies. */
export interface ComputedStatus {
  /** The status that lists show. */
  readonly status: string;
  /** Ids of the unfinished dependencies of a blocked spec. */
  readonly blockedBy: readonly string[];
  /** A dependency cycle through the spec, such as `a -> b -> a`; null without one. */
  readonly cycle: string | null;
  /** Returns the status of a dependency; null if it has no readable file. */
  findStatus(id: string): string | null;
}

/** Computes a spec's status. Reads other specs only for a pending spec that may depend on them. */
export async function computeStatus(context: PlannerContext, spec: Spec): Promise<ComputedStatus> {
  const isIndependent = spec.dependsOn.length === 0 && parseParentId(spec.id) === undefined;
  if (spec.archived || spec.status !== "pending" || isIndependent)
    return { status: spec.status, blockedBy: [], cycle: null, findStatus: () => null };
  const { specs, readiness } = await loadSpecWorld(context);
  const byId = new Map<string, Spec>(specs.map((each) => [each.id, each]));
  const statusOf = (id: string): string | null => {
    const found = byId.get(id);
    return found === undefined ? null : readiness.getEffectiveStatus(found);
  };
  const blockedBy = readiness.listUnmet(spec);
  const cycle = blockedBy.length === 0 ? null : findCycle(spec, specs);
  return { status: readiness.getEffectiveStatus(spec), blockedBy, cycle, findStatus: statusOf };
}

function findCycle({ id, dependsOn }: Spec, specs: readonly Spec[]): string | null {
  if (dependsOn.includes(id)) return `${id} -> ${id}`;
  const cycle = findCycles(new Map(specs.map((spec) => [spec.id as string, spec.dependsOn]))).get(id)?.[0];
  return cycle === undefined ? null : formatCycle(cycle);
}
