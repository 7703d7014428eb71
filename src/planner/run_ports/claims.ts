import type { SpecId } from "#planner/spec/spec_id.ts";

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
