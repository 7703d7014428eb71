import type { WorktreeStatus } from "#planner/ports.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import type { CommitWriter } from "#planner/work/commit_message.ts";
import type { KeptRunRecord, LatestRun, RecordFacts, RunHead } from "./kept_records.ts";
import type { FolderState, SpecChanges, Worktree, WorktreeState } from "./worktree.ts";

export interface WorktreeOptions {
  /** Prefix of branch names, such as `planner/`. */
  readonly branchPrefix: string;
  /** The branch that work begins from and is merged into; null means the one checked out around the project. */
  readonly mainBranch: string | null;
  /**
   * The commit at which a new branch begins, which the main branch must contain; by default the end of the main branch.
   */
  readonly base?: string | null;
}

export type MergeAnswer =
  /** The main branch now ends at `commit`; `commits` are the branch's, oldest first, as they were merged. */
  | {
      readonly kind: "merged";
      readonly commit: string;
      readonly commits: readonly string[];
      /** Remarks for a person, one sentence each. */
      readonly notes: readonly string[];
    }
  /** The branch contains no commit that the main branch lacks. */
  | { readonly kind: "nothing" }
  /** Not merged: criteria that are not checked were added to the project's spec since the run began. */
  | { readonly kind: "open"; readonly criteria: readonly string[] }
  /** Not merged: `admit` gave these reasons. The branch is rebased. */
  | { readonly kind: "refused"; readonly reasons: readonly string[] }
  /** Branch, worktree and main branch are unchanged. Paths from the repository's top. */
  | { readonly kind: "conflict"; readonly files: readonly string[] };

export interface MergeWishes {
  readonly message: CommitWriter;
  /** Sees the commit that the main branch would end at, and returns the reasons against it. */
  readonly admit: (commit: string) => Promise<readonly string[]>;
}

export interface RemovalWishes {
  /**
   * `keep`: a branch that is not merged is kept under `refs/planner/kept/<id>/` too; `drop`: the main branch is known to
   * have its change in another form, so that nothing of the branch is kept.
   */
  readonly unmerged?: "refuse" | "keep" | "drop";
}

/**
 * One git worktree and branch per spec in work: `.planner/worktrees/<id>`. No method discards uncommitted changes, or
 * commits that the main branch lacks. Call them while holding the spec's claim.
 *
 * Source: docs/decisions.md#s-24. Transport of specs: docs/work.md.
 */
