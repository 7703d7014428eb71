import type { Worktree } from "#planner/store/worktrees/open_worktree.ts";
import type { JudgedCriterion } from "#planner/work/acceptance.ts";
import type { CommandResult } from "#planner/work/provenance.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { runCommands, setUpWorktree } from "./run/run_commands.ts";
import type { LocatedJob, RunDeps, RunLocation, SpecJob, StopSignals } from "./run_types.ts";

/**
 * Opens a job that works on a spec without a run. Reports its log lines as events, because in the spec's log they would
 * look like another run's.
 */
export async function openJob({ context, pid, tell }: RunDeps, id: SpecId, stop: StopSignals): Promise<SpecJob> {
  const reportLine = (text: string): void => tell({ event: "output", spec_id: id, text });
  const log = {
    file: null,
    line: async (text: string) => reportLine(text),
    printed: async (lines: readonly string[]) => lines.forEach(reportLine),
    flush: async () => {},
    end: async () => {},
  };
  return { id, processId: `${id}-${pid}`, config: await context.readConfig(), log, stop };
}

/** Returns the location of a job without a run. @param root the project in the worktree, or without a worktree */
export function buildRunLocation(root: string, worktree: Worktree | null, port: number | null = null): RunLocation {
  return { worktree, root, port, knownCommits: new Set(), base: null, earlier: null };
}

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

/** Calls `use` with a new worktree of a commit, set up like the worktree of a run, and writes a line to the log. */
export async function runInFreshWorktree<Result>(
  deps: RunDeps,
  judging: CriteriaJob,
  commit: string,
  use: (judging: CriteriaJob & LocatedJob, worktree: Worktree) => Promise<Result>,
): Promise<Result> {
  await judging.log.line(`planner: the checks run in a new worktree of ${commit.slice(0, 10)}`);
  return deps.ports.worktrees.runInFreshWorktree(judging.id, commit, async (worktree) => {
    const port = judging.config.worktree.port ? await deps.files.findFreePort() : null;
    const placed = { ...judging, place: buildRunLocation(worktree.root, worktree, port) };
    await setUpWorktree(deps, placed);
    return use(placed, worktree);
  });
}
