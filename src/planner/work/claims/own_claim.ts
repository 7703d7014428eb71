import type { ClaimState } from "./claim_text.ts";

/** A pushed change of a claim whose result is not known. An empty `oid` means a deletion. */
export interface PendingClaimChange {
  readonly oid: string;
  readonly state: ClaimState | "released";
}

/** Stored state of this clone's claim on one spec. */
export interface StoredOwnClaim {
  /** Commit that the next change replaces; null if no claim may exist at the remote. */
  readonly base: string | null;
  /** State of the claim in `base`; null if that claim is not this clone's. */
  readonly state: ClaimState | null;
  /** Id of the run or merge that made the claim. */
  readonly process: string;
  /** Every change that the server may have made or may still make. */
  readonly tried: readonly PendingClaimChange[];
  /** Time of the server's last confirmation, in milliseconds of the machine's clock. */
  readonly confirmedMs: number;
  /** Whether the run has ended, so that the claim is released once the remote can be reached. */
  readonly ended: boolean;
  /** Clause that names the holder that replaced this clone; null while none is known. */
  readonly lostTo: string | null;
}

/** State of this clone's claim after comparison with the remote. */
export type SettledClaim =
  /** The claim is this clone's, through one of the tried changes or as before. */
  | { readonly kind: "own"; readonly claim: StoredOwnClaim }
  /** The server has made no change; earlier changes may still arrive. */
  | { readonly kind: "unchanged" }
  /** `push --mirror` or a person deleted this clone's remote claim. It may be taken again while no other exists. */
  | { readonly kind: "vanished" }
  | { readonly kind: "released" }
  /** The remote has a commit of another claim. */
  | { readonly kind: "lost" };

/** Compares the tried changes with `seen`, the claim's commit at the remote, or null without a claim. */
export function settleOwnClaim(own: StoredOwnClaim, seen: string | null, nowMs: number): SettledClaim {
  const appliedChange = own.tried.find(({ oid }) => oid === (seen ?? ""));
  if (appliedChange !== undefined) {
    const claim = applyClaimChange(own, appliedChange, nowMs);
    return claim === null ? { kind: "released" } : { kind: "own", claim };
  }
  if (seen === own.base)
    return own.state === null || own.tried.length > 0 ? { kind: "unchanged" } : { kind: "own", claim: own };
  if (seen === null) return own.state === null ? { kind: "unchanged" } : { kind: "vanished" };
  return { kind: "lost" };
}

/**
 * Returns the claim before a change for `process`. Keeps the changes tried before, because the server may still make
 * them.
 *
 * @param base the commit to replace, or null
 */
export function beginClaimChange(own: StoredOwnClaim | null, base: string | null, process: string): StoredOwnClaim {
  const state = own !== null && own.base === base ? own.state : null;
  return {
    base,
    state,
    process,
    tried: own?.tried ?? [],
    confirmedMs: own?.confirmedMs ?? 0,
    ended: false,
    lostTo: null,
  };
}

/** Returns the claim after the server has made a change; null if it was released. */
export function applyClaimChange(
  own: StoredOwnClaim,
  { oid, state }: PendingClaimChange,
  nowMs: number,
): StoredOwnClaim | null {
  if (state === "released") return null;
  return { ...own, base: oid, state, tried: [], confirmedMs: nowMs, lostTo: null };
}
