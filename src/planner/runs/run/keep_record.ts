import { OperationError } from "#kernel/errors.ts";
import type { RunReport, WorktreeState } from "../../run_ports.ts";
import type { RunEnd } from "../../work/end_of_run.ts";
import { runRecord } from "../../work/run_record.ts";
import type { RunDeps } from "../run_types.ts";
import type { Gathered } from "./evidence.ts";
import type { PlacedRun } from "./run.ts";

/** What a record of a run is made of. */
export interface RunParts {
  readonly startedAt: string;
  readonly report: RunReport;
  readonly promptHash: string | null;
  readonly end: Pick<RunEnd, "reasons"> & { readonly status: string };
  /** Null if the worktree was not examined at the end. */
  readonly state: WorktreeState | null;
  /** Null if no evidence was gathered. */
  readonly gathered: Gathered | null;
}

/** Keeps what a run did in a worktree for later, beside its work. A refusal is a line of the log: the run has ended as it did. */
export async function keepRecord(deps: RunDeps, run: PlacedRun, parts: RunParts): Promise<void> {
  const { worktree } = run.place;
  if (worktree === null) return;
  const { state, gathered, end } = parts;
  const summary = {
    ...{ spec_id: run.id, process_id: run.processId, mode: run.wishes.mode },
    ...{ branch: worktree.branch, mainBranch: worktree.mainBranch },
    ...{ report: parts.report, promptHash: parts.promptHash },
    commits: state?.commits ?? [],
    files: (state?.changed ?? []).map(({ path }) => path),
    criteria: gathered?.evidence.criteria ?? [],
    checks: gathered?.checks ?? [],
    outputSchema: run.spec.outputSchema,
    outputProblem: gathered?.evidence.outputProblem ?? null,
    ...{ started_at: parts.startedAt, ended_at: deps.context.clock.now().toISOString() },
    ...{ status: end.status, reasons: end.reasons, warnings: gathered?.warnings ?? [] },
  };
  try {
    const kept = await deps.ports.worktrees.keepRecord(run.id, worktree.branch, (head) => runRecord(summary, head));
    if (kept !== null) await run.log.line(`planner: this was run ${kept}: "planner log ${run.id} --run ${kept}"`);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    await run.log.line(`planner: the run's record could not be kept: ${error.message}`);
  }
}
