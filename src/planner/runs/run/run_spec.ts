import { OperationError } from "#kernel/errors.ts";
import type { PlannerConfig } from "../../config/config.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { COMMIT_SUMMARIES, commitWriter } from "../../work/commit_message.ts";
import type { RunDeps, RunResult, RunWishes } from "../run_types.ts";
import { Run } from "./run.ts";
import { checkStart, claimSpec } from "./start.ts";

/**
 * Works one spec, from its claim to its end: whatever happens, the record becomes terminal, the claim is released, the
 * agent is gone, and the status says how it ended.
 *
 * @throws OperationError, nothing being touched, if the spec cannot be worked; anything else is a defect, thrown after
 *   the run was brought to its end
 *
 * Source: docs/decisions.md#s-23, docs/decisions.md#s-26.
 */
export async function runSpec(deps: RunDeps, id: SpecId, wishes: RunWishes): Promise<RunResult> {
  const { config, spec } = await checkStart(deps, id, wishes);
  if (wishes.worktree) await checkWorktree(deps, spec, config);
  const processId = `${id}-${deps.pid}`;
  const claim = await claimSpec(deps, id, processId);
  try {
    // Another process may have worked the spec between the first check and the claim.
    const start = await checkStart(deps, id, wishes);
    return await new Run(deps, { ...start, claim, processId, wishes }).toEnd();
  } finally {
    await claim.release();
  }
}

/** Refuses before anything is touched: a repository without a commit is no fault of the spec's. */
async function checkWorktree(
  { ports }: RunDeps,
  spec: Spec,
  { defaults, git, worktree }: PlannerConfig,
): Promise<void> {
  try {
    const { branch_prefix: branchPrefix, main_branch: mainBranch } = defaults;
    const message = commitWriter(git.commit_template, spec)(COMMIT_SUMMARIES.ended(spec.id, "completed"));
    await ports.worktrees.check({ branchPrefix, mainBranch, base: worktree.base }, message);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new OperationError(error.kind, `Cannot start work on spec '${spec.id}': ${error.message}`);
  }
}
