import type { ClaimHolder } from "#planner/run_ports/claims.ts";
import { AGENT_GRACE_MS } from "../limits.ts";
import type { SpecId } from "../spec/spec_id.ts";
import type { CareDeps } from "./doctor/trouble.ts";
import { keepCutOffRun } from "./run/keep_cut_off.ts";

/** Why a run whose process is gone did not complete. */
export const PROCESS_GONE = "the process that ran it is gone";

/**
 * Ends what a dead holder of a claim left running and keeps the record of its run. Call with the spec's claim held.
 *
 * @returns how many processes were ended
 */
export async function endLeftovers(deps: CareDeps, id: SpecId, { process_id, agent }: ClaimHolder): Promise<number> {
  if (process_id === null) return 0;
  const ended = await deps.ports.agents.endRun({ processId: process_id, agent }, AGENT_GRACE_MS);
  await keepCutOffRun(deps, id, { processId: process_id, reason: PROCESS_GONE });
  return ended;
}

/**
 * Takes a stale claim over, ends what its holder left, and gives the claim up. The claim keeps the holder's run until
 * then: a process that is killed meanwhile leaves it to the next one.
 *
 * @param then more to do with the claim held
 * @returns how many processes were ended; null if the claim is gone or held by a live process
 */
export async function endClaim(
  deps: CareDeps,
  { id, holder }: { readonly id: SpecId; readonly holder: ClaimHolder },
  then: () => Promise<void>,
): Promise<number | null> {
  const answer = await deps.ports.claims.claim(id, holder.process_id ?? `${id}-${deps.pid}`);
  if ("heldBy" in answer) return null;
  try {
    const ended = answer.tookOver === null ? 0 : await endLeftovers(deps, id, answer.tookOver);
    await then();
    return answer.tookOver === null && ended === 0 ? null : ended;
  } finally {
    await answer.claim.release();
  }
}
