import type { WorktreeStatus } from "../ports.ts";
import type { SpecId } from "../spec/spec_id.ts";
import type { CommitWriter } from "../work/commit_message.ts";
import type { FailedCheck } from "../work/provenance.ts";
import type { RequestLocation } from "../work/requests/forge_place.ts";
import type { ForgeRequest } from "../work/requests/forge_request.ts";
import type { RequestNote } from "../work/requests/request_note.ts";
import type { AgentLauncher, ProcessRecords, SpecClaims } from "./claims.ts";
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

/** All side effects of a run. Every expected error is an `OperationError`. */
export interface RunPorts {
  readonly claims: SpecClaims;
  readonly worktrees: Worktrees;
  readonly differences: DifferenceReader;
  readonly requests: PullRequests;
  readonly logs: RunLogs;
  readonly records: ProcessRecords;
  readonly agents: AgentLauncher;
  readonly watch: WatchPidFile;
  readonly leftovers: LeftoverFiles;
  readonly gitLocks: GitLocks;
}

/** Writes logs in the format of work/records/log_format.ts. Only the holder of a spec's claim writes its log. */
export interface RunLogs {
  /**
   * Begins a run's log: completes a line that a killed writer left unfinished, then writes the run's header.
   *
   * @param maxBytes limit for the output of the run's programs; beyond it the middle is omitted, and one line says so
   */
  open(id: SpecId, processId: string, maxBytes: number): Promise<RunLog>;
}

export interface RunLog {
  /** Path relative to the project's root; null if the log has no file. */
  readonly file: string | null;
  /**
   * Appends a line with the current time; a text with line breaks becomes several lines. Resolves at once unless the
   * buffer is full. The file has the line within `LOG_FLUSH_MS` milliseconds, or after `flush` once half of the limit
   * is used.
   *
   * @throws OperationError if the disk rejects the write
   */
  line(text: string): Promise<void>;
  /** Appends printed lines, given without line breaks. Marks them, so none can be mistaken for planner's own. */
  printed(lines: readonly string[], from: "stdout" | "stderr"): Promise<void>;
  /** Resolves when all lines are written to the file. */
  flush(): Promise<void>;
  end(): Promise<void>;
}

/** `.planner/watch.pid`: at most one process watches a project. */
export interface WatchPidFile {
  /** Acquires the file for this process, replacing a dead process's file; null if another running process holds it. */
  acquire(): Promise<WatchFileHold | null>;
  /** Returns the process that the file names; null without a file. */
  readHolder(): Promise<{ readonly pid: number; readonly alive: boolean } | null>;
  /** Removes the file of a dead holder. Returns false if there is no file or its holder is running. */
  clearStale(): Promise<boolean>;
}

export interface WatchFileHold {
  /** Returns whether the file still names this process; a person may have deleted it. */
  isHeld(): Promise<boolean>;
  /** Removes the file, unless it names another process. */
  release(): Promise<void>;
}

/** Temporary files of writers that were killed. */
export interface LeftoverFiles {
  /** Paths from the project's root, sorted; excludes files of running processes. */
  listFiles(): Promise<readonly string[]>;
  /** Removes all leftover files and returns their paths. */
  removeFiles(): Promise<readonly string[]>;
}

/** Locks on git's index. A killed git process leaves its lock, which blocks all further changes until it is removed. */
export interface GitLocks {
  /** Finds the locks of the project's checkout and of its worktrees. Cost: one git process per checkout. */
  findLocks(): Promise<readonly GitLock[]>;
  /** Checks the lock again and removes it. Returns false if it no longer exists or a process holds it. */
  removeLock(lock: GitLock): Promise<boolean>;
}

export interface GitLock {
  /** Absolute path of the lock file. */
  readonly path: string;
  /** The spec whose worktree is locked; null for the project's checkout. */
  readonly spec_id: SpecId | null;
  readonly ageMs: number;
  /** PID of the process that holds the lock; null without a holder, `unknown` if the system does not provide it. */
  readonly holder: number | "unknown" | null;
  /** Whether the lock certainly has no holder. In the checkout where people work, true only after a minute. */
  readonly removable: boolean;
}

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

/** Repositories of a pull request: `into` receives the request, `head` contains the branch. They differ for a fork. */
export interface RequestTarget extends RequestLocation {
  /** Name of the git remote that the branch is pushed to. */
  readonly remote: string;
  /** Command-line program of the forge; null if it is not installed. */
  readonly program: "gh" | "glab" | null;
}

interface RequestText {
  readonly title: string;
  readonly body: string;
}

export interface PushedBranch {
  /** Full hash of the last commit of the pushed branch. */
  readonly head: string;
  /** Sentences for a person. */
  readonly notes: readonly string[];
}

