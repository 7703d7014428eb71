import type { PlannerContext } from "#planner/context.ts";
import { proveSpec } from "#planner/runs/proof/prove_spec.ts";
import { projectAround } from "#planner/store/processes/inside_run.ts";
import type { Provenance, WantedProof } from "#planner/work/provenance.ts";
import { openRunDeps } from "./run_deps.ts";

interface Proving {
  /** Assembles a project. */
  readonly open: (options: { readonly cwd: string; readonly root: string }) => Promise<PlannerContext>;
  /** Takes lines of the checks' course and output. */
  readonly tell?: (line: string) => void;
}

/** Judges a spec for a process that works in `root`: the project, or the worktree of a run. */
export async function prove(
  root: string,
  wanted: WantedProof,
  { open, tell = () => {} }: Proving,
): Promise<Provenance> {
  const around = projectAround(root);
  const project = around?.project ?? root;
  const deps = await openRunDeps(
    { root: project, context: await open({ cwd: project, root: project }) },
    { startedAt: null, tell: (event) => event.event === "output" && tell(event.text) },
  );
  return proveSpec(deps, { ...wanted, worktreeOf: around?.id ?? wanted.id });
}
