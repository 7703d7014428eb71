import { liveWorker } from "../../operations/shared/live_worker.ts";
import { loadWorld, type World } from "../../operations/shared/world.ts";
import { criteriaOf } from "../../spec/criteria.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { membersOf } from "../../work/merge_order.ts";
import { closeGroup, isDoneGroup } from "../close_group.ts";
import type { RunDeps } from "../run_types.ts";

/**
 * Closes groups whose members are all done and merged, and such drivers without open criteria. A driver with open
 * criteria is separate work. Closing one can complete the next one above.
 *
 * @param told called with the result for each
 */
export async function closeDone(deps: RunDeps, told: (id: SpecId, message: string) => void): Promise<void> {
  for (;;) {
    const world = await loadWorld(deps.context);
    const done = await firstDone(deps, world);
    if (done === undefined) return;
    told(done.id, (await closeGroup(deps, done.id)).message);
  }
}

async function firstDone(deps: RunDeps, world: World): Promise<Spec | undefined> {
  for (const spec of world.specs) {
    if (!(isDoneGroup(spec, world) || isDoneDriver(spec, world))) continue;
    const members = membersOf(spec, world.specs) as readonly SpecId[];
    if (members.length === 0 || (await liveWorker(deps.context, spec.id)) !== null) continue;
    const merged = await Promise.all(members.map((id) => deps.ports.worktrees.isMerged(id)));
    if (merged.every(Boolean)) return spec;
  }
  return undefined;
}

/** One that an agent has tried and failed at is not done by its members alone. */
function isDoneDriver(spec: Spec, { readiness }: World): boolean {
  if (spec.type !== "driver" || spec.status !== "pending" || !readiness.isReady(spec)) return false;
  return criteriaOf(spec.body).every(({ checked }) => checked);
}
