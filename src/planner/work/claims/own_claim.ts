import type { ClaimState } from "./claim_text.ts";

/** One change that was pushed and whose answer is not known. An empty `oid` is a deletion. */
export interface TriedChange {
  readonly oid: string;
  readonly state: ClaimState | "released";
}

/** What a clone knows about its own claim of one spec. */
export interface OwnClaim {
  /** The commit that the next change replaces; null if there must be none. */
  readonly base: string | null;
  /** State of `base`; null if it is not this clone's. */
  readonly state: ClaimState | null;
  /** The run or merge that it is for. */
  readonly process: string;
  /** Every change that may have happened or may yet happen. */
  readonly tried: readonly TriedChange[];
  /** When the server last confirmed it, in milliseconds of the machine's clock. */
  readonly confirmedMs: number;
  /** Whether the run is over: the claim is to be given up as soon as the remote can be reached. */
  readonly ended: boolean;
  /** Who has the claim in its place, once a look has shown it. */
  readonly lostTo: string | null;
}

/** What a look says about an own claim. */
export type Settled =
  /** The claim is this clone's, by `change` or as before. */
  | { readonly kind: "own"; readonly claim: OwnClaim }
  /** Nothing has happened; earlier changes may still come. */
  | { readonly kind: "unchanged" }
  /** It was this clone's, and is gone: `push --mirror`, or a person. It may be taken again if none is there. */
  | { readonly kind: "vanished" }
  | { readonly kind: "released" }
  /** Another commit is there. */
  | { readonly kind: "lost" };

/**
 * Compares what was tried with what a look shows.
 *
 * @param seen the commit at the remote, or null
 */
export function settle(own: OwnClaim, seen: string | null, nowMs: number): Settled {
  const hit = own.tried.find(({ oid }) => oid === (seen ?? ""));
  if (hit !== undefined) {
    const claim = changeClaim(own, hit, nowMs);
    return claim === null ? { kind: "released" } : { kind: "own", claim };
  }
  if (seen === own.base)
    return own.state === null || own.tried.length > 0 ? { kind: "unchanged" } : { kind: "own", claim: own };
  if (seen === null) return own.state === null ? { kind: "unchanged" } : { kind: "vanished" };
  return { kind: "lost" };
}

/**
 * Begins a change of a claim for `process`, and keeps what was tried before: it may still happen.
 *
 * @param base the commit to replace, or null
 */
export function beginChange(own: OwnClaim | null, base: string | null, process: string): OwnClaim {
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

/** The claim after the server has made a change. */
export function changeClaim(own: OwnClaim, { oid, state }: TriedChange, nowMs: number): OwnClaim | null {
  if (state === "released") return null;
  return { ...own, base: oid, state, tried: [], confirmedMs: nowMs, lostTo: null };
}
