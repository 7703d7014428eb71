import type { SpecId } from "#planner/spec/spec_id.ts";

/** Commits and changed files of the work on a spec. */
export interface WorkDifference {
  /** Full hash of the commit or tree before the change. */
  readonly from: string;
  /** Full hash of the commit or tree after the change. */
  readonly to: string;
  /**
   * - `merged`: from the main branch as it is now to the result of merging the branch
   * - `branch`: from the commit where the branch left the main branch to the branch's last one, if the two conflict or
   *   git is older than 2.38
   * - `commits`: the commits of a run without a worktree
   */
  readonly kind: "merged" | "branch" | "commits";
  /** Full hash of the branch's last commit. */
  readonly head: string;
  /** Number of commits that the main branch gained since the branch left it. */
  readonly behind: number;
  /** Files left in conflict by a merge, as paths from the repository's top. Excludes specs, which the merge joins. */
  readonly conflicts: readonly string[];
  /** Oldest first. */
  readonly commits: readonly WorkCommit[];
  /** Sorted by path. */
  readonly files: readonly FileChange[];
}

export interface WorkCommit {
  readonly hash: string;
  readonly subject: string;
  readonly author: string;
  /** ISO 8601 with the author's offset. */
  readonly at: string;
}

export interface FileChange {
  /** Path from the repository's top. */
  readonly path: string;
  readonly change: "added" | "changed" | "deleted";
  /** Number of added lines; null for a file that git treats as binary. */
  readonly added: number | null;
  readonly removed: number | null;
  /** Whether the main branch has also changed the file since the branch left it. */
  readonly changed_in_main: boolean;
}

/** Reads the changes of work on specs. No method changes anything or runs a program that the repository names. */
export interface DifferenceReader {
  /** Returns the difference of a spec's branch; null without a branch. Cost: about eight git processes. */
  readBranchDifference(id: SpecId): Promise<WorkDifference | null>;
  /** Returns the difference between two commits, given by full hashes; null if one no longer exists. */
  readCommitDifference(base: string, head: string): Promise<WorkDifference | null>;
  /** Returns git's difference without colours, of the file at `path` from the repository's top; null selects all. */
  readPatch(difference: Pick<WorkDifference, "from" | "to">, path: string | null): Promise<string>;
  /** Shows the difference in the user's pager on this process's terminal, and resolves when the pager ends. */
  showDifference(difference: Pick<WorkDifference, "from" | "to">): Promise<void>;
}
