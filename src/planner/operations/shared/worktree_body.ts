import type { PlannerContext } from "../../context.ts";
import type { SpecId } from "../../spec/spec_id.ts";

/** Returns a spec's body from its worktree, which may have more checked criteria, or from the project without one. */
export async function readWorktreeBody(context: PlannerContext, id: SpecId): Promise<string> {
  const { worktrees } = await context.openRuns();
  const there = (await worktrees.findWorktree(id))?.openSpecs();
  const specs = there !== undefined && (await there.listIds()).includes(id) ? there : context.specs;
  return (await specs.load(id)).body;
}
