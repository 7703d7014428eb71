import type { RunLog } from "#planner/store/logs/log_writer.ts";
import type { RunPorts } from "#planner/store/processes/open_runs.ts";
import type { SharedClaimOptions } from "#planner/store/remote_claims/remote_claims.ts";
import type { Claim } from "#planner/store/remote_claims/shared_claims.ts";
import type { Worktree } from "#planner/store/worktrees/open_worktree.ts";
import type { RunFiles } from "#planner/store/worktrees/run_files.ts";
import type { PlannerConfig } from "../config/config.ts";
import type { PlannerContext } from "../context.ts";
import type { Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import type { AgentSession } from "../work/agent_launch.ts";
import type { RunEnd } from "../work/end_of_run.ts";
import type { Provider } from "../work/providers.ts";
import type { Usage } from "../work/usage.ts";

export interface RunDeps {
  readonly context: PlannerContext;
  readonly ports: RunPorts;
  readonly files: RunFiles;
  /** Absolute path of the project. */
  readonly root: string;
  readonly pid: number;
  /** Command line that starts planner itself; the caller appends arguments. */
  readonly selfCommand: readonly string[];
  /** Returns the argument list that runs one line in a shell. */
  readonly buildShellCommand: (line: string) => readonly string[];
  /** The run that another process has already recorded, with its start time; null without one. */
  readonly announced: { readonly spec_id: string; readonly started_at: string } | null;
  readonly tell: (event: RunEvent) => void;
}

/** Dependencies of repairs after killed processes. */
export type RepairDeps = Pick<RunDeps, "context" | "ports" | "pid">;

export interface RunSettings {
  /** `single`, `chain` or `parallel(N)`. Source: docs/contract/spec-tool.md#work-process-record. */
  readonly mode: string;
  /** Name of the provider to use instead of the configured one; null for the configured one. */
  readonly provider: string | null;
  /** Model to use instead of the spec's own; null for the spec's own. */
  readonly model: string | null;
  /** Prompt template to use instead of the spec's own; null for the spec's own. */
  readonly prompt: string | null;
  /** Whether a spec may complete with unchecked criteria. */
  readonly skipCriteria: boolean;
  /** Reason of a person for completing specs whose checks do not succeed; null if checks have to succeed. */
  readonly unproven: string | null;
  /** Whether the agent is to continue the session of its previous run. */
  readonly resume: boolean;
  readonly worktree: boolean;
  /** Options for taking the claim that other clones see. */
  readonly shared: SharedClaimOptions;
  readonly stop: StopSignals;
}

/** Two stages of stopping: `now` is only ever aborted after `soon`. */
export interface StopSignals {
  /** Ends agents with a grace period, and begins nothing more. */
  readonly soon: AbortSignal;
  /** Ends agents without a grace period. */
  readonly now: AbortSignal;
}

export interface RunResult {
  readonly spec_id: SpecId;
  readonly process_id: string;
  /** `paused`: another command ended the run and decides about the spec's status. */
  readonly status: RunEnd["status"] | "paused";
  readonly reasons: RunEnd["reasons"];
  /** Warnings that do not change the result. */
  readonly warnings: readonly string[];
  readonly commits: readonly string[];
  /** Tokens and cost of the agent; null if the agent reports none or never ran. */
  readonly usage: Usage | null;
  /** Actions that were denied to the agent. */
  readonly denied: readonly string[];
  /** Reason why no further run may start: a limit was reached or the provider rejected the account; else null. */
  readonly halt: string | null;
}

/** Events of a queue and its runs in order of time; `--json` prints these. */
export type RunEvent =
  | { readonly event: "note"; readonly spec_id: string | null; readonly message: string }
  | {
      readonly event: "started";
      readonly spec_id: SpecId;
      readonly process_id: string;
      readonly pid: number;
      readonly mode: string;
      readonly started_at: string;
      readonly agent: string;
      readonly title: string | null;
      readonly branch: string | null;
      readonly worktree: string | null;
    }
  | { readonly event: "output"; readonly spec_id: SpecId; readonly text: string }
  /** Result of comparing the output with its schema, as printed lines. Source: docs/contract/spec-tool.md#output-4. */
  | { readonly event: "output_check"; readonly spec_id: SpecId; readonly lines: readonly string[] }
  /** Numbers of done and of all specs, sent when they change. */
  | { readonly event: "progress"; readonly done: number; readonly total: number }
  /** Tokens and cost of the agent so far. */
  | ({ readonly event: "usage"; readonly spec_id: SpecId } & Usage)
  /** An action that was denied to the agent; `what` describes it. */
  | { readonly event: "denied"; readonly spec_id: SpecId; readonly what: string }
  /** Setting that would allow the denied actions, except those that must stay denied. */
  | { readonly event: "allow"; readonly spec_id: SpecId; readonly line: string }
  | ({ readonly event: "ended" } & RunResult)
  /** The run never started, and the spec is unchanged. */
  | { readonly event: "refused"; readonly spec_id: SpecId; readonly reason: string };

export interface RunLocation {
  /** Worktree of the run; null when the agent works in the project itself. */
  readonly worktree: Worktree | null;
  /** Absolute path of the project folder in which the agent works. */
  readonly root: string;
  /** A TCP port that was free when the run began; null if none was requested. */
  readonly port: number | null;
  /** Hashes of commits that named the spec before the run; empty for a run in a worktree. */
  readonly knownCommits: ReadonlySet<string>;
  /** Commit that was checked out before a run without a worktree; null in a worktree or without a commit. */
  readonly base: string | null;
  /** Prompt text about an earlier run whose work the worktree contains; null for a first run. */
  readonly earlier: string | null;
}

/** Data for any program that planner runs for a spec: an agent, a setup command or a check. */
export interface SpecJob {
  readonly id: SpecId;
  readonly processId: string;
  /** Settings of the project, not those of the worktree. */
  readonly config: PlannerConfig;
  readonly log: RunLog;
  readonly stop: StopSignals;
}

export interface LocatedJob extends SpecJob {
  readonly place: RunLocation;
}

/** Choices made by the checks before a run. */
export interface RunChoice {
  readonly spec: Spec;
  readonly config: PlannerConfig;
  readonly provider: Provider;
  /** The agent's session to continue or to begin; null if the agent assigns a new id itself. */
  readonly session: AgentSession | null;
}

/** A run that has passed all checks before its start and holds its spec's claim. */
export interface ClaimedRun extends RunChoice {
  readonly processId: string;
  readonly claim: Claim;
  /** Notes about the claim that other clones see. */
  readonly notes: readonly string[];
  readonly wishes: RunSettings;
}

/** The job of an agent: its location and the choices for its run. */
export interface AgentJob extends LocatedJob, RunChoice {}

/** A run whose worktree or folder is open, as the phases after `worktree` receive it. */
export interface LocatedRun extends AgentJob, Pick<ClaimedRun, "wishes"> {
  /** The project's text of the spec when the run began. */
  readonly before: string;
}
