import { createPreconditionError, getErrorMessage, OperationError } from "#kernel/errors.ts";
import type { ClaimHolder } from "#planner/store/locks/local_claims.ts";
import type { SharedClaimOptions, SharedClaimResult } from "#planner/store/remote_claims/remote_claims.ts";
import type { Claim } from "#planner/store/remote_claims/shared_claims.ts";
import { AGENT_GRACE_MS } from "../limits.ts";
import type { SpecId } from "../spec/spec_id.ts";
import type { RunEnd } from "../work/end_of_run.ts";
import { keepCutOffRecord } from "./run/keep_record.ts";
import type { RepairDeps, RunDeps } from "./run_types.ts";

/** Error text of a run whose process ended before the run completed. */
export const PROCESS_GONE_REASON = "the process that ran it is gone";

/**
 * Claims the spec for this process, and ends the processes that a dead holder left running.
 *
 * @throws OperationError `failed_precondition` that names a live holder
 */
export async function claimSpec(deps: RunDeps, id: SpecId, processId: string): Promise<Claim> {
  const answer = await deps.ports.claims.claim(id, processId);
  if ("heldBy" in answer) {
    const { pid, host, started_at } = answer.heldBy;
    const why = `process ${pid} on ${host} is working on it (it began ${started_at})`;
    throw createPreconditionError(`Cannot start work on spec '${id}': ${why}`);
  }
  const { claim, tookOver } = answer;
  if (tookOver === null) return claim;
  deps.tell({ event: "note", spec_id: id, message: `took the spec over from process ${tookOver.pid}, which is gone` });
  try {
    await endLeftoverProcesses(deps, id, tookOver);
    return claim;
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/**
 * Holds a spec's claim while `use` runs, so that no run and no merge of the spec begins meanwhile.
 *
 * @param action verb phrase for the error message, such as `send back`
 * @throws OperationError `failed_precondition` if another process holds the claim
 */
export function runWithClaim<Result>(
  deps: RepairDeps,
  id: SpecId,
  action: string,
  use: (claim: Claim) => Promise<Result>,
): Promise<Result> {
  return tryRunWithClaim(deps, id, use, ({ pid }) => {
    const why = `process ${pid} is working on it: "planner pause ${id}" stops it`;
    throw createPreconditionError(`Cannot ${action} spec '${id}': ${why}`);
  });
}

/** Holds a spec's claim while `use` runs. If another process holds the claim, calls `held` for the result instead. */
export async function tryRunWithClaim<Result>(
  deps: RepairDeps,
  id: SpecId,
  use: (claim: Claim) => Promise<Result>,
  onHeld: (holder: ClaimHolder) => Result,
): Promise<Result> {
  const answer = await deps.ports.claims.claim(id, `${id}-${deps.pid}`);
  if ("heldBy" in answer) return onHeld(answer.heldBy);
  try {
    if (answer.tookOver !== null) await endLeftoverProcesses(deps, id, answer.tookOver);
    return await use(answer.claim);
  } finally {
    await answer.claim.release();
  }
}

/**
 * Ends the processes that a dead holder of a claim left running, and keeps the record of its run. Call it while holding
 * the spec's claim.
 *
 * @returns the number of ended processes
 */
async function endLeftoverProcesses(deps: RepairDeps, id: SpecId, { process_id, agent }: ClaimHolder): Promise<number> {
  if (process_id === null) return 0;
  const ended = await deps.ports.agents.endRun({ processId: process_id, agent }, AGENT_GRACE_MS);
  await keepCutOffRecord(deps, id, { processId: process_id, reason: PROCESS_GONE_REASON });
  return ended;
}

/**
 * Takes over a stale claim, ends the processes that its holder left, and releases the claim. Until then the claim names
 * the holder's run, so that if this process is killed, the next one can continue.
 *
 * @param cleanUp further work while the claim is held
 * @returns the number of ended processes; null if the claim is gone or held by a live process
 */
export async function endStaleClaim(
  deps: RepairDeps,
  { id, holder }: { readonly id: SpecId; readonly holder: ClaimHolder },
  cleanUp: () => Promise<void>,
): Promise<number | null> {
  const answer = await deps.ports.claims.claim(id, holder.process_id ?? `${id}-${deps.pid}`);
  if ("heldBy" in answer) return null;
  try {
    const ended = answer.tookOver === null ? 0 : await endLeftoverProcesses(deps, id, answer.tookOver);
    await cleanUp();
    return answer.tookOver === null && ended === 0 ? null : ended;
  } finally {
    await answer.claim.release();
  }
}

/**
 * Takes the shared claim of the spec for this clone, if the settings name a remote.
 *
 * @returns notes for the run's record
 * @throws OperationError that names the clone that holds the claim, or says why the remote cannot be reached
 */
export async function takeSharedClaim(
  deps: RunDeps,
  claim: Claim,
  options: SharedClaimOptions,
): Promise<readonly string[]> {
  const answer = await claim.share(options);
  if (answer.kind === "own") {
    for (const message of answer.notes) deps.tell({ event: "note", spec_id: claim.id, message });
    return answer.notes;
  }
  const refused = `Cannot start work on spec '${claim.id}': ${answer.reason}`;
  if (answer.kind === "lost") throw createPreconditionError(refused);
  throw new OperationError("unavailable", `${refused}: "planner work ${claim.id} --offline" works without it`);
}

/**
 * Makes the shared claim final before the spec is completed. A run that has lost its claim keeps its branch and needs
 * attention. A remote that does not answer does not stop the run, because the merge asks the remote again.
 *
 * @returns the run's end, changed if the claim is lost, and sentences for a person
 */
export async function finishClaimAtEnd(
  claim: Claim,
  end: RunEnd,
): Promise<{ readonly end: RunEnd; readonly notes: readonly string[] }> {
  if (claim.lost.aborted) return { end: buildLostClaimEnd(claim, String(claim.lost.reason)), notes: [] };
  if (end.status !== "completed") return { end, notes: [] };
  const answer = await finishClaim(claim);
  if (answer.kind === "lost") return { end: buildLostClaimEnd(claim, answer.reason), notes: [] };
  if (answer.kind === "own") return { end, notes: answer.notes };
  const note = `${answer.reason}: other clones do not know that the spec is finished; "planner merge ${claim.id}" asks again`;
  return { end, notes: [note] };
}

/** Finishes the claim. Returns an error as `unknown`, because finished work must not fail if the remote is gone. */
async function finishClaim(claim: Claim): Promise<SharedClaimResult> {
  try {
    return await claim.finish({ steal: false, offline: false });
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return { kind: "unknown", reason: getErrorMessage(error) };
  }
}

function buildLostClaimEnd({ id }: Claim, reason: string): RunEnd {
  const advice = `its branch keeps the work, and "planner merge ${id} --steal" merges it all the same`;
  return { status: "needs_attention", reasons: [`${reason}: ${advice}`] };
}

/**
 * Cleans up after killed processes: ends their records, removes their claims and ends their agents. Reports a spec that
 * is in_progress without a run and leaves it unchanged, because only a person can decide whether to continue its work.
 *
 * @param continuedIds specs that a person has just decided to continue
 *
 * Source: docs/decisions.md#s-23, docs/decisions.md#s-26.
 */
export async function repairRuns(deps: RunDeps, continuedIds: readonly SpecId[]): Promise<void> {
  const { ports, context, tell } = deps;
  for (const { process_id, spec_id, status } of await ports.records.repairRecords()) {
    tell({ event: "note", spec_id, message: `process ${process_id} is gone without an end; it counts as ${status}` });
  }
  const claimed = new Set<SpecId>();
  for (const id of await ports.claims.listIds()) {
    const holder = await ports.claims.readHolder(id);
    if (holder === null) continue;
    if (holder.alive) {
      claimed.add(id);
      continue;
    }
    const ended = await endStaleClaim(
      deps,
      { id, holder },
      async () => void (await ports.worktrees.restoreReplacedFiles(id)),
    );
    if (ended === null) claimed.add(id);
    else tell({ event: "note", spec_id: id, message: `released the claim of process ${holder.pid}, which is gone` });
  }
  const { specs } = await context.specs.readActive();
  for (const { id, status } of specs) {
    if (status !== "in_progress" || claimed.has(id) || continuedIds.includes(id)) continue;
    const message = `in_progress, but no process works on it: continue with "planner work ${id}", or "planner reset ${id}"`;
    tell({ event: "note", spec_id: id, message });
  }
}
