import type { ForecastConflict } from "#planner/run_ports/worktrees.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import type { Git } from "../git/git.ts";

/** Most branches that are compared with each other. Ours: 20 are 190 merges, a second of git's time. */
const MAX_BRANCHES = 20;

/** git before 2.38 has no merge that leaves the working tree alone. */
const TOO_OLD = /usage: git merge-tree|unknown option|unrecognized/;

/** Whether git says that it has no such merge. */
export function isMergeTreeMissing(stderr: string): boolean {
  return TOO_OLD.test(stderr);
}

/**
 * Merges branches with each other, without a checkout, and returns the files in which two of them conflict. Specs are
 * left out: the merge joins them. Empty with a git before 2.38.
 */
export async function forecastConflicts(
  git: Git,
  branches: readonly { readonly id: SpecId; readonly branch: string }[],
): Promise<readonly ForecastConflict[]> {
  const compared = branches.slice(0, MAX_BRANCHES);
  const found: ForecastConflict[] = [];
  for (const [index, one] of compared.entries()) {
    for (const other of compared.slice(index + 1)) {
      const ends = [`refs/heads/${one.branch}`, `refs/heads/${other.branch}`];
      const merge = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ...ends];
      const { status, stdout, stderr } = await git.try(merge);
      if (isMergeTreeMissing(stderr)) return [];
      // 0 is a clean merge; other statuses are branches that are gone.
      if (status !== 1) continue;
      const [, ...paths] = stdout.toString().split("\0").filter(Boolean);
      const files = [...new Set(paths)].filter((path) => !/(?:^|\/)\.planner\/specs\//.test(path));
      if (files.length > 0) found.push({ specs: [one.id, other.id], files });
    }
  }
  return found;
}
