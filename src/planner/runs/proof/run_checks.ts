import type { RunLog } from "#planner/run_ports/logs.ts";
import type { Worktree } from "#planner/run_ports/worktree.ts";
import type { PlannerConfig } from "../../config/config.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import type { JudgedCriterion } from "../../work/judge_criteria.ts";
import type { CommandResult } from "../../work/provenance.ts";
import { agentEnvironment } from "../run/place.ts";
import { setUpWorktree } from "../run/set_up.ts";
import { verifyWork } from "../run/verify.ts";
import type { RunDeps, RunPlace, StopWishes } from "../run_types.ts";

export interface Judging {
  readonly id: SpecId;
  /** As the project has them: a branch changes none that it is judged by. */
  readonly criteria: readonly JudgedCriterion[];
  /** Lines of the settings that have to succeed as well. */
  readonly commands: readonly string[];
  /** The project's. */
  readonly config: PlannerConfig;
  readonly processId: string;
  readonly log: RunLog;
  readonly stop: StopWishes;
}

export function runCommands(
  deps: RunDeps,
  { id, config, processId, log, stop }: Judging,
  place: RunPlace,
  commands: readonly string[],
): Promise<readonly CommandResult[]> {
  return verifyWork(deps, commands, {
    ...{ cwd: place.root, env: agentEnvironment(deps, id, place), processId, log, stop },
    limitSeconds: config.verify.timeout_seconds,
    width: config.verify.parallel,
  });
}

/** Calls `use` with a new worktree of a commit that is set up as one for a run. */
export async function inFreshPlace<Result>(
  deps: RunDeps,
  { id, config, log, processId, stop }: Judging,
  commit: string,
  use: (place: RunPlace, worktree: Worktree) => Promise<Result>,
): Promise<Result> {
  await log.line(`planner: the checks run in a new worktree of ${commit.slice(0, 10)}`);
  return deps.ports.worktrees.withFresh(id, commit, async (worktree) => {
    const port = config.worktree.port ? await deps.files.freePort() : null;
    const place: RunPlace = { worktree, root: worktree.root, port, knownCommits: new Set(), base: null, earlier: null };
    await setUpWorktree(deps, { id, processId, config, log, place, stop });
    return use(place, worktree);
  });
}
