import type { SpecId } from "#planner/spec/spec_id.ts";
import type { BranchCommit } from "./worktree.ts";

/** Number of a run, from 1, and the full hash of the last commit of its branch. */
export interface RunHead {
  readonly run: number;
  readonly head: string;
}

/** The latest record of a spec, unread. */
export interface LatestRun {
  readonly id: SpecId;
  readonly run: number;
  /** Full hash of the commit that holds it. */
  readonly commit: string;
  /** Full hash of the last commit of the spec's branch; null without a branch. */
  readonly head: string | null;
}

export interface KeptRunRecord {
  readonly run: number;
  /** Numbers of all stored runs of the spec, in order. */
  readonly runs: readonly number[];
  /** See work/run_record.ts; another version of planner may have written it. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** Current facts about the commits that a record names. */
export interface RecordFacts {
  /** The commit that the record was stored on; null if it no longer exists. */
  readonly parent: string | null;
  /** The named commits that exist in the repository. */
  readonly present: ReadonlySet<string>;
  /** The commits between base and head, oldest first, and their changed files, from the project's root. */
  readonly range: readonly BranchCommit[];
  readonly files: readonly string[];
  /** Whether one of them merges another branch, whose commits and files are then included. */
  readonly hasMerges: boolean;
  /** Stable patch ids by commit; a commit without a change has none. */
  readonly patches: ReadonlyMap<string, string>;
  /** The merged commits that the main branch contains. */
  readonly inMain: ReadonlySet<string>;
  /** The spec at the head; null if it does not exist there. */
  readonly specText: string | null;
}
