import type { SpecId } from "#planner/spec/spec_id.ts";

/** The number of a run, counted from 1, and the full hash of the last commit of its branch. */
export interface BranchHead {
  readonly run: number;
  readonly head: string;
}

/** Location of the latest run record of a spec, whose content is not read yet. */
export interface LatestRunRef {
  readonly id: SpecId;
  readonly run: number;
  /** Full hash of the commit that contains the record. */
  readonly commit: string;
  /** Full hash of the last commit of the spec's branch; null without a branch. */
  readonly head: string | null;
}

export interface KeptRunRecord {
  readonly run: number;
  /** Numbers of all stored runs of the spec, in order. */
  readonly runs: readonly number[];
  /** Content of the record, see work/records/run_record.ts. Another version of planner may have written it. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** A commit of a branch that the main branch lacks. */
export interface BranchCommit {
  readonly hash: string;
  /** Full hash of the first parent; null for a first commit. */
  readonly parent: string | null;
  readonly message: string;
}

/** Facts that the repository now has about the commits that a record names. */
export interface CommitFacts {
  /** First parent of the record's commit: the branch's last commit at the end of the run. Null without a record. */
  readonly parent: string | null;
  /** Those commits named by the record that exist in the repository. */
  readonly present: ReadonlySet<string>;
  /** The commits between base and head, oldest first, each with its changed files as paths from the project's root. */
  readonly range: readonly BranchCommit[];
  readonly files: readonly string[];
  /** Whether one of those commits merges another branch, whose commits and files are then included. */
  readonly hasMerges: boolean;
  /** Stable patch ids by commit; a commit without a change has none. */
  readonly patches: ReadonlyMap<string, string>;
  /** Those merged commits that the main branch contains. */
  readonly inMain: ReadonlySet<string>;
  /** Whether the last merged commit has all files as the run left them or as they merge, apart from planner's own. */
  readonly hasMergedWork: boolean;
  /** Text of the spec at the head commit; null if the spec does not exist there. */
  readonly specText: string | null;
}
