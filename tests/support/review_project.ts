import type { Worktree } from "#planner/run_ports/worktree.ts";
import type { RunDeps } from "#planner/runs/run_types.ts";
import { openPlanner } from "../../src/cli/compose.ts";
import { openRunDeps } from "../../src/cli/work/run_deps.ts";
import { agentIn, ID, OPTIONS, type WorktreeProject, worktreeProject } from "./worktree_project.ts";

/** A project whose first spec was worked in a worktree, as a run leaves it. */
export interface ReviewProject extends WorktreeProject {
  readonly deps: RunDeps;
  readonly worktree: Worktree;
  readonly agent: ReturnType<typeof agentIn>;
  /** Writes how the run ended into the spec, the worktree's state and the records. */
  end(status: string, error?: string | null): Promise<void>;
  text(id?: string): string;
}

export async function reviewProject(): Promise<ReviewProject> {
  const project = await worktreeProject();
  const context = await openPlanner({ cwd: project.root });
  const deps = await openRunDeps({ context, root: project.root }, { announced: null, tell: () => {} });
  const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);
  const agent = agentIn(project, worktree);
  agent.write("src/code.txt", "one\nTWO\nthree\n");
  agent.write("src/new.txt", "new\n");
  await agent.commitAll();
  return {
    ...project,
    ...{ deps, worktree, agent },
    async end(status, error = null) {
      const process_id = `${ID}-1`;
      const begun = {
        process_id,
        spec_id: ID,
        pid: process.pid,
        started_at: "2026-01-05T12:00:00.000Z",
        mode: "single",
      };
      await deps.ports.records.startRecord(begun);
      const finished = error === null ? { status: "completed" as const } : { status: "failed" as const, error };
      await deps.ports.records.finishRecord(process_id, finished, new Date());
      const state = error === null ? "done" : "failed";
      await project.worktrees.writeStatus({ spec_id: ID, status: state, error });
      await project.set(ID, { status });
    },
    text: (id = ID) => project.read(`.planner/specs/${id}.md`),
  };
}
