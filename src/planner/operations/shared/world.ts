import type { PlannerContext } from "../../context.ts";
import type { SpecSet } from "../../ports.ts";
import { type Readiness, readinessOf } from "../../spec/readiness.ts";
import type { Spec, UnreadableFile } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";

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
