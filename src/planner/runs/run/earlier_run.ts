import type { Worktree } from "#planner/run_ports/worktree.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import type { RunDeps } from "../run_types.ts";

/** Paths that the prompt names. */
const MAX_NAMED = 20;

/** Longest reason that the prompt repeats, in characters: the log has all of it. */
const MAX_REASON_CHARS = 2000;

/**
 * Returns the prompt text about the previous run: why it did not complete, and which of its work is committed. Call it
 * before this run writes the worktree's status.
 */
export async function earlierRunText(
  { context, ports }: Pick<RunDeps, "context" | "ports">,
  id: SpecId,
  worktree: Worktree,
): Promise<string> {
  const status = (await context.work.worktrees()).find(({ spec_id }) => spec_id === id);
  const commits = await ports.worktrees.commits(id);
  const spec = `/.planner/specs/${id}.md`;
  const uncommitted = (await worktree.uncommitted()).filter((path) => !`/${path}`.endsWith(spec));
  const reason = (status?.error ?? "").toWellFormed().slice(0, MAX_REASON_CHARS);
  const lines = [
    "## An earlier run",
    "",
    "An earlier run worked on this spec in this worktree and did not complete it.",
    ...(reason === "" ? [] : [`It ended so: ${reason}`]),
    commits.length === 0
      ? "It committed nothing."
      : `Its ${commits.length === 1 ? "commit is" : `${commits.length} commits are`} on this branch: git log ${worktree.mainBranch}..HEAD`,
    ...(uncommitted.length === 0 ? [] : [`It left changes that are not committed: ${named(uncommitted)}`]),
    "Look at that work first, and go on from there.",
  ];
  return lines.join("\n");
}

function named(paths: readonly string[]): string {
  const more = paths.length - MAX_NAMED;
  return `${paths.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
