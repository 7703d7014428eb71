import type { ProcessRecord } from "#planner/ports.ts";
import type { Usage } from "#planner/work/usage.ts";

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

/** Records of work processes, `.planner/processes/<process_id>.json`, read through `WorkStore.processes`. */
export interface ProcessRecords {
  startRecord(
    record: NewProcessRecord,
    begun?: { readonly report: RunReport; readonly base: string | null },
  ): Promise<ProcessRecord>;
  /** Replaces the stored report, which survives if the process is killed. Does nothing if the record does not exist. */
  storeReport(processId: string, report: RunReport): Promise<void>;
  /** Writes a `running` record, unless the process itself has already written a record, running or ended. */
  announceRecord(record: NewProcessRecord): Promise<void>;
  /** Makes a record terminal and adds the report. Returns false if the record was terminal before or does not exist. */
  finishRecord(processId: string, end: ProcessResult, at: Date, report?: RunReport): Promise<boolean>;
  /** Returns the agents' reports of all runs, oldest first; omits runs without a report. */
  readReports(): Promise<readonly StoredRunReport[]>;
  /** Returns false once a record is terminal or deleted. Cost: reads one file. */
  isRunning(processId: string): Promise<boolean>;
  /** Returns every `running` record whose process has ended, as stored. */
  listDeadRecords(): Promise<readonly ProcessRecord[]>;
  /** Ends a `running` record whose process has ended, as `decideDeadRunEnd` decides; null for any other record. */
  endDeadRecord(processId: string): Promise<ProcessRecord | null>;
  /** Ends every `running` record whose process has ended, and returns those records. */
  repairRecords(): Promise<readonly ProcessRecord[]>;
}

export type NewProcessRecord = Pick<ProcessRecord, "process_id" | "spec_id" | "pid" | "started_at" | "mode">;
