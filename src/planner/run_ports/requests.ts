import type { SpecId } from "#planner/spec/spec_id.ts";
import type { RequestPlace } from "#planner/work/requests/forge_place.ts";
import type { ForgeRequest } from "#planner/work/requests/forge_request.ts";
import type { RequestNote } from "#planner/work/requests/request_note.ts";

/** `into` is the repository that the request is made in, `head` the one that has the branch: they differ for a fork. */
export interface RequestTarget extends RequestPlace {
  /** Name of the git remote that the branch is pushed to. */
  readonly remote: string;
  /** The program that talks to the forge; null if it is not installed. */
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

/** How the main branch was found to have the work of a branch, in the order in which it is tried. */
export type MergeSign = "forge" | "ancestor" | "cherry" | "patch" | "merge_tree" | "person";

/** A merge that was made outside of this clone. */
export interface FoundMerge {
  readonly sign: MergeSign;
  /** Full hash of a commit of the main branch that brought the work. */
  readonly commit: string;
  /** Whether the main branch as it is now still has all of the branch's change. */
  readonly stillThere: boolean;
  /** Whether it still has all of that commit's change, which may differ from the branch's. */
  readonly commitHolds: boolean;
}

export interface MergeSearch {
  /** Null if the work was not found in the main branch. */
  readonly found: FoundMerge | null;
  /** Full hash of the main branch's last commit, by which it was judged. */
  readonly main: string;
  /** Full hash of the branch's last commit. */
  readonly head: string;
  /** What could not be tried or is missing, one sentence each. */
  readonly notes: readonly string[];
}

export interface ForgeMerge {
  /** Full hash of the last commit that it merged. */
  readonly head: string;
  /** Full hash of the commit that brought it into the base branch; null if the forge does not say. */
  readonly commit: string | null;
  /** Ref of the request's last commit at the remote, as in `refs/pull/7/head`. */
  readonly ref: string;
}

/** How the main branch took up what its remote has. */
export type Advance = "moved" | "there" | "diverged";

/**
 * Pull requests of specs' branches at GitHub and GitLab, and their merges. Methods that talk to a remote or a forge
 * are for commands of a person: git's settings and hooks of the repository hold there. Call those that change a branch
 * while holding the spec's claim.
 *
 * Source: docs/pr.md.
 */
export interface Requests {
  /** Noted requests by spec. Cost: one git. */
  notes(): Promise<ReadonlyMap<SpecId, RequestNote>>;
  /** Notes a request, until the spec's branch is removed. */
  note(id: SpecId, note: RequestNote): Promise<void>;
  /** Finds where a request belongs. @throws OperationError `failed_precondition` that says what is missing */
  target(id: SpecId): Promise<RequestTarget>;
  /** Requests of the branch at the forge, newest first. @throws OperationError `unavailable` with the program's words */
  find(target: RequestTarget): Promise<readonly ForgeRequest[]>;
  /** Reads one request. @throws OperationError as `find` */
  get(target: RequestTarget, number: number): Promise<ForgeRequest>;
  create(target: RequestTarget, text: RequestText, draft: boolean): Promise<ForgeRequest>;
  /** Replaces the text of a request; its title stays. */
  update(target: RequestTarget, number: number, body: string): Promise<ForgeRequest>;
  /**
   * Pushes the branch, with hooks. Replaces at the remote only what this clone has pushed, or what the branch continues.
   *
   * @param pushed full hashes of what this clone has pushed, or tried to
   * @throws OperationError `failed_precondition` if a hook or the server refuses or others pushed to it, `unavailable`
   *   if the remote cannot be reached
   */
  push(id: SpecId, target: RequestTarget, pushed: readonly string[]): Promise<PushedBranch>;
  /** Pushes the records of a spec's runs. Null after success, else why not. */
  pushRecords(id: SpecId, target: RequestTarget): Promise<string | null>;
  /** The commit at which the branch left the main branch; null if they have none in common. */
  began(id: SpecId): Promise<string | null>;
  /**
   * Fetches the base branch and moves the main branch forward to it. The spec's branch must be known.
   *
   * @throws OperationError as `push`, or if changed files are in the way
   */
  advance(id: SpecId, target: RequestTarget): Promise<Advance>;
  /** Looks for the work of a branch in the main branch. @param forge null if the forge does not say that it is merged */
  search(id: SpecId, wanted: SearchedMerge): Promise<MergeSearch>;
  /** Brings what the worktree made of its spec back into the project's file, as a merge does. */
  bringBack(id: SpecId): Promise<void>;
  /** A merge that a person names. @throws OperationError `invalid_argument` if it is no commit of the main branch */
  named(id: SpecId, commit: string, began: string | null): Promise<MergeSearch>;
}

export interface SearchedMerge {
  readonly forge: ForgeMerge | null;
  /** The remote that has the forge's commits. */
  readonly remote: string | null;
  /** Where the branch left the main branch when it was pushed; null if that is not noted. */
  readonly began: string | null;
}
