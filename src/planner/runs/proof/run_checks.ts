import type { Worktree } from "#planner/store/worktrees/open_worktree.ts";
import type { JudgedCriterion } from "../../work/acceptance.ts";
import type { CommandResult } from "../../work/provenance.ts";
import { runJobInFreshWorktree } from "../job.ts";
import { runCommands } from "../run/run_commands.ts";
import type { LocatedJob, RunDeps, SpecJob } from "../run_types.ts";

export interface CriteriaJob extends SpecJob {
  /** Criteria of the project's own text, because a branch must not change the criteria that judge it. */
  readonly criteria: readonly JudgedCriterion[];
  /** Commands of the settings that have to succeed as well. */
  readonly commands: readonly string[];
}

/** Runs checks within the time limits of the `verify` settings. */
export function runChecks(
  deps: RunDeps,
  job: LocatedJob,
  commands: readonly string[],
): Promise<readonly CommandResult[]> {
  const { timeout_seconds: limitSeconds, parallel: width } = job.config.verify;
  return runCommands(deps, job, commands, { limitSeconds, width });
}

/** Calls `use` with a new worktree of a commit, as `runJobInFreshWorktree` does, and writes a line to the log. */
export async function runInLoggedWorktree<Result>(
  deps: RunDeps,
  judging: CriteriaJob,
  commit: string,
  use: (judging: CriteriaJob & LocatedJob, worktree: Worktree) => Promise<Result>,
): Promise<Result> {
  await judging.log.line(`planner: the checks run in a new worktree of ${commit.slice(0, 10)}`);
  return runJobInFreshWorktree(deps, judging, commit, use);
}
