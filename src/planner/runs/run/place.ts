import type { RunLog } from "#planner/run_ports/logs.ts";
import type { PlannerConfig } from "../../config/config.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import type { RunDeps, RunPlace, RunWishes } from "../run_types.ts";
import { earlierRunText } from "./earlier_run.ts";

interface PlacedRun {
  readonly spec: Spec;
  readonly config: PlannerConfig;
  readonly wishes: RunWishes;
  readonly log: RunLog;
  /** See `RunPlace.base`. */
  readonly base: string | null;
}

/** Opens the place of a run: the worktree, made or found and marked as begun, or the project itself. */
export async function openPlace(deps: RunDeps, { spec, config, wishes, log, base }: PlacedRun): Promise<RunPlace> {
  const port = config.worktree.port ? await deps.files.freePort() : null;
  if (!wishes.worktree) {
    const template = config.git.commit_template;
    const knownCommits = new Set(await deps.files.history(deps.root).commitsNaming(spec.id, { template }));
    return { worktree: null, root: deps.root, port, knownCommits, base, earlier: null };
  }
  const { branch_prefix: branchPrefix, main_branch: mainBranch } = config.defaults;
  const worktree = await deps.ports.worktrees.prepare(spec.id, {
    branchPrefix,
    mainBranch,
    base: config.worktree.base,
  });
  if (worktree.reused) await log.line("planner: the worktree of an earlier run is used again, with what it holds");
  const earlier = worktree.reused ? await earlierRunText(deps, spec.id, worktree) : null;
  // An earlier run's copy of the spec may say how that one ended.
  const begun = { status: "in_progress", completed_at: undefined };
  await worktree.specs().edit(spec.id, (text) => editFields(text, begun));
  await deps.ports.worktrees.writeStatus({ spec_id: spec.id, status: "working", error: null, commits: [] });
  return { worktree, root: worktree.root, port, knownCommits: new Set(), base: null, earlier };
}

/** Returns what an agent finds in its environment about its spec. Source: docs/work.md, Runs. */
export function agentEnvironment(
  { root }: RunDeps,
  id: SpecId,
  place: RunPlace,
): Readonly<Record<string, string | undefined>> {
  return {
    ...place.worktree?.env,
    ...(place.port === null ? {} : { PORT: String(place.port) }),
    PLANNER_SPEC_ID: id,
    PLANNER_SPEC_FILE: `${place.root.replace(/[\\/]+$/, "")}/.planner/specs/${id}.md`,
    PLANNER_PROJECT: root,
    PLANNER_WORKTREE: place.worktree?.path,
    PLANNER_BRANCH: place.worktree?.branch,
  };
}
