import type { RunLog, Worktree } from "../../run_ports.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { endOfRun } from "../../work/end_of_run.ts";
import { type BegunRun, gatherEvidence } from "../finish_run.ts";
import type { RunDeps, StopWishes } from "../run_types.ts";

/**
 * What a spec lacks for being completed: a run's end asks the same. Commands of `verify.commands` are run for it.
 *
 * Source: docs/decisions.md#s-25.
 */
export async function missingForCompletion(
  deps: RunDeps,
  { id, worktree, stop }: { readonly id: SpecId; readonly worktree: Worktree; readonly stop: StopWishes },
): Promise<readonly string[]> {
  const spec = await deps.ports.worktrees.specs(worktree).load(id);
  if (spec.status === "cancelled") return ["it is cancelled in its worktree"];
  const run: BegunRun = {
    id,
    processId: `${id}-${deps.pid}`,
    config: await deps.context.config(),
    place: { worktree, root: worktree.root },
    wishes: {
      mode: "single",
      provider: null,
      model: null,
      prompt: null,
      skipCriteria: false,
      worktree: true,
      stop,
    },
    log: talkingLog(deps, id),
    before: "",
    knownCommits: new Set(),
    env: { ...worktree.env, PLANNER_SPEC_ID: id },
  };
  const { evidence } = await gatherEvidence(deps, run, spec);
  const exit = { code: 0, signal: null };
  return endOfRun({ exit, exitMeaning: null, interrupted: false, status: "in_progress", evidence }).reasons;
}

/** The spec's own log would take the checks for another run, and that one's output for the spec's. */
function talkingLog({ tell }: RunDeps, id: SpecId): RunLog {
  const say = (text: string): void => tell({ event: "output", spec_id: id, text });
  return {
    line: async (text) => say(text),
    printed: async (lines) => lines.forEach(say),
    flush: async () => {},
    end: async () => {},
  };
}
