import type { PlannerContext } from "../../context.ts";
import type { Spec } from "../../spec/spec.ts";
import { parentOf } from "../../spec/spec_id.ts";
import { loadWorld } from "./world.ts";

/** Status of a spec that depends on other specs. */
export interface ComputedStatus {
  /** The status that lists show. */
  readonly status: string;
  /** Dependencies that are not done, of a spec that waits for them. */
  readonly blockedBy: readonly string[];
  /** The status of one of them; null if it has no readable file. */
  statusOf(id: string): string | null;
}

/** Returns a spec's computed status; reads other specs only if they matter. */
export async function computedStatus(context: PlannerContext, spec: Spec): Promise<ComputedStatus> {
  const alone = spec.dependsOn.length === 0 && parentOf(spec.id) === undefined;
  if (spec.archived || spec.status !== "pending" || alone)
    return { status: spec.status, blockedBy: [], statusOf: () => null };
  const { specs, readiness } = await loadWorld(context);
  const byId = new Map<string, Spec>(specs.map((each) => [each.id, each]));
  const statusOf = (id: string): string | null => {
    const found = byId.get(id);
    return found === undefined ? null : readiness.effectiveStatus(found);
  };
  return { status: readiness.effectiveStatus(spec), blockedBy: readiness.unmet(spec), statusOf };
}
