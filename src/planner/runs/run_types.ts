import type { Claim, SharedClaimWishes } from "#planner/run_ports/claims.ts";
import type { RunLog, RunPorts } from "#planner/run_ports/run_ports.ts";
import type { Worktree } from "#planner/run_ports/worktree.ts";
import type { PlannerConfig } from "../config/config.ts";
import type { PlannerContext } from "../context.ts";
import type { RunFiles } from "../program_ports.ts";
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
  /** Starts this same program, arguments to be appended. */
  readonly self: readonly string[];
  /** The argument list that runs one line of a shell. */
  readonly shell: (line: string) => readonly string[];
  /** Time of the request if another process has already reported one, so that the records agree. */
  readonly startedAt: string | null;
  readonly tell: (event: RunEvent) => void;
}

/** Dependencies of repairs. */
export type CareDeps = Pick<RunDeps, "context" | "ports" | "pid">;

export interface RunWishes {
  /** `single`, `chain` or `parallel(N)`. Source: docs/contract/spec-tool.md#work-process-record. */
  readonly mode: string;
  /** In place of the configured one. */
  readonly provider: string | null;
  /** In place of the spec's own. */
  readonly model: string | null;
  /** In place of the spec's own. */
  readonly prompt: string | null;
  /** Whether criteria may stay unticked. */
  readonly skipCriteria: boolean;
  /** Why a person completes specs whatever their checks say; null if they have to succeed. */
  readonly unproven: string | null;
  /** Whether the agent is to continue its own session of the run before. */
  readonly resume: boolean;
  readonly worktree: boolean;
  /** How the claim that other clones see is taken. */
  readonly shared: SharedClaimWishes;
  readonly stop: StopWishes;
}

/** Two steps of impatience: the second is only ever aborted after the first. */
export interface StopWishes {
  /** End agents, with time to do so by themselves, and begin nothing more. */
  readonly soon: AbortSignal;
  /** End them at once. */
  readonly now: AbortSignal;
}

export interface RunResult {
  readonly spec_id: SpecId;
  readonly process_id: string;
  /** `paused`: another command ended the run and decides about the spec. */
  readonly status: RunEnd["status"] | "paused";
  readonly reasons: RunEnd["reasons"];
  /** Warnings that do not change the result. */
  readonly warnings: readonly string[];
  readonly commits: readonly string[];
  /** What the agent consumed, or null if it reports nothing or never ran. */
  readonly usage: Usage | null;
  /** Actions that were denied to the agent. */
  readonly denied: readonly string[];
  /** Why nothing more is to be started after this run: a limit was reached or an account was refused; else null. */
  readonly halt: string | null;
}

/** What happens, as it happens; `--json` prints these. */
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
  /** What comparing the output with its schema came to, as it is printed. Source: docs/contract/spec-tool.md#output-4. */
  | { readonly event: "output_check"; readonly spec_id: SpecId; readonly lines: readonly string[] }
  /** How many of all specs are done, when that changes. */
  | { readonly event: "progress"; readonly done: number; readonly total: number }
  /** What the agent consumed so far. */
  | ({ readonly event: "usage"; readonly spec_id: SpecId } & Usage)
  /** The agent was not allowed to do `what`. */
  | { readonly event: "denied"; readonly spec_id: SpecId; readonly what: string }
  /** The one setting that would have allowed what may be allowed of it. */
  | { readonly event: "allow"; readonly spec_id: SpecId; readonly line: string }
  | ({ readonly event: "ended" } & RunResult)
  /** Never started; the spec is as it was. */
  | { readonly event: "refused"; readonly spec_id: SpecId; readonly reason: string };

export interface RunPlace {
  /** Null when the agent works in the project itself. */
  readonly worktree: Worktree | null;
  /** Absolute path of the project that the agent sees. */
  readonly root: string;
  /** A port that was free when the run began, or null if none was requested. */
  readonly port: number | null;
  /** Without a worktree: the commits that named the spec before the run. */
  readonly knownCommits: ReadonlySet<string>;
  /** Without a worktree: the commit that was checked out before the run; null without one. */
  readonly base: string | null;
  /** What the prompt says of an earlier run whose work is there; null for a first run. */
  readonly earlier: string | null;
}

/** What every program about a spec runs with: an agent, a setup, commands and checks. */
export interface Job {
  readonly id: SpecId;
  readonly processId: string;
  /** The project's. */
  readonly config: PlannerConfig;
  readonly log: RunLog;
  readonly stop: StopWishes;
}

export interface PlacedJob extends Job {
  readonly place: RunPlace;
}

/** What the checks before a run chose. */
export interface RunChoice {
  readonly spec: Spec;
  readonly config: PlannerConfig;
  readonly provider: Provider;
  /** The agent's own session to continue or to begin; null if the agent names a new one itself. */
  readonly session: AgentSession | null;
}

/** A run that has passed all checks before its start and holds its spec. */
export interface ClaimedRun extends RunChoice {
  readonly processId: string;
  readonly claim: Claim;
  /** Notes about the claim that other clones see. */
  readonly notes: readonly string[];
  readonly wishes: RunWishes;
}

/** An agent's job. */
export interface AgentJob extends PlacedJob, RunChoice {}

/** A run in its place, as the phases after `worktree` see it. */
export interface PlacedRun extends AgentJob, Pick<ClaimedRun, "wishes"> {
  /** The project's text of the spec when the run began. */
  readonly before: string;
}
