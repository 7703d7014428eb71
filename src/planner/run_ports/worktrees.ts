import type { WorktreeStatus } from "#planner/ports.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import type { CommitWriter } from "#planner/work/commit_message.ts";
import type { FailedCheck } from "#planner/work/provenance.ts";
import type { BranchHead, CommitFacts, KeptRunRecord, LatestRunRef } from "./kept_records.ts";
import type { FolderState, SpecChanges, Worktree, WorktreeState } from "./worktree.ts";

export interface WorktreeOptions {
  /** Prefix of branch names, such as `planner/`. */
  readonly branchPrefix: string;
  /** The branch that work begins from and is merged into; null means the branch checked out around the project. */
  readonly mainBranch: string | null;
  /** Commit at which a new branch begins, contained in the main branch; by default the main branch's last one. */
  readonly base?: string | null;
  /** The setting `worktree.directory`, in which new worktrees are created; null or absent for the user's state folder. */
  readonly directory?: string | null;
}

export type BranchMergeResult =
  /** Merged: the main branch now ends at `commit`; `commits` are the branch's commits as merged, oldest first. */
  | {
      readonly kind: "merged";
      readonly commit: string;
      readonly commits: readonly string[];
      /** Remarks for a person, one sentence each. */
      readonly notes: readonly string[];
    }
  /** The branch contains no commit that the main branch lacks. */
  | { readonly kind: "nothing" }
  /** Not merged: unchecked criteria were added to the project's spec since the run began. */
  | { readonly kind: "open"; readonly criteria: readonly string[] }
  /** Not merged: `admit` returned these reasons. The branch is rebased. */
  | { readonly kind: "refused"; readonly reasons: readonly string[] }
  /** Not merged: conflicts in `files`, paths from the repository's top. Branch, worktree and main branch stay as is. */
  | { readonly kind: "conflict"; readonly files: readonly string[] };

export interface BranchMergeOptions {
  readonly message: CommitWriter;
  /** Receives the commit at which the main branch would end, and returns the reasons against the merge. */
  readonly admit: (commit: string) => Promise<readonly string[]>;
}

export interface WorktreeRemovalOptions {
  /**
   * - `keep`: also keeps an unmerged branch under `refs/planner/kept/<id>/`
   * - `drop`: keeps nothing of the branch, because the main branch is known to contain its change in another form
   */
  readonly unmerged?: "refuse" | "keep" | "drop";
}

/**
 * One git worktree and branch per spec in work, outside of the repository by default. No method discards uncommitted changes or
 * commits that the main branch lacks. Call the methods while holding the spec's claim. Source: docs/decisions.md#s-24.
 * Transport of specs: docs/work.md.
 */
