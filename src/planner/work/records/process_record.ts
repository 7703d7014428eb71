import type { FailedCheck } from "../provenance.ts";
import type { Usage } from "../usage.ts";

/** A work process as stored. Source: docs/contract/spec-tool.md#work-process-record. */
export type ProcessRecord = {
  readonly process_id: string;
  readonly spec_id: string;
  readonly pid: number;
  readonly started_at: string;
  readonly mode: string;
} & (
  | { readonly status: "running"; readonly completed_at: null }
  /** `error` is the reason why the process failed or its work was rejected; absent if the reason is unknown. */
  | { readonly status: "completed" | "failed"; readonly completed_at: string; readonly error?: string }
);

export type NewProcessRecord = Pick<ProcessRecord, "process_id" | "spec_id" | "pid" | "started_at" | "mode">;

/** Result of a work process; `error` is the reason of a failure. */
export type ProcessResult = { readonly status: "completed" } | { readonly status: "failed"; readonly error: string };

/** The agent's report about its run. */
export interface RunReport {
  /** Name of the provider. */
  readonly agent: string;
  readonly model: string | null;
  /** Version of the agent's installed program, or null if its files contain none. */
  readonly version: string | null;
  /** Session id that the agent itself assigned. */
  readonly session: string | null;
  readonly usage: Usage | null;
  readonly denied: readonly string[];
  /** SHA-256 of the agent's prompt; null before the agent was started. */
  readonly prompt_sha256: string | null;
  /** Changes outside of the run's branch, see `WorktreeState.outside`. */
  readonly outside: readonly string[];
}

export interface StoredRunReport extends RunReport {
  readonly process_id: string;
  readonly spec_id: string;
  readonly started_at: string;
  readonly mode: string;
  /** Commit at which a run without a worktree began; null for any other run. */
  readonly base: string | null;
  /** Whether the record of the process is still `running`. */
  readonly running: boolean;
}

/** Process that works on a spec now. */
export interface LockHolder {
  readonly pid: number;
  readonly alive: boolean;
  readonly file: string;
}

/** A worktree with the status that its run has stored. Source: docs/contract/spec-tool.md#worktree-status. */
export interface WorktreeStatus {
  readonly spec_id: string;
  readonly path: string;
  readonly status: "working" | "done" | "failed" | "unknown";
  readonly updated_at: string | null;
  readonly error: string | null;
  readonly commits: readonly string[];
  /** Checks that failed at the last merge; absent if none did. */
  readonly failed_checks?: readonly FailedCheck[];
}
