import type { SpecId } from "#planner/spec/spec_id.ts";
import type { RequestLocation } from "#planner/work/requests/forge_place.ts";
import type { ForgeRequest } from "#planner/work/requests/forge_request.ts";
import type { RequestNote } from "#planner/work/requests/request_note.ts";

/** Repositories of a pull request: `into` receives the request, `head` contains the branch. They differ for a fork. */
export interface RequestTarget extends RequestLocation {
  /** Name of the git remote that the branch is pushed to. */
  readonly remote: string;
  /** Command-line program of the forge; null if it is not installed. */
  readonly program: "gh" | "glab" | null;
}

export interface RequestText {
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
