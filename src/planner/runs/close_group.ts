import { changeSpec } from "../operations/shared/change_spec.ts";
import type { World } from "../operations/shared/world.ts";
import { criteriaOf } from "../spec/criteria.ts";
import { editFields } from "../spec/edit/edit_fields.ts";
import type { Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import type { RunDeps } from "./run_types.ts";

/** Whether a group waits for nothing but to be closed: as any other type it would be ready, its members being done. */
export function isDoneGroup(spec: Spec, { readiness }: World): boolean {
  return spec.type === "group" && readiness.isReady({ ...spec, type: "driver" });
}

/**
 * Completes a group or a driver whose members are done; with unchecked criteria it needs attention.
 *
 * @returns the result, also in words
 */
export async function closeGroup(
  { context }: RunDeps,
  id: SpecId,
): Promise<{ readonly completed: boolean; readonly message: string }> {
  let open = 0;
  await changeSpec(context, id, (text, { body }) => {
    open = criteriaOf(body).filter(({ checked }) => !checked).length;
    const done = { status: "completed", completed_at: context.clock.now().toISOString() };
    return editFields(text, open === 0 ? done : { status: "needs_attention" });
  });
  const result = open === 0 ? "completed" : `needs_attention, ${open} acceptance criteria are not checked`;
  return { completed: open === 0, message: `all members are done: ${result}` };
}
