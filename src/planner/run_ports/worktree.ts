import type { SpecStore } from "#planner/ports.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";

/** Ignored files of the project that a worktree receives. */
export interface IgnoredFileRules {
  /** Git glob patterns of files to copy, from the project's root; a pattern without a slash applies in every folder. */
  readonly copy: readonly string[];
  /** Paths of files and folders to copy, from the project's root. */
  readonly link: readonly string[];
  /** Paths that become symbolic links. */
  readonly symlink: readonly string[];
}

/** The working directory of one run. */
export interface Worktree {
  /** Absolute path of the git worktree. */
  readonly path: string;
  /** Absolute path of the project in the worktree; differs from `path` if it is a subfolder of the repository. */
  readonly root: string;
  readonly branch: string;
  readonly mainBranch: string;
  /** True if the worktree existed and kept work of an earlier run. */
  readonly reused: boolean;
  /** Uncommitted files copied into the worktree, as paths from the project's root, without the spec's own file. */
  readonly copied: readonly string[];
  /** Variables for the agent's environment that make git ignore copied and placed files in the worktree. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables for the agent's environment that set the author and committer of its commits. */
  readonly identity: Readonly<Record<string, string>>;
  /**
   * Set after a merge met a conflict: the branch then begins at the end of the main branch, and the work is an
   * uncommitted change with conflict markers in `files`, given as paths from the repository's top. `commit` is the last
   * commit of the branch before that.
   */
  readonly begunAnew: { readonly commit: string; readonly files: readonly string[] } | null;
  openSpecs(): SpecStore;
  /** Writes a file of planner, such as an MCP configuration, that git ignores. @param path from the project's root */
  writePlannerFile(path: string, text: string): Promise<void>;
  /**
   * Adds files that a build requires but a checkout lacks: submodules, and ignored files of the project.
   *
   * @returns one sentence for each file that was added or could not be added
   */
  addRequiredFiles(wanted: IgnoredFileRules): Promise<readonly string[]>;
  /** Records programs that git runs in the worktree and the repository's state, so that `settle` detects changes. */
  takeBaseline(): Promise<WorktreeBaseline>;
  /**
   * Checks the worktree with git and fixes what needs no decision: moves the branch to the checked-out commit if that
   * continues the branch, and unhides changes that are hidden from git. Call it while no run works in the worktree.
   */
  settle(): Promise<WorktreeState>;
  /** Changed, uncommitted paths, from the worktree's top, without planner's own files. */
  listUncommittedFiles(): Promise<readonly string[]>;
  /** Returns the checked-out commit, and the uncommitted files of the folder. */
  holds(): Promise<FolderState>;
  /** Returns the branch's commits and the files that they change, as in `WorktreeState`; repairs nothing. */
  readBranchWork(): Promise<Pick<WorktreeState, "commits" | "changed">>;
  /** Returns the spec's text in the main branch; null if the main branch lacks the spec. */
  readMainSpec(): Promise<string | null>;
  /** Returns git's hashes of the checked-out commit's files by path from the project's root; omits files it lacks. */
  readBlobHashes(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Replaces files by those of commit `from`, which must contain them. Paths are from the project's root. */
  checkoutFiles(from: string, paths: readonly string[]): Promise<void>;
  /** Merges the project's and the run's changes of the spec, and returns the resulting text. */
  buildJoinedSpec(): Promise<string>;
  /** Commits only the spec's file. Returns false if the file is unchanged or git ignores it. */
  commitSpec(message: string): Promise<boolean>;
  /**
   * Writes a file of planner and commits only that file; removes it again if git rejects the commit.
   *
   * @param path from the project's root
   */
  commitFile(path: string, text: string, message: string): Promise<void>;
}

/** What the worktree of a run lacks when its agent starts. */
export interface WorktreeBaseline {
  /** Paths, from the repository's top, of uncommitted changes in the person's checkout, except planner's own. */
  readonly uncommitted: readonly string[];
  /** Number of commits of the main branch that the branch of an earlier run lacks; 0 for a new branch. */
  readonly newerCommits: number;
}

/** A commit and the uncommitted files of a folder. Paths are from the top of the repository. */
export interface FolderState {
  /** Full hash of the commit; null before the first commit. */
  readonly commit: string | null;
  readonly tree: string | null;
  readonly uncommitted: readonly string[];
  /** Files and folders that git ignores, without planner's own. */
  readonly ignored: readonly string[];
  /** Files that the branch changes against main, as paths from the project's root; empty for the main branch. */
  readonly changed: WorktreeState["changed"];
  /** Whether the main branch has commits that this commit lacks. */
  readonly behind: boolean;
  /** Whether the folder is inside another checkout of the repository, where programs find that checkout's files. */
  readonly nested: boolean;
}

/** A commit of a branch that the main branch lacks. */
export interface BranchCommit {
  readonly hash: string;
  /** Full hash of the first parent; null for a first commit. */
  readonly parent: string | null;
  readonly message: string;
}

/** State of git in a worktree, see `Worktree.settle`. */
export interface WorktreeState {
  /** Fixes that were made, and other remarks for the log. */
  readonly notes: readonly string[];
  /** Notes that a person should read although they change nothing. */
  readonly warnings: readonly string[];
  /** Warnings that name changes outside of the run's branch, worktree and spec. */
  readonly outside: readonly string[];
  /** Problems that a person must solve before anything is merged or removed; each names its solution. */
  readonly problems: readonly string[];
  /**
   * False if git would run programs in the worktree that the run has installed. Planner runs no git there until a
   * person undoes that.
   */
  readonly safe: boolean;
  /** Commits of the branch, oldest first. Empty if not safe. */
  readonly commits: readonly BranchCommit[];
  /** Files that the commits change, as paths from the project's root. Empty if not safe. */
  readonly changed: readonly { readonly path: string; readonly isNew: boolean }[];
  /** Uncommitted paths, as `Worktree.uncommitted` returns them. Empty if not safe. */
  readonly uncommitted: readonly string[];
}

export interface CommittedState {
  /** Full hash of the commit. */
  readonly commit: string;
  /** Text of each spec, active or archived, whose file differs between the two states. */
  readonly specs: ReadonlyMap<SpecId, CommittedSpec>;
  /** Text of `.planner/config.md`; empty without that file. */
  readonly config: string;
}

export interface CommittedSpec {
  /** Path of the spec's file from the project's root. */
  readonly file: string;
  readonly text: string;
}

export interface SpecChanges {
  readonly before: CommittedState;
  readonly after: CommittedState;
  /** Files that `after` changes since its common ancestor with `before`, as in `WorktreeState`. */
  readonly changed: WorktreeState["changed"];
}
