import type { SpecId } from "#planner/spec/spec_id.ts";
import type { WorktreeState } from "./worktree.ts";

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