export interface Worktrees {
  /**
   * Checks that a worktree can be made; changes nothing.
   *
   * @param message of a commit by planner, which hooks may refuse; null tries no commit
   * @throws OperationError `failed_precondition` if no worktree can be made, for example without a commit
   */
  check(options: WorktreeOptions, message: string | null): Promise<void>;
  /**
   * Creates the worktree, or uses the existing one, and copies uncommitted planner files into it.
   *
   * @throws OperationError `failed_precondition` without a git repository or a first commit
   */
  prepare(id: SpecId, options: WorktreeOptions): Promise<Worktree>;
  /** Ids of all specs with a worktree, or with a record of one that was deleted by hand, sorted. Starts no git. */
  known(): Promise<readonly SpecId[]>;
  /** The same, and those whose record was deleted too, but whose branch is there. */
  ids(): Promise<readonly SpecId[]>;
  /** The recorded branch of a spec, even if its folder no longer exists; null if there is no record. */
  branch(id: SpecId): Promise<string | null>;
  /**
   * Changes of runs to programs that git runs in every checkout, see `WorktreeState.safe`. Cost: one git process if
   * runs left notes.
   */
  planted(): Promise<readonly PlantedChange[]>;
  /** Names of remotes that mirror all refs, in one direction or both. */
  mirrors(): Promise<readonly string[]>;
  /** Records the state of the repository around the project, for a run in its own folder; null without a repository. */
  guardProject(id: SpecId): Promise<ProjectGuard | null>;
  /** The worktree of a spec, or null without one. */
  find(id: SpecId): Promise<Worktree | null>;
  /**
   * `Worktree.place` in the project itself, for a run without a worktree; git sees the file there. One file per spec.
   */
  placeInProject(id: SpecId, path: string, text: string): Promise<void>;
  /**
   * Restores the files that each `placeInProject` replaced; continues if it was interrupted.
   *
   * @returns the files that were changed meanwhile, which are not touched
   */
  displace(id: SpecId): Promise<readonly string[]>;
  /** Full hashes of the branch's commits that the main branch lacks, oldest first. */
  commits(id: SpecId): Promise<readonly string[]>;
  /** Whether the main branch contains every commit of the branch, or a copy with the same change. */
  isMerged(id: SpecId): Promise<boolean>;
  /**
   * Rebases the branch onto the main branch, moves that forward, and copies the spec's file back into the project.
   *
   * @throws OperationError `failed_precondition` if the worktree has uncommitted changes, or if the merge would
   * overwrite a changed file in the checkout of the main branch
   */
  merge(id: SpecId, wishes?: Partial<MergeWishes>): Promise<MergeAnswer>;
  /**
   * Removes worktree, branch and status file. Commits that exist nowhere else are kept under `refs/planner/kept/<id>/`.
   *
   * @returns remarks for a person about those, one sentence each
   * @throws OperationError `failed_precondition` if that would lose uncommitted changes, or unmerged commits unless they
   * are to be kept
   */
  remove(id: SpecId, wishes?: RemovalWishes): Promise<readonly string[]>;
  /**
   * Stores the record of a run as the commit `refs/planner/runs/<id>/<n>` on top of the run's branch, outside of the
   * main branch's history.
   *
   * @param branch null for the commit that is checked out around the project
   * @param write receives the run's number and the last commit of the branch
   * @returns the number; null if the branch no longer exists
   */
  keepRecord(id: SpecId, branch: string | null, write: (head: RunHead) => object): Promise<number | null>;
  /** The checkout around the project; null without a repository or a commit. */
  head(): Promise<ProjectHead | null>;
  /** The commit that is checked out around the project and what the folder holds beside it; null without a repository. */
  projectState(): Promise<FolderState | null>;
  /** Git's hashes of files in the commit around the project, as `Worktree.blobs`. */
  blobs(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Commits and changed files around the project since `base`, as in `WorktreeState`. */
  since(base: string): Promise<Pick<WorktreeState, "commits" | "changed">>;
  /**
   * Reads what the commit that is checked out around the project changes against another one.
   *
   * @param since any name that git has for a commit
   * @throws OperationError `invalid_argument` if it names no commit of this repository
   */
  specChanges(since: string): Promise<SpecChanges>;
  /** Predicts files in which branches of specs will conflict, without changing any. Cost: one git process per pair. */
  forecast(): Promise<readonly ForecastConflict[]>;
  /** Reads a stored run record, the latest one if `run` is null; null without a record. */
  record(id: SpecId, run: number | null): Promise<KeptRunRecord | null>;
  /** Lists the latest record of every spec that has one; none outside of a repository. Cost: one git process. */
  latestRuns(): Promise<readonly LatestRun[]>;
  /** Reads these records, without the numbers of other runs. Cost: one git process. */
  readRuns(runs: readonly LatestRun[]): Promise<ReadonlyMap<SpecId, KeptRunRecord>>;
  /** Reads the facts about the commits that a record names. Changes nothing. */
  recordFacts(id: SpecId, kept: KeptRunRecord): Promise<RecordFacts>;
  /** Runs `use` with a new worktree of a commit in a temporary folder, which is removed afterwards. */
  withFresh<Result>(id: SpecId, commit: string, use: (worktree: Worktree) => Promise<Result>): Promise<Result>;
  /** Adds the hashes of the merged commits to the latest record. */
  noteMerged(id: SpecId, commits: readonly string[]): Promise<void>;
  /** Writes `.planner/worktrees/<id>.status.json`, whole or not at all. `WorkStore.worktrees` reads it. */
  writeStatus(status: NewWorktreeStatus): Promise<void>;
}

/** A repository whose state was recorded when a run began in the project's own folder. */
export interface ProjectGuard {
  /** Names what has changed beside files and commits on top of what was checked out, and keeps what would be lost. */
  settle(): Promise<Pick<WorktreeState, "notes" | "warnings" | "outside">>;
}

export interface ProjectHead {
  readonly hash: string;
  /** Null if no branch is checked out. */
  readonly branch: string | null;
}

/** Two branches that cannot both be merged as they are. */
export interface ForecastConflict {
  readonly specs: readonly [SpecId, SpecId];
  /** From the repository's top. */
  readonly files: readonly string[];
}

/** One setting, hook or link that has changed since a run began. */
export interface PlantedChange {
  readonly spec_id: SpecId;
  /** As in `hook pre-commit was added`. */
  readonly what: string;
  /** A line of the shell, or words. */
  readonly undo: string;
  /** The file to remove if the change is the person's own, from the project's root. */
  readonly note: string;
}

export type NewWorktreeStatus = Pick<WorktreeStatus, "error" | "commits"> & {
  readonly spec_id: SpecId;
  readonly status: "working" | "done" | "failed";
};
