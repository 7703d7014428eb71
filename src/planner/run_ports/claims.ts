import type { SpecId } from "#planner/spec/spec_id.ts";

/** An operating-system process, distinguished from a later one with the same number. */
export interface ProcessMark {
  readonly pid: number;
  /** Start time in the system's own format; null on systems that do not provide it. */
  readonly began: string | null;
}

/** Content of `.planner/locks/<id>.lock`. */
export interface ClaimHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601 UTC: start time of the holder's process. */
  readonly started_at: string;
  readonly heartbeat: string;
  /** Id of the run, or null in a lock that another program wrote. */
  readonly process_id: string | null;
  /** The agent that the holder started last, as its process group's leader; null before the first one. */
  readonly agent: ProcessMark | null;
  /** False for a stale claim, which the next claimant takes over. */
  readonly alive: boolean;
}

export type ClaimAnswer =
  /** `tookOver` is the dead holder of a claim that was never released; its agent may still run, see `Agents.endRun`. */
  { readonly claim: Claim; readonly tookOver: ClaimHolder | null } | { readonly heldBy: ClaimHolder };

/** How a person wants claims that other clones see to be taken. */
export interface SharedClaimWishes {
  /** Takes the claim from any holder. */
  readonly steal: boolean;
  /** Does not ask the remote. */
  readonly offline: boolean;
}

export type SharedAnswer =
  /** The claim is this clone's. `notes` are sentences for a person. */
  | { readonly kind: "own"; readonly notes: readonly string[] }
  /** Another clone has it, or has finished the spec: a clause that says who. */
  | { readonly kind: "lost"; readonly reason: string }
  /** The remote did not answer: why. */
  | { readonly kind: "unknown"; readonly reason: string };

export interface OtherClaim {
  readonly id: SpecId;
  /** `done`: finished there, and not yet known to be in the remote's main branch. */
  readonly state: "held" | "done";
  /** The name that git commits with there, without control characters. */
  readonly by: string;
  /** How long this clone has seen it unchanged. */
  readonly seenForMs: number;
}

/** Something that keeps shared claims from protecting specs. */
export interface SharedTrouble {
  readonly message: string;
  /** What a person can do; null if a repair does it. */
  readonly advice: string | null;
  /** As `Trouble.repair`. */
  readonly repair?: () => Promise<string | null>;
}

/**
 * Claims of specs: at most one process works on a spec at a time, and on any number of them. A claim is stale if its
 * process has ended (on this machine), or if its heartbeat is older than `HEARTBEAT_LIMIT_MS` (on another machine).
 * Only stale claims are taken over.
 *
 * Source: docs/decisions.md#s-23; docs/claims.md for claims that other clones see.
 */
export interface Claims {
  /** Claims a spec, without waiting for another holder. @param processId id of the run */
  claim(id: SpecId, processId: string): Promise<ClaimAnswer>;
  holder(id: SpecId): Promise<ClaimHolder | null>;
  /** Ids of all claims, including stale ones, sorted. */
  ids(): Promise<readonly SpecId[]>;
  /** Claims of other clones, if the settings name a remote. Cost: at most one look at the remote in 30 seconds. */
  others(): Promise<readonly OtherClaim[]>;
  /**
   * Finds what is wrong with claims that other clones see.
   *
   * @param contact whether to look at the remote too, as `share` does
   */
  examine(contact: boolean): Promise<readonly SharedTrouble[]>;
  /**
   * Changes the claim that other clones see, if the settings name a remote, for a person who works by hand.
   *
   * - `finish`: as `Claim.finish`, before the spec is completed
   * - `keep`: nothing renews the claim, and no clone takes it for stale
   * - `give up`: any clone may begin the spec
   *
   * Call it while no process works on the spec.
   */
  byHand(id: SpecId, deed: "finish" | "keep" | "give up", wishes: SharedClaimWishes): Promise<SharedAnswer>;
  /** Removes a stale claim and returns its holder; null without a claim or if the holder is alive. */
  clearStale(id: SpecId): Promise<ClaimHolder | null>;
}

/** A claim of this process. Its heartbeat is renewed automatically while the process runs. */
export interface Claim {
  readonly id: SpecId;
  /** Writes the heartbeat now; false if the claim was lost, and then the work must stop. */
  renew(): Promise<boolean>;
  /** Records the agent's process, so that a later process can end it if this one is killed. */
  noteAgent(agent: ProcessMark): Promise<boolean>;
  /** Takes the claim that other clones see too, if the settings name a remote. Before a run, with its leftovers ended. */
  share(wishes: SharedClaimWishes): Promise<SharedAnswer>;
  /** Aborted once another clone has the shared claim; the reason is a clause that names it. */
  readonly lost: AbortSignal;
  /** Makes the shared claim final, before the spec is completed or merged: no other clone begins it or merges it then. */
  finish(wishes: SharedClaimWishes): Promise<SharedAnswer>;
  /** Releases the claim, a shared one unless it is final; another process's claim is not affected. Idempotent. */
  release(): Promise<void>;
}
