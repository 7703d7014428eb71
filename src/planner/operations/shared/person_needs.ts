import type { PlannerContext } from "../../context.ts";
import type { ProcessRecord } from "../../ports.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { type NeedSigns, type PersonNeed, personNeed } from "../../work/person_need.ts";
import { liveWorker } from "./live_worker.ts";

/**
 * Returns which of these specs need a person, and why, in their order. Cost: reads the records of runs and the states of
 * worktrees once, and one lock for each spec that needs a person.
 */
export async function personNeeds(
  context: PlannerContext,
  specs: readonly Pick<Spec, "id" | "status">[],
): Promise<ReadonlyMap<SpecId, PersonNeed>> {
  const { worktrees } = await context.runs();
  const [ids, there, records] = await Promise.all([
    worktrees.ids(),
    context.work.worktrees(),
    context.work.processes(),
  ]);
  // A branch waits for its merge even if its folder was deleted.
  const unknown = { status: "unknown", error: null } as const;
  const states = new Map<string, NeedSigns["worktree"]>(ids.map((id) => [id, unknown]));
  for (const state of there) states.set(state.spec_id, state);
  const last = new Map<string, ProcessRecord>(records.map((record) => [record.spec_id, record]));
  const found = new Map<SpecId, PersonNeed>();
  for (const { id, status } of specs) {
    const need = personNeed({ id, status, worktree: states.get(id), last: last.get(id) });
    if (need !== null && (await liveWorker(context, id)) === null) found.set(id, need);
  }
  return found;
}
