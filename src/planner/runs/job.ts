import type { Worktree } from "#planner/store/worktrees/open_worktree.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { setUpWorktree } from "./run/run_commands.ts";
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

/** Calls `use` with a new worktree of a commit, set up like the worktree of a run. */
export function runJobInFreshWorktree<OwnJob extends SpecJob, Result>(
  deps: RunDeps,
  job: OwnJob,
  commit: string,
  use: (job: OwnJob & LocatedJob, worktree: Worktree) => Promise<Result>,
): Promise<Result> {
  return deps.ports.worktrees.runInFreshWorktree(job.id, commit, async (worktree) => {
    const port = job.config.worktree.port ? await deps.files.findFreePort() : null;
    const placed = { ...job, place: buildRunLocation(worktree.root, worktree, port) };
    await setUpWorktree(deps, placed);
    return use(placed, worktree);
  });
}
