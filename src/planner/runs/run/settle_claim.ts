import { OperationError } from "#kernel/errors.ts";
import type { Claim, SharedAnswer } from "#planner/run_ports/claims.ts";
import type { RunEnd } from "../../work/end_of_run.ts";
import { reasonOf } from "../reason_of.ts";

/** The end of a run, as the claim that other clones see allows it. */
export interface SettledEnd {
  readonly end: RunEnd;
  /** Sentences for a person. */
  readonly notes: readonly string[];
}

/**
 * Makes the shared claim final before the spec is completed. A run that has lost it keeps its branch and needs attention.
 * A remote that does not answer stops nothing here: the merge asks again.
 */
export async function settleClaim(claim: Claim, end: RunEnd): Promise<SettledEnd> {
  if (claim.lost.aborted) return { end: lostEnd(claim, String(claim.lost.reason)), notes: [] };
  if (end.status !== "completed") return { end, notes: [] };
  const answer = await finish(claim);
  if (answer.kind === "lost") return { end: lostEnd(claim, answer.reason), notes: [] };
  if (answer.kind === "own") return { end, notes: answer.notes };
  const note = `${answer.reason}: other clones do not know that the spec is finished; "planner merge ${claim.id}" asks again`;
  return { end, notes: [note] };
}

/** Work that is finished does not fail because the remote was removed meanwhile. */
async function finish(claim: Claim): Promise<SharedAnswer> {
  try {
    return await claim.finish({ steal: false, offline: false });
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return { kind: "unknown", reason: reasonOf(error) };
  }
}

function lostEnd({ id }: Claim, reason: string): RunEnd {
  const advice = `its branch keeps the work, and "planner merge ${id} --steal" merges it all the same`;
  return { status: "needs_attention", reasons: [`${reason}: ${advice}`] };
}
