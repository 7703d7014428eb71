import type { SpecId } from "#planner/spec/spec_id.ts";

/** Temporary files of writers that were killed. */
export interface Leftovers {
  /** Paths from the project's root, sorted; excludes files of running processes. */
  files(): Promise<readonly string[]>;
  /** Removes all of them and returns their paths. */
  remove(): Promise<readonly string[]>;
}

/**
 * The locks on git's index. A killed git process leaves its lock, which blocks all further changes until it is removed.
 */
export interface GitLocks {
  /** Finds the locks of the project's checkout and of its worktrees. Cost: one git process for each. */
  find(): Promise<readonly GitLock[]>;
  /** Checks the lock again and removes it; false if it no longer exists or has a holder. */
  remove(lock: GitLock): Promise<boolean>;
}

export interface GitLock {
  /** Absolute. */
  readonly path: string;
  /** The spec whose worktree is locked; null for the project's checkout. */
  readonly spec_id: SpecId | null;
  readonly ageMs: number;
  /** Number of the process that holds it; null without a holder, `unknown` if the system does not provide it. */
  readonly holder: number | "unknown" | null;
  /** Whether it certainly has no holder. In the checkout where people work, only after a minute. */
  readonly removable: boolean;
}
