import type { PlannerContext } from "../../context.ts";
import type { SpecId } from "../../spec/spec_id.ts";

/** Reads a spec's body as its agent sees it: criteria checked in a worktree reach the project only with the merge. */
export async function readWorktreeBody(context: PlannerContext, id: SpecId): Promise<string> {
  const { worktrees } = await context.runs();
  const there = (await worktrees.find(id))?.specs();
  const specs = there !== undefined && (await there.ids()).includes(id) ? there : context.specs;
  return (await specs.load(id)).body;
}
