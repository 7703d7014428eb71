import type { SpecStore } from "#planner/ports.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";

/** Ignored files of a project that a worktree requires. */
export interface Furniture {
  /** git's glob patterns, from the project's root; one without a slash applies in every folder. */
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
  /** Absolute path of the project in it; differs from `path` if the project is a folder of the repository. */
  readonly root: string;
  readonly branch: string;
  readonly mainBranch: string;
  /** True if it contained work of an earlier run, which was kept. */
  readonly reused: boolean;
  /** Uncommitted files that were copied into it, as paths from the project's root, without the spec's own file. */
  readonly copied: readonly string[];
  /** Variables for the agent's environment, with which git ignores copied and placed files there. */
  readonly env: Readonly<Record<string, string>>;
  /** Further variables for the agent's environment: who commits. */
  readonly identity: Readonly<Record<string, string>>;
  /**
   * Set if a merge has met a conflict: the branch begins at the main branch's end, and the work is an uncommitted change
   * with conflict markers in `files`, from the repository's top. `commit` is the end of the work before.
   */
  readonly begunAnew: { readonly commit: string; readonly files: readonly string[] } | null;
  specs(): SpecStore;
  /**
   * Writes a file of planner (an MCP configuration for example) that git ignores. @param path from the project's root
   */
  place(path: string, text: string): Promise<void>;
  /**
   * Adds files that a build requires but a checkout lacks: submodules, and ignored files of the project.
   *
   * @returns one sentence for each thing that was done or could not be done
   */
  furnish(wanted: Furniture): Promise<readonly string[]>;
  /** Records the programs that git runs there and the state of the repository, so that `settle` can detect changes. */
  guard(): Promise<void>;
  /**
   * Checks the worktree with git and fixes what needs no decision: moves the branch to the checked-out commit if that
   * continues the branch, and unhides changes that are hidden from git. Call it while no run works there.
   */
  settle(): Promise<WorktreeState>;
  /** Changed, uncommitted paths, from the worktree's top, without planner's own files. */
  uncommitted(): Promise<readonly string[]>;
  /** The commit that is checked out, and what the folder holds beside it. */
  holds(): Promise<FolderState>;
  /** Commits of the branch and the files that they change, as in `WorktreeState`; repairs nothing. */
  branchWork(): Promise<Pick<WorktreeState, "commits" | "changed">>;
  /** The spec's text as the main branch has it; null if it has none. */
  mainSpec(): Promise<string | null>;
  /** Git's hashes of files in that commit, by path from the project's root; one that it lacks has none. */
  blobs(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Replaces files by those of another commit, which must have them. Paths are from the project's root. */
  takeFiles(from: string, paths: readonly string[]): Promise<void>;
  /** The spec's text after merging the project's changes and the run's. */
  joinedSpec(): Promise<string>;
  /** Commits only the spec's file; false if it has no change, or if git ignores it. */
  commitSpec(message: string): Promise<boolean>;
  /**
   * Writes a file of planner and commits only that; removes it again if the commit is rejected.
   *
   * @param path from the project's root
   */
  commitFile(path: string, text: string, message: string): Promise<void>;
}

/** A commit and what a folder holds beside it. Paths are from the top of the repository. */
export interface FolderState {
  /** Full hashes; null before the first commit. */
  readonly commit: string | null;
  readonly tree: string | null;
  readonly uncommitted: readonly string[];
  /** Files and folders that git ignores, without planner's own. */
  readonly ignored: readonly string[];
  /** What the branch changes against the main branch, paths from the project's root; empty for the main branch. */
  readonly changed: WorktreeState["changed"];
  /** Whether the main branch has commits that this one lacks. */
  readonly behind: boolean;
}

/** A commit of a branch that the main branch lacks. */
export interface BranchCommit {
  readonly hash: string;
  /** The first parent; null for a first commit. */
  readonly parent: string | null;
  readonly message: string;
}

/** State of git in a worktree, see `Worktree.settle`. */
export interface WorktreeState {
  /** Fixes that were made, and other remarks for the log. */
  readonly notes: readonly string[];
  /** The notes that a person should read although they change nothing. */
  readonly warnings: readonly string[];
  /** Those of the warnings that name changes outside of the run's branch, worktree and spec. */
  readonly outside: readonly string[];
  /** Problems that a person must solve before anything is merged or removed; each says how. */
  readonly problems: readonly string[];
  /** False if git there would run programs that the run has installed. No git runs there until that is undone. */
  readonly safe: boolean;
  /** Oldest first. Empty if not safe. */
  readonly commits: readonly BranchCommit[];
  /** Files that those commits change, as paths from the project's root. Empty if not safe. */
  readonly changed: readonly { readonly path: string; readonly isNew: boolean }[];
  /** As `Worktree.uncommitted`. Empty if not safe. */
  readonly uncommitted: readonly string[];
}

export interface CommittedState {
  /** Full hash. */
  readonly commit: string;
  /** The text of each spec whose file differs between the two states, active or archived. */
  readonly specs: ReadonlyMap<SpecId, CommittedSpec>;
  /** The text of `.planner/config.md`; empty without one. */
  readonly config: string;
}

export interface CommittedSpec {
  /** From the project's root. */
  readonly file: string;
  readonly text: string;
}

export interface SpecChanges {
  readonly before: CommittedState;
  readonly after: CommittedState;
  /** Files that `after` changes since it left `before`, as in `WorktreeState`. */
  readonly changed: WorktreeState["changed"];
}
