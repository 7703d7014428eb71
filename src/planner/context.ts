import type { Clock } from "#kernel/clock.ts";
import type { StoredRunReport } from "#planner/run_ports/claims.ts";
import type { RunPorts } from "#planner/run_ports/worktrees.ts";
import type { PlannerConfig } from "./config/config.ts";
import type {
  GitHistory,
  LogStore,
  OutputValidator,
  ProcessControl,
  PromptStore,
  SpecStore,
  TemplateStore,
  WorkStore,
} from "./ports.ts";
import type { BackgroundStarter } from "./program_ports.ts";
import type { SpecId } from "./spec/spec_id.ts";
import type { AcceptanceStore } from "./work/acceptance.ts";
import type { ManualCompletion, ProofRequest, Provenance } from "./work/provenance.ts";

/** The run inside of which a process was started. */
export interface InsideRun {
  readonly spec_id: SpecId;
}

/** Ports of an operation, which `cli/compose.ts` assembles once per process. */
export interface PlannerContext {
  /** Returns whether the project has a folder `.planner/specs`. */
  isInitialised(): Promise<boolean>;
  /** Returns the settings of `.planner/config.md`; throws OperationError with the line if the file is malformed. */
  readConfig(): Promise<PlannerConfig>;
  /** Returns parts of the settings. Cheaper than all settings if these parts have their defaults. */
  settings<Name extends keyof PlannerConfig>(...names: readonly Name[]): Promise<Pick<PlannerConfig, Name>>;
  readonly specs: SpecStore;
  readonly logs: LogStore;
  /** Logs of the project; in the worktree of a run, the logs of the project around the worktree. */
  readonly projectLogs: LogStore;
  readonly work: WorkStore;
  readonly prompts: PromptStore;
  /** Templates of specs: `.planner/templates/<name>.md`. */
  readonly templates: TemplateStore;
  readonly processes: ProcessControl;
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
  readonly background: BackgroundStarter;
  /** Returns the run of this project inside of which this process was started; null outside of runs. */
  findSurroundingRun(): InsideRun | null;
  readonly clock: Clock;
}
