import type { PlannerContext } from "../../context.ts";
import type { SpecId } from "../../spec/spec_id.ts";

/**
 * Reads the body of a spec as its agent sees it: criteria that are checked in a worktree appear in the project only
 * after the merge.
 */
export async function readWorktreeBody(context: PlannerContext, id: SpecId): Promise<string> {
  const { worktrees } = await context.runs();
  const there = (await worktrees.find(id))?.specs();
  const specs = there !== undefined && (await there.ids()).includes(id) ? there : context.specs;
  return (await specs.load(id)).body;
}
