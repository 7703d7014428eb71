import type { ProcessRecord } from "../ports.ts";
import type { SpecId } from "../spec/spec_id.ts";
import type { Usage } from "../work/usage.ts";

/** An operating-system process, identified by its number and start time, because numbers are reused. */
export interface ProcessMark {
  readonly pid: number;
  /** Start time in the system's own format; null on systems that do not provide it. */
  readonly began: string | null;
}

/** Content of `.planner/locks/<id>.lock`. */
export interface ClaimHolder {
  readonly pid: number;
  readonly host: string;
  /** Start time of the holder's process, in ISO 8601 UTC. */
  readonly started_at: string;
  readonly heartbeat: string;
  /** Id of the run, or null in a lock that another program wrote. */
  readonly process_id: string | null;
  /** Leader of the process group of the agent that the holder started last; null before the first agent. */
  readonly agent: ProcessMark | null;
  /** False for a stale claim, which the next claimant may take over. */
  readonly alive: boolean;
}

export type ClaimResult =
  /**
   * Success. `tookOver` is the dead holder of a claim that was never released, whose agent may still run (see
   * `AgentLauncher.endRun`); null if the spec was unclaimed.
   */
  { readonly claim: Claim; readonly tookOver: ClaimHolder | null } | { readonly heldBy: ClaimHolder };

/** Options for taking the shared claim of a spec, which other clones see at the remote. */
export interface SharedClaimOptions {
  /** Whether to take the claim even if another clone holds it. */
  readonly steal: boolean;
  /** Whether to skip all requests to the remote. */
  readonly offline: boolean;
}

export type SharedClaimResult =
  /** This clone holds the claim. `notes` are sentences for a person. */
  | { readonly kind: "own"; readonly notes: readonly string[] }
  /** Another clone holds the claim or has finished the spec. `reason` is a clause that names that clone. */
  | { readonly kind: "lost"; readonly reason: string }
  /** The remote did not answer. `reason` is a clause that says why. */
  | { readonly kind: "unknown"; readonly reason: string };

export interface OtherCloneClaim {
  readonly id: SpecId;
  /** `done`: the other clone finished the spec; the remote's main branch is not yet known to contain the work. */
  readonly state: "held" | "done";
  /** Git committer name of the other clone, without control characters. */
  readonly by: string;
  /** Milliseconds since this clone first saw the claim in its present state. */
  readonly seenForMs: number;
}

/** A problem that keeps shared claims from protecting specs. */
export interface SharedClaimProblem {
  readonly message: string;
  /** What a person can do; null if the repair suffices. */
  readonly advice: string | null;
  /** Repairs the problem, as `ProjectProblem.repair` does. */
  readonly repair?: () => Promise<string | null>;
}

/**
 * Claims of specs. At most one process works on a spec at a time; one process may claim any number of specs. A claim on
 * this machine is stale if its process has ended, a claim of another machine if its heartbeat is older than
 * `HEARTBEAT_LIMIT_MS`. Only stale claims are taken over. Source: docs/decisions.md#s-23; docs/claims.md for claims
 * that other clones see.
 */
export interface SpecClaims {
  /** Claims a spec, without waiting for another holder. @param processId id of the run */
  claim(id: SpecId, processId: string): Promise<ClaimResult>;
  readHolder(id: SpecId): Promise<ClaimHolder | null>;
  /** Ids of all claims, including stale ones, sorted. */
  listIds(): Promise<readonly SpecId[]>;
  /** Lists claims of other clones, if the settings name a remote. Cost: at most one request to it in 30 seconds. */
  listOtherClaims(): Promise<readonly OtherCloneClaim[]>;
  /** Finds problems of claims that other clones see; `contact` queries the remote too, as `share` does. */
  findProblems(contact: boolean): Promise<readonly SharedClaimProblem[]>;
  /**
   * Changes the shared claim of a spec, if the settings name a remote, for a person who works by hand.
   *
   * - `finish`: makes the claim final as `Claim.finish` does, before the spec is completed
   * - `keep`: holds the claim without renewals, and no clone treats it as stale
   * - `give up`: releases the claim, so that any clone may begin the spec
   *
   * Call it while no process works on the spec.
   */
  changeByHand(id: SpecId, deed: "finish" | "keep" | "give up", wishes: SharedClaimOptions): Promise<SharedClaimResult>;
  /** Removes a stale claim and returns its holder; null if there is no claim or its holder is alive. */
  clearStale(id: SpecId): Promise<ClaimHolder | null>;
}

