import { keepHashes } from "./keep_commits.ts";
import { isAncestor } from "./outside_words.ts";
import { type Place, readOrigin } from "./worktree_place.ts";
import { settleSpecs } from "./worktree_rebase.ts";

/** A run's work that begins anew behind a conflict with the main branch. */
export interface BegunAnew {
  /** The commit that the work ended with, which stays under `refs/planner/kept/`. */
  readonly commit: string;
  /** Files with conflict markers, from the repository's top. */
  readonly files: readonly string[];
}

/**
 * Where a merge has met a conflict: lets the branch begin at the main branch's end, and puts the work on top of it as
 * one uncommitted change with conflict markers. Null if no merge has, if a person has settled it since, or if there are
 * uncommitted changes.
 */
export async function beginAnew(place: Place): Promise<BegunAnew | null> {
  const { git, repository, root, id, worktree } = place;
  const main = `refs/heads/${worktree.mainBranch}`;
  const commit = readOrigin(root, id)?.conflict ?? null;
  if (commit === null || (await git.line(["status", "--porcelain"])) !== "") return null;
  const [head, tip] = (await git.line(["rev-parse", "HEAD", main])).split("\n");
  // Killed between the two steps below, the branch has only the first of them.
  const isHalf = head === tip && !(await isAncestor(git, commit, main));
  if (!isHalf && (head !== commit || (await isAncestor(git, main, commit)))) return null;
  if (!isHalf) {
    await keepHashes(repository.git, id, [commit]);
    await git.run(["reset", "--quiet", "--keep", main]);
  }
  await git.try(["merge", "--quiet", "--squash", "--no-stat", commit]);
  const files = await git.list(["diff", "--name-only", "-z", "--diff-filter=U"]);
  return { commit, files: await settleSpecs(place, git, files) };
}
