import type { PlannerContext } from "../../context.ts";
import type { SpecId } from "../../spec/spec_id.ts";

/** The body of a spec as its agent sees it: what is ticked in a worktree shows in the project after the merge. */
export async function worktreeBody(context: PlannerContext, id: SpecId): Promise<string> {
  const { worktrees } = await context.runs();
  const there = (await worktrees.find(id))?.specs();
  const specs = there !== undefined && (await there.ids()).includes(id) ? there : context.specs;
  return (await specs.load(id)).body;
}
