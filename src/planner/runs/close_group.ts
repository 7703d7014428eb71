import { changeSpec } from "../operations/shared/change_spec.ts";
import { loadSpecWorld, type SpecWorld } from "../operations/shared/world.ts";
import { describeNearItems, parseCriteria } from "../spec/criteria.ts";
import { editFields } from "../spec/edit/edit_fields.ts";
import { isMemberOf, type Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { hasChecks, listCompletionObstacles } from "../work/provenance.ts";
import { isCompletedWithoutProof } from "./proof/prove_spec.ts";
import type { RunDeps } from "./run_types.ts";

/**
 * Returns whether a spec is a group and all of its members are done. Tests readiness as a driver, because a group is
 * never ready to be worked.
 */
export function isDoneGroup(spec: Spec, { readiness }: SpecWorld): boolean {
  return spec.type === "group" && readiness.isReady({ ...spec, type: "driver" });
}

/**
 * Completes a group or a driver whose members are done. It needs attention instead if a criterion is unchecked, or if
 * one of its or its members' checks fails in the project as it is now.
 *
 * @returns the result, and a message that states it
 */
export async function closeGroup(
  deps: RunDeps,
  id: SpecId,
): Promise<{ readonly completed: boolean; readonly message: string }> {
  const { context } = deps;
  const unproven = await findUnprovenReasons(deps, id);
  let against: readonly string[] = [];
  await changeSpec(context, id, (text, spec) => {
    const open = parseCriteria(spec.body).filter(({ checked }) => !checked).length;
    const near = describeNearItems(spec) ?? [];
    against = [...(open === 0 ? [] : [`${open} acceptance criteria are not checked`]), ...[near].flat(), ...unproven];
    const done = { status: "completed", completed_at: context.clock.now().toISOString() };
    return editFields(text, against.length === 0 ? done : { status: "needs_attention" });
  });
  const isDone = against.length === 0;
  const result = isDone ? "completed" : `needs_attention, ${against.join("; ")}`;
  return { completed: isDone, message: `all members are done: ${result}` };
}

/** Returns why the group is not proven. Runs its members' checks, and its own once all members are merged. */
async function findUnprovenReasons(deps: RunDeps, id: SpecId): Promise<readonly string[]> {
  const { specs } = await loadSpecWorld(deps.context);
  const group = specs.find((spec) => spec.id === id);
  if (group === undefined) return [];
  const reasons: string[] = [];
  for (const spec of [...specs.filter((one) => isMemberOf(one.id, group)), group]) {
    if (spec.status === "cancelled" || (spec !== group && (await isCompletedWithoutProof(deps, spec)))) continue;
    if (spec === group && hasChecks(parseCriteria(spec.body)) && !(await areMembersMerged(deps, specs, group))) {
      reasons.push(`its checks run on its members' merged work: "planner merge --all", then "planner finalize ${id}"`);
      continue;
    }
    const proof = await deps.context.proveSpec({ id: spec.id, body: spec.body });
    reasons.push(...listCompletionObstacles(spec.id, proof));
  }
  return reasons;
}

async function areMembersMerged({ ports }: RunDeps, specs: readonly Spec[], group: Spec): Promise<boolean> {
  const members = specs.filter((one) => isMemberOf(one.id, group));
  return (await Promise.all(members.map(({ id }) => ports.worktrees.isMerged(id)))).every(Boolean);
}
