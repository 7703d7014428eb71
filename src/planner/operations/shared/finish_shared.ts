import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { SharedClaimOptions, SharedClaimResult } from "#planner/store/remote_claims/remote_claims.ts";
import type { PlannerContext } from "../../context.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";

/** Claim options of a tool: only a person may steal another clone's claim or work offline. */
export const TOOL_CLAIM_OPTIONS: SharedClaimOptions = { steal: false, offline: false };

/**
 * Makes this clone's claim final before a person completes a spec, if the settings name a remote. A run's own claim
 * becomes final at the end of the run.
 *
 * @returns notes for the person
 * @throws OperationError `failed_precondition` if another clone has the spec, or a process of this one works on it;
 * `unavailable` if the remote does not answer
 */
export async function finishSharedClaim(
  context: PlannerContext,
  { id, status }: Pick<Spec, "id" | "status">,
  { command, ...wishes }: SharedClaimOptions & { readonly command: string },
): Promise<readonly string[]> {
  if (status === "completed" || context.findSurroundingRun() !== null || !(await hasClaimRemote(context))) return [];
  const { claims } = await context.openRuns();
  const refused = `Cannot complete spec '${id}'`;
  const holder = await claims.readHolder(id);
  if (holder?.alive === true) {
    const advice = `"planner pause ${id}" stops it`;
    throw createPreconditionError(`${refused}: process ${holder.pid} is working on it: ${advice}`);
  }
  const answer = await claims.changeByHand(id, "finish", wishes);
  if (answer.kind === "own") return answer.notes;
  if (answer.kind === "lost") {
    throw createPreconditionError(
      `${refused}: ${answer.reason}: "planner ${command} --steal" completes it all the same`,
    );
  }
  throw new OperationError(
    "unavailable",
    `${refused}: ${answer.reason}: "planner ${command} --offline" works without it`,
  );
}

/**
 * Keeps a stopped agent's claim, so that a person can continue in this clone, or gives it up, so that any clone may begin
 * the spec. Returns notes, also about failures.
 */
export async function changeSharedClaim(
  context: PlannerContext,
  id: SpecId,
  action: "keep" | "give up",
): Promise<readonly string[]> {
  if (context.findSurroundingRun() !== null || !(await hasClaimRemote(context))) return [];
  const { claims } = await context.openRuns();
  const answer = await claims.changeByHand(id, action, TOOL_CLAIM_OPTIONS).catch(createUnknownClaimResult);
  return answer.kind === "own" ? answer.notes : [`other clones do not know of it: ${answer.reason}`];
}

async function hasClaimRemote(context: PlannerContext): Promise<boolean> {
  return (await context.readConfig()).claims.remote !== null;
}

function createUnknownClaimResult(error: unknown): SharedClaimResult {
  if (!(error instanceof OperationError)) throw error;
  return { kind: "unknown", reason: error.message };
}