/** A claim of this process. Its heartbeat is renewed automatically while the process runs. */
export interface Claim {
  readonly id: SpecId;
  /** Writes the heartbeat now. Returns false if the claim was lost; the caller must then stop its work. */
  renew(): Promise<boolean>;
  /** Records the agent's process, so a later process can end it if this one is killed; false if the claim was lost. */
  recordAgent(agent: ProcessMark): Promise<boolean>;
  /** Takes the shared claim too, if the settings name a remote. Call it before a run, after leftovers were ended. */
  share(wishes: SharedClaimOptions): Promise<SharedClaimResult>;
  /** Aborted once another clone holds the shared claim; the abort reason is a clause that names that clone. */
  readonly lost: AbortSignal;
  /** Makes the shared claim final before completion or merge. Afterwards no other clone begins or merges the spec. */
  finish(wishes: SharedClaimOptions): Promise<SharedClaimResult>;
  /** Releases the claim, and the shared one unless final. Leaves another process's claim unchanged. Idempotent. */
  release(): Promise<void>;
}

export interface AgentStartOptions {
  /** Program and arguments, run without a shell. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Changes to this process's environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Text for its standard input, which is then closed; empty input if absent. */
  readonly input?: string;
  /** Id of the run, by which `endRun` finds the agent's processes. */
  readonly processId: string;
  /** Whether `stop` leaves other programs of the same run running. */
  readonly alone?: boolean;
}

export interface AgentLauncher {
  /** Returns false if a program's name is not on PATH. @param env variables in addition to planner's environment */
  isInstalled(program: string, env: Readonly<Record<string, string>>): boolean;
  /** Reads an installed program's version from files around it, without running it; null if they contain none. */
  findVersion(program: string, env: Readonly<Record<string, string>>): Promise<string | null>;
  /** Returns a random UUID, for agents that require a session id from their caller. */
  createSessionId(): string;
  /**
   * Starts a program in a new process group.
   *
   * @throws OperationError `failed_precondition` if it cannot be started, for example if it does not exist
   */
  start(start: AgentStartOptions): Promise<AgentProcess>;
  /**
   * Ends the processes that a killed planner process left of a run: the agent's process group and, on Linux, every
   * process with the run's id in its environment. A process that reuses the agent's number is not affected.
   *
   * @returns the number of processes found
   */
  endRun(run: { readonly processId: string; readonly agent: ProcessMark | null }, graceMs: number): Promise<number>;
}

export interface AgentProcess {
  readonly mark: ProcessMark;
  /** Standard output of the agent. Read both streams to their ends: a slow reader blocks the agent. */
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Secret values in the agent's environment, which must not appear in anything stored; see work/secrets.ts. */
  readonly secrets: readonly string[];
  /** Processor milliseconds of the agent and all processes that it started; null on systems without this figure. */
  cpuMs(): number | null;
  /** Resolves when the process itself ends. Its children may run on and hold streams open until `stop` ends them. */
  readonly exited: Promise<AgentExit>;
  /**
   * Ends the agent and every process that it started: sends SIGTERM, and SIGKILL after `graceMs` milliseconds. Resolves
   * when all have ended. Call it also after the agent exited by itself. A second call with a shorter grace period
   * replaces the first.
   */
  stop(graceMs: number): Promise<void>;
}

/** How a process ended: exactly one of the exit code and the signal is null. */
export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
}

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
