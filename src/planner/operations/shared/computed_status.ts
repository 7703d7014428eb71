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
}

/** Returns a spec's computed status; reads other specs only if they matter. */
export async function computedStatus(context: PlannerContext, spec: Spec): Promise<ComputedStatus> {
  const alone = spec.dependsOn.length === 0 && parentOf(spec.id) === undefined;
  if (spec.archived || spec.status !== "pending" || alone) return { status: spec.status, blockedBy: [] };
  const { readiness } = await loadWorld(context);
  return { status: readiness.effectiveStatus(spec), blockedBy: readiness.unmet(spec) };
}
