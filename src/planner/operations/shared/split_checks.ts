import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "../../context.ts";
import type { Spec } from "../../spec/spec.ts";
import { parentOf } from "../../spec/spec_id.ts";

/**
 * Refuses a spec that cannot be split now.
 *
 * @param force accepts any status. Source: docs/decisions.md#s-27
 */
export async function refuseUnsplittable(context: PlannerContext, spec: Spec, force: boolean): Promise<void> {
  const { id, status, members } = spec;
  if (status !== "pending" && !force) {
    throw new OperationError(
      "failed_precondition",
      `Spec '${id}' must be in pending status to split. Current status: ${status}`,
    );
  }
  const ids = [...(await context.specs.ids()), ...(await context.specs.archivedIds())];
  const found = [...new Set([...members, ...ids.filter((other) => parentOf(other) === id)])];
  if (found.length === 0) return;
  throw new OperationError("failed_precondition", `Spec '${id}' is already split: ${found.join(", ")}`);
}
