import type { SpecId } from "#planner/spec/spec_id.ts";

/** What the work on a spec changes. */
export interface Difference {
  /** Full hashes of a commit or tree before and after, between which git shows the difference. */
  readonly from: string;
  readonly to: string;
  /**
   * `merged`: the main branch as it is now, and what the merge would make of it; `branch`: where the branch left the main
   * branch, and its end: the two conflict, or git is older than 2.38; `commits`: the commits of a run without a worktree.
   */
  readonly kind: "merged" | "branch" | "commits";
  /** Full hash of the branch's last commit. */
  readonly head: string;
  /** Commits that the main branch has got since. */
  readonly behind: number;
  /** Files that a merge would leave in conflict, from the repository's top, without specs, which the merge joins. */
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
  /** From the repository's top. */
  readonly path: string;
  readonly change: "added" | "changed" | "deleted";
  /** Lines; null for a file that git takes for binary. */
  readonly added: number | null;
  readonly removed: number | null;
  /** Whether the main branch has changed the file too since the branch left it. */
  readonly changed_in_main: boolean;
}

/** Reads what work changes. No method changes anything or runs a program that the repository names. */
export interface Differences {
  /** The difference of a spec's branch; null without one. Cost: about eight gits. */
  ofBranch(id: SpecId): Promise<Difference | null>;
  /** The difference of the commits from `base` to `head`, which are full hashes; null if one is gone. */
  between(base: string, head: string): Promise<Difference | null>;
  /** The difference as git prints it, without colours: of one file from the repository's top, or of all. */
  patch(difference: Pick<Difference, "from" | "to">, path: string | null): Promise<string>;
  /** Shows the difference in the person's pager, on the terminal of this process, and waits for its end. */
  show(difference: Pick<Difference, "from" | "to">): Promise<void>;
}
