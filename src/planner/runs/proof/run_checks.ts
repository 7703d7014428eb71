import type { Worktree } from "#planner/run_ports/worktree.ts";
import type { JudgedCriterion } from "../../work/judge_criteria.ts";
import type { CommandResult } from "../../work/provenance.ts";
import { withFreshPlace } from "../job.ts";
import { runCommands } from "../run/run_commands.ts";
import type { Job, PlacedJob, RunDeps } from "../run_types.ts";

export interface Judging extends Job {
  /** Criteria of the project's own text, because a branch must not change the criteria that judge it. */
  readonly criteria: readonly JudgedCriterion[];
  /** Commands of the settings that have to succeed as well. */
  readonly commands: readonly string[];
}

/** Runs checks within the time limits of the `verify` settings. */
export function runChecks(
  deps: RunDeps,
  job: PlacedJob,
  commands: readonly string[],
): Promise<readonly CommandResult[]> {
  const { timeout_seconds: limitSeconds, parallel: width } = job.config.verify;
  return runCommands(deps, job, commands, { limitSeconds, width });
}

/** Calls `use` with a new worktree of a commit, as `withFreshWorktree` does, and writes a line to the log. */
export async function inFreshPlace<Result>(
  deps: RunDeps,
  judging: Judging,
  commit: string,
  use: (judging: Judging & PlacedJob, worktree: Worktree) => Promise<Result>,
): Promise<Result> {
  await judging.log.line(`planner: the checks run in a new worktree of ${commit.slice(0, 10)}`);
  return withFreshPlace(deps, judging, commit, use);
}