/** How the work of a branch was found in the main branch, listed in the order in which the checks are tried. */
export type MergeEvidence = "forge" | "ancestor" | "cherry" | "patch" | "merge_tree" | "person";

/** A merge that was made outside of this clone. */
export interface FoundMerge {
  readonly sign: MergeEvidence;
  /** Full hash of the commit in the main branch that contains the work. */
  readonly commit: string;
  /** Whether the main branch still contains the branch's whole change. */
  readonly stillThere: boolean;
  /** Whether the main branch still contains that commit's whole change, which may differ from the branch's. */
  readonly commitHolds: boolean;
}

export interface MergeSearchResult {
  /** The merge that was found; null if the main branch does not contain the work. */
  readonly found: FoundMerge | null;
  /** Full hash of the main branch's last commit at the time of the search. */
  readonly main: string;
  /** Full hash of the branch's last commit. */
  readonly head: string;
  /** Checks that could not be tried and facts that are missing, one sentence each. */
  readonly notes: readonly string[];
}

export interface ForgeMerge {
  /** Full hash of the last commit that the request merged. */
  readonly head: string;
  /** Full hash of the commit in the base branch that contains the work; null if the forge does not report it. */
  readonly commit: string | null;
  /** Ref of the request's last commit at the remote, as in `refs/pull/7/head`. */
  readonly ref: string;
}

/** How the main branch followed its remote: moved forward, was up to date, or has commits that the remote lacks. */
export type MainBranchUpdate = "moved" | "there" | "diverged";

/**
 * Pull requests of specs' branches at GitHub and GitLab, and their merges. Only commands started by a person may call
 * methods that use a remote or a forge, because git settings and hooks of the repository apply there. Call methods that
 * change a branch while holding the spec's claim. Source: docs/pr.md.
 */
export interface PullRequests {
  /** Returns the stored request notes by spec. Cost: one git process. */
  readNotes(): Promise<ReadonlyMap<SpecId, RequestNote>>;
  /** Stores a note about a request until the spec's branch is removed. */
  writeNote(id: SpecId, note: RequestNote): Promise<void>;
  /**
   * Determines repository, branch and program for a spec's request.
   * @throws OperationError `failed_precondition` that says what is missing
   */
  findTarget(id: SpecId): Promise<RequestTarget>;
  /**
   * Lists requests of the branch at the forge, newest first.
   * @throws OperationError `unavailable` with the program's message
   */
  listRequests(target: RequestTarget): Promise<readonly ForgeRequest[]>;
  /** Reads one request. @throws OperationError as `find` */
  readRequest(target: RequestTarget, number: number): Promise<ForgeRequest>;
  createRequest(target: RequestTarget, text: RequestText, draft: boolean): Promise<ForgeRequest>;
  /** Replaces the body of a request and leaves its title unchanged. */
  updateRequest(target: RequestTarget, number: number, body: string): Promise<ForgeRequest>;
  /**
   * Pushes the branch and runs git's hooks. Replaces remote commits only if this clone pushed them or the branch
   * continues them.
   *
   * @param pushed full hashes of commits that this clone has pushed or tried to push
   * @throws OperationError `failed_precondition` if a hook or the server rejects it or others pushed to the branch,
   *   `unavailable` if the remote cannot be reached
   */
  pushBranch(id: SpecId, target: RequestTarget, pushed: readonly string[]): Promise<PushedBranch>;
  /** Pushes the records of a spec's runs. Returns null after success, else the reason of the failure. */
  pushRecords(id: SpecId, target: RequestTarget): Promise<string | null>;
  /** Returns the commit at which the branch left the main branch; null if they have no common commit. */
  findBranchStart(id: SpecId): Promise<string | null>;
  /**
   * Fetches the base branch and fast-forwards the main branch to it. The spec's branch must be known.
   *
   * @throws OperationError as `push`, or if changed files would be overwritten
   */
  advanceMainBranch(id: SpecId, target: RequestTarget): Promise<MainBranchUpdate>;
  /** Searches the main branch for the work of a branch. */
  searchMerge(id: SpecId, wanted: MergeSearchQuery): Promise<MergeSearchResult>;
  /** Copies the worktree's version of the spec back into the project's file, as a merge does. */
  bringSpecBack(id: SpecId): Promise<void>;
  /** Judges a merge commit named by a person; throws OperationError `invalid_argument` if the main branch lacks it. */
  judgeNamedMerge(id: SpecId, commit: string, began: string | null): Promise<MergeSearchResult>;
}

export interface MergeSearchQuery {
  readonly forge: ForgeMerge | null;
  /** Name of the git remote that has the forge's commits. */
  readonly remote: string | null;
  /** Commit where the branch left the main branch when it was pushed; null if no note has it. */
  readonly began: string | null;
}
