import type { ProcessRecord } from "#planner/ports.ts";
import type { Usage } from "#planner/work/usage.ts";

/** Result of a work process; `error` is the reason of a failure. */
export type ProcessEnd = { readonly status: "completed" } | { readonly status: "failed"; readonly error: string };

/** The agent's report about its run. */
export interface RunReport {
  /** Name of the provider. */
  readonly agent: string;
  readonly model: string | null;
  /** Version of the agent's installed program, or null if its files contain none. */
  readonly version: string | null;
  /** The agent's own id of its session. */
  readonly session: string | null;
  readonly usage: Usage | null;
  readonly denied: readonly string[];
  /** SHA-256 of its prompt; null before it was started. */
  readonly prompt_sha256: string | null;
  /** What changed outside of its branch, see `WorktreeState.outside`. */
  readonly outside: readonly string[];
}

export interface StoredReport extends RunReport {
  readonly process_id: string;
  readonly spec_id: string;
  readonly started_at: string;
  readonly mode: string;
  /** The commit on which a run without a worktree began; null for any other run. */
  readonly base: string | null;
  /** Whether the record of the process is still `running`. */
  readonly running: boolean;
}

/** Records of work processes, `.planner/processes/<process_id>.json`, read through `WorkStore.processes`. */
export interface ProcessRecords {
  start(
    record: NewProcessRecord,
    begun?: { readonly report: RunReport; readonly base: string | null },
  ): Promise<ProcessRecord>;
  /** Replaces the report so far; it survives if the process is killed. Does nothing if the record does not exist. */
  report(processId: string, report: RunReport): Promise<void>;
  /** Writes a record unless the process itself has already written it, or its end. */
  announce(record: NewProcessRecord): Promise<void>;
  /** Makes a record terminal; false if it already is, or does not exist. Adds the report in either case. */
  finish(processId: string, end: ProcessEnd, at: Date, report?: RunReport): Promise<boolean>;
  /** Reports of the agents of all runs, oldest first; runs without a report are omitted. */
  reports(): Promise<readonly StoredReport[]>;
  /** False once a record is terminal or deleted. Cost: reads one file. */
  isRunning(processId: string): Promise<boolean>;
  /** Every `running` record whose process has ended, as stored. */
  dead(): Promise<readonly ProcessRecord[]>;
  /** Ends such a record according to its spec, see `endOfDeadRun`; null if it is no longer one. */
  endDead(processId: string): Promise<ProcessRecord | null>;
  /** Ends all such records and returns them. */
  repair(): Promise<readonly ProcessRecord[]>;
}

export type NewProcessRecord = Pick<ProcessRecord, "process_id" | "spec_id" | "pid" | "started_at" | "mode">;
