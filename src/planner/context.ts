import type { Clock } from "#kernel/clock.ts";
import type { GitHistory } from "#planner/store/git/git_history.ts";
import type { LogStore } from "#planner/store/logs/log_store.ts";
import type { InsideRun } from "#planner/store/processes/inside_run.ts";
import type { RunPorts } from "#planner/store/processes/open_runs.ts";
import type { WorkStore } from "#planner/store/processes/work_store.ts";
import type { createSettingsReader } from "#planner/store/project/prompt_store.ts";
import type { SpecStore } from "#planner/store/specs/spec_store.ts";
import type { OutputValidator } from "#planner/work/judge_output.ts";
import type { PromptStore, TemplateStore } from "#planner/work/prompts/prompt_template.ts";
import type { StoredRunReport } from "#planner/work/records/process_record.ts";
import type { PlannerConfig } from "./config/config.ts";
import type { AcceptanceStore } from "./work/acceptance.ts";
import type { ManualCompletion, ProofRequest, Provenance } from "./work/provenance.ts";

/** What an operation reaches outside of itself, which `cli/compose.ts` assembles once per process. */
export interface PlannerContext {
  /** Returns whether the project has a folder `.planner/specs`. */
  isInitialised(): Promise<boolean>;
  /** Returns the settings of `.planner/config.md`; throws OperationError with the line if the file is malformed. */
  readConfig(): Promise<PlannerConfig>;
  /** Returns parts of the settings. Cheaper than all settings if these parts have their defaults. */
  readonly settings: ReturnType<typeof createSettingsReader>;
  readonly specs: SpecStore;
  readonly logs: LogStore;
  /** Logs of the project; in the worktree of a run, the logs of the project around the worktree. */
  readonly projectLogs: LogStore;
  readonly work: WorkStore;
  readonly prompts: PromptStore;
  /** Templates of specs: `.planner/templates/<name>.md`. */
  readonly templates: TemplateStore;
  /** Asks a process of this machine to end; false if it has ended or must not receive signals. */
  terminateProcess(pid: number): Promise<boolean>;
  readonly git: GitHistory;
  readonly outputs: OutputValidator;
  /** Commands that a person on this machine has accepted, loaded on the first call. */
  openAcceptance(): Promise<AcceptanceStore>;
  /** Judges the criteria of a spec: runs their checks in its worktree, else in the project's folder. */
  proveSpec(wanted: ProofRequest): Promise<Provenance>;
  /** Stores the record of a spec that a person completed by hand. Returns its number; null if it cannot be stored. */
  storeManualRecord(end: ManualCompletion): Promise<number | null>;
  /** Ports for running agents, loaded on the first call because most commands run none. */
  openRuns(): Promise<RunPorts>;
  /** Reports of the agents of all runs, oldest first; runs without a report are omitted. */
  readRunReports(): Promise<readonly StoredRunReport[]>;
  /** Starts `planner <args>` for this project as a process that continues after this one; returns its number. */
  startInBackground(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number>;
  /** Returns the run of this project inside of which this process was started; null outside of runs. */
  findSurroundingRun(): InsideRun | null;
  readonly clock: Clock;
}
