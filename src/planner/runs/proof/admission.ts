import type { Worktree } from "#planner/run_ports/worktree.ts";
import type { Spec } from "../../spec/spec.ts";
import { isAccepted, unprovenLine } from "../../work/acceptance.ts";
import { judgeCriteria } from "../../work/judge_criteria.ts";
import { hasChecks, type Provenance, reasonsAgainst } from "../../work/provenance.ts";
import { openJob } from "../job.ts";
import type { RunDeps, StopWishes } from "../run_types.ts";
import { provenance } from "./provenance.ts";

export interface Admission {
  readonly stop: StopWishes;
  /** Commits that were proven just now. */
  readonly proven?: ReadonlySet<string>;
}

/**
 * Returns what a merge asks before it moves the main branch: the checks of the spec must succeed on the commit that the
 * branch would end at, in a new worktree of it. A spec without checks is never held up.
 *
 * Source: docs/decisions.md#s-61.
 */
export async function admission(
  deps: RunDeps,
  spec: Spec,
  { stop, proven = new Set() }: Admission,
): Promise<(commit: string) => Promise<readonly string[]>> {
  const { id, body } = spec;
  const criteria = judgeCriteria(body, body);
  if (!hasChecks(criteria) || (await isExcused(deps, spec))) return async () => [];
  return async (commit) => (proven.has(commit) ? [] : reasonsAgainst(id, await proofOn(deps, spec, { stop, commit })));
}

/** Runs the checks of a spec on a commit, in a new worktree of it. */
export async function proofOn(
  deps: RunDeps,
  { id, body }: Spec,
  { stop, commit }: { readonly stop: StopWishes; readonly commit: string },
): Promise<Provenance> {
  const branch: Worktree | null = await deps.ports.worktrees.find(id);
  const judging = { ...(await openJob(deps, id, stop)), criteria: judgeCriteria(body, body), commands: [] };
  return provenance(deps, judging, { kind: "commit", commit, ...(branch === null ? {} : { branch }) });
}

/** Whether a person of this machine completed the spec without proof. */
export async function isExcused({ context }: RunDeps, { id, frontmatter }: Spec): Promise<boolean> {
  const { unproven } = frontmatter;
  return (
    typeof unproven === "string" && isAccepted(await (await context.accepted()).read(), unprovenLine(id, unproven))
  );
}
