import { OperationError } from "#kernel/errors.ts";
import type { ManualEnd } from "../../work/provenance.ts";
import { runRecord } from "../../work/records/run_record.ts";
import type { RunDeps } from "../run_types.ts";

const NO_AGENT = {
  ...{ agent: "none", model: null, version: null, session: null, usage: null },
  ...{ denied: [], prompt_sha256: null, outside: [] },
};

/**
 * Keeps a record of a spec that a person completed by hand, as a run has one, with mode `manual`. Its commits are those
 * of the spec's branch; without one it names the commit that is checked out.
 *
 * @returns the number of the record; null without a commit, or if it cannot be kept
 */
export async function keepManual(
  deps: RunDeps,
  { id, proof, unproven, outputSchema }: ManualEnd,
): Promise<number | null> {
  const { worktrees } = deps.ports;
  try {
    const worktree = await worktrees.find(id);
    const head = await worktrees.head();
    if (head === null) return null;
    const state = worktree === null ? { commits: [], changed: [] } : await worktree.branchWork();
    const now = deps.context.clock.now().toISOString();
    const summary = {
      ...{ spec_id: id, process_id: `${id}-${deps.pid}`, mode: "manual", report: NO_AGENT },
      branch: worktree?.branch ?? head.branch,
      mainBranch: worktree?.mainBranch ?? head.branch,
      base: state.commits.length > 0 ? null : (proof.state?.commit ?? head.hash),
      commits: state.commits,
      files: state.changed.map(({ path }) => path),
      criteria: proof.criteria,
      ...{ proof, unproven, outputSchema, outputProblem: null, lastWords: null },
      ...{ started_at: now, ended_at: now, status: "completed", reasons: [], warnings: [] },
    };
    return await worktrees.keepRecord(id, worktree?.branch ?? null, (end) => runRecord(summary, end));
  } catch (error) {
    // The spec is completed; the record says less then.
    if (error instanceof OperationError) return null;
    throw error;
  }
}