export interface Worktrees {
  /** Returns the branch for work on a spec, with the project's path if that is not the repository's top. */
  nameBranch(id: SpecId, prefix: string): Promise<string>;
  /**
   * Checks that a worktree can be created; changes nothing.
   *
   * @param message message of a commit by planner, which hooks may reject; null skips this test
   * @throws OperationError `failed_precondition` if no worktree can be created, for example without a commit
   */
  requireCreatable(options: WorktreeOptions, message: string | null): Promise<void>;
  /**
   * Creates the worktree, or reuses the existing one, and copies uncommitted planner files into it.
   *
   * @throws OperationError `failed_precondition` without a git repository or a first commit
   */
  prepareWorktree(id: SpecId, options: WorktreeOptions): Promise<Worktree>;
  /** Returns sorted ids of specs with a worktree, or a record of one deleted by hand. Starts no git process. */
  listKnownIds(): Promise<readonly SpecId[]>;
  /** Returns the ids of `known()`, and those of specs without a record whose branch exists. */
  listIds(): Promise<readonly SpecId[]>;
  /** Returns the recorded branch of a spec, even if its folder no longer exists; null without a record. */
  findBranch(id: SpecId): Promise<string | null>;
  /**
   * Lists changes that runs made to programs that git runs in every checkout, see `WorktreeState.safe`. Cost: one git
   * process if runs have stored snapshots.
   */
  listGitProgramChanges(): Promise<readonly GitProgramChange[]>;
  /** Returns the names of remotes that mirror all refs, in one direction or both. */
  listMirrorRemotes(): Promise<readonly string[]>;
  /** Records the state of the repository around the project, for a run in its own folder; null without a repository. */
  guardProject(id: SpecId): Promise<ProjectGuard | null>;
  /** Returns the worktree of a spec; null without one. */
  findWorktree(id: SpecId): Promise<Worktree | null>;
  /** Writes a file of planner into the project, for a run without a worktree. Git lists it as a change. */
  writeProjectFile(id: SpecId, path: string, text: string): Promise<void>;
  /**
   * Restores the files that `writeProjectFile` replaced; continues an interrupted restoration.
   *
   * @returns the files that were changed meanwhile, which stay unchanged
   */
  restoreReplacedFiles(id: SpecId): Promise<readonly string[]>;
  /** Returns full hashes of the branch's commits that the main branch lacks, oldest first. */
  listCommits(id: SpecId): Promise<readonly string[]>;
  /** Returns whether the main branch contains every commit of the branch, or a copy with the same change. */
  isMerged(id: SpecId): Promise<boolean>;
  /**
   * Rebases the branch onto the main branch, fast-forwards the main branch, and copies the spec's file back into the
   * project.
   *
   * @throws OperationError `failed_precondition` if the worktree has uncommitted changes, or if the merge would
   *   overwrite a changed file in the checkout of the main branch
   */
  mergeBranch(id: SpecId, wishes?: Partial<BranchMergeOptions>): Promise<BranchMergeResult>;
  /**
   * Removes worktree, branch and status file. Keeps commits that exist nowhere else under `refs/planner/kept/<id>/`.
   *
   * @returns remarks for a person about kept commits, one sentence each
   * @throws OperationError `failed_precondition` if that would lose uncommitted changes, or unmerged commits unless
   *   `unmerged` allows it
   */
  removeWorktree(id: SpecId, wishes?: WorktreeRemovalOptions): Promise<readonly string[]>;
  /**
   * Stores the record of a run as the commit `refs/planner/runs/<id>/<n>` on top of the run's branch, outside of the
   * main branch's history.
   *
   * @param branch null for the commit that is checked out around the project
   * @param write receives the run's number and the last commit of the branch
   * @returns the number; null if the branch no longer exists
   */
  storeRecord(id: SpecId, branch: string | null, write: (head: BranchHead) => object): Promise<number | null>;
  /** Returns the checkout around the project; null without a repository or a commit. */
  readHead(): Promise<ProjectHead | null>;
  /** Commit checked out around the project, and the folder's uncommitted files; null without a repository. */
  readProjectState(): Promise<FolderState | null>;
  /** Returns git's hashes of files in the commit checked out around the project, as `Worktree.blobs` does. */
  readBlobHashes(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns commits and changed files of the checkout around the project since `base`, as in `WorktreeState`. */
  readWorkSince(base: string): Promise<Pick<WorktreeState, "commits" | "changed">>;
  /**
   * Reads the changes between commit `since` and the commit checked out around the project.
   *
   * @param since any git revision that names a commit
   * @throws OperationError `invalid_argument` if it names no commit of this repository
   */
  readSpecChanges(since: string): Promise<SpecChanges>;
  /** Predicts files in which branches of specs will conflict, without changing any. Cost: one git process per pair. */
  predictConflicts(): Promise<readonly PredictedConflict[]>;
  /** Reads a stored run record; `run` null selects the latest. Returns null without a record. */
  readRecord(id: SpecId, run: number | null): Promise<KeptRunRecord | null>;
  /** Lists the latest record of every spec that has one; empty outside of a repository. Cost: one git process. */
  listLatestRuns(): Promise<readonly LatestRunRef[]>;
  /** Reads the given records, without the numbers of other runs. Cost: one git process. */
  readRecords(runs: readonly LatestRunRef[]): Promise<ReadonlyMap<SpecId, KeptRunRecord>>;
  /** Reads facts about the commits that a record names. Changes nothing. */
  readCommitFacts(id: SpecId, kept: KeptRunRecord): Promise<CommitFacts>;
  /** Creates a temporary worktree of a commit, runs `use` with it, and removes it afterwards. */
  runInFreshWorktree<Result>(id: SpecId, commit: string, use: (worktree: Worktree) => Promise<Result>): Promise<Result>;
  /** Adds the hashes of the merged commits to the latest record. */
  recordMergedCommits(id: SpecId, commits: readonly string[]): Promise<void>;
  /** Writes `.planner/worktrees/<id>.status.json` atomically. `WorkStore.worktrees` reads it. */
  writeStatus(status: NewWorktreeStatus): Promise<void>;
}

/** A repository whose state was recorded when a run began in the project's own folder. */
export interface ProjectGuard {
  /** Reports changes other than uncommitted files and new commits on the checked-out branch. Keeps lost commits. */
  settle(): Promise<Pick<WorktreeState, "notes" | "warnings" | "outside">>;
}

export interface ProjectHead {
  readonly hash: string;
  /** Name of the checked-out branch; null if none is checked out. */
  readonly branch: string | null;
}

/** Two branches that conflict with each other, so that only one of them can be merged unchanged. */
export interface PredictedConflict {
  readonly specs: readonly [SpecId, SpecId];
  /** Conflicting files, as paths from the repository's top. */
  readonly files: readonly string[];
}

/** One setting, hook or link of git that has changed since a run began. */
export interface GitProgramChange {
  readonly spec_id: SpecId;
  /** A clause such as `hook pre-commit was added`. */
  readonly what: string;
  /** A shell command that undoes the change, or instructions in words. */
  readonly undo: string;
  /** Path from the project's root of the snapshot to remove if the person made the change. */
  readonly note: string;
}

export type NewWorktreeStatus = Pick<WorktreeStatus, "error"> & {
  readonly spec_id: SpecId;
  readonly status: "working" | "done" | "failed";
  /** Checks that failed at a merge. */
  readonly failed_checks?: readonly FailedCheck[];
};
