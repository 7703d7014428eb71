import { OperationError } from "#kernel/errors.ts";
import type { Claim } from "#planner/run_ports/claims.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { endLeftovers } from "../end_claim.ts";
import type { RunDeps } from "../run_types.ts";

/**
 * Holds a spec's claim while `use` runs, so that no run and no merge of it begins meanwhile.
 *
 * @param action begins the refusal, as in `send back`
 * @throws OperationError `failed_precondition` if another process holds it
 */
export async function withClaim<Result>(
  deps: RunDeps,
  id: SpecId,
  action: string,
  use: (claim: Claim) => Promise<Result>,
): Promise<Result> {
  const answer = await deps.ports.claims.claim(id, `${id}-${deps.pid}`);
  if ("heldBy" in answer) {
    throw new OperationError(
      "failed_precondition",
      `Cannot ${action} spec '${id}': process ${answer.heldBy.pid} is working on it: "planner pause ${id}" stops it`,
    );
  }
  try {
    if (answer.tookOver !== null) await endLeftovers(deps, id, answer.tookOver);
    return await use(answer.claim);
  } finally {
    await answer.claim.release();
  }
}
