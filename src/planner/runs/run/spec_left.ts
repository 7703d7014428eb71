import type { WorktreeState } from "#planner/run_ports/worktree.ts";
import type { Spec } from "../../spec/spec.ts";
import { reasonOf } from "../reason_of.ts";
import type { RunDeps } from "../run_types.ts";
import type { PlacedRun } from "./start.ts";
import { specsOf } from "./write_end.ts";

/** Returns the spec as the agent left it, or why it cannot be read: its run may have moved or removed it. */
export async function specLeft(
  deps: RunDeps,
  { id, place }: Pick<PlacedRun, "id" | "place">,
  state: WorktreeState | null,
): Promise<Spec | string> {
  const specs = specsOf(deps, place);
  try {
    const isThere = (await specs.ids()).includes(id);
    if (isThere) return await specs.load(id);
  } catch (error) {
    return `the spec cannot be read any more: ${reasonOf(error)}`;
  }
  if (state !== null && !state.safe) return state.problems.join("; ");
  const file = `.planner/specs/${id}.md`;
  const paths = [...(state?.changed ?? []).map(({ path }) => path), ...(state?.uncommitted ?? [])];
  const target = paths.find((path) => `/${path}`.endsWith(`/${id}.md`) && !path.endsWith(file));
  const done = target === undefined ? `removed its spec "${file}"` : `moved its spec "${file}" to "${target}"`;
  return place.worktree === null ? `the run ${done}` : `the run ${done} there: "planner work ${id}" brings it back`;
}
