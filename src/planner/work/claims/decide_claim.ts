import { getUnchangedMs, isStaleClaim, type MonotonicTime, type SeenClaim } from "./claim_looks.ts";
import { KEPT_BY_HAND } from "./claim_text.ts";
import type { StoredOwnClaim } from "./own_claim.ts";

/** Facts about one spec's claim after querying the remote. */
export interface ClaimFacts {
  readonly remote: string;
  /** Random id of this clone. */
  readonly clone: string;
  /** The claim at the remote; null without one. */
  readonly seen: SeenClaim | null;
  readonly own: StoredOwnClaim | null;
  /** Whether the spec is done in the remote's main branch. */
  readonly isInMain: boolean;
  /** Whether a person wants to take the claim from any holder. */
  readonly steal: boolean;
  readonly now: MonotonicTime;
  readonly renewMs: number;
}

export type ClaimDecision =
  /** Replace the commit `base`, or create the first if null. `from` names the holder that loses the claim, or null. */
  | { readonly kind: "take"; readonly base: string | null; readonly from: string | null }
  /** This clone already has the claim as `done`. */
  | { readonly kind: "keep" }
  | { readonly kind: "refuse"; readonly reason: string };

/** Decides whether this clone may begin to work on a spec. */
export function decideClaimTaking(facts: ClaimFacts): ClaimDecision {
  const { seen, isInMain, remote, steal } = facts;
  if (isInMain) return buildRefusalDecision(`it is done in the main branch of "${remote}": pull`);
  if (seen === null) return buildTakeDecision(null);
  if (isOwnClaim(facts)) return buildTakeDecision(seen.oid);
  return decideTakeover(facts, seen, steal || isStaleClaim(seen, facts.now, facts.renewMs));
}

/** Decides whether this clone may merge a spec, for which it needs a `done` claim. */
export function decideClaimFinish(facts: ClaimFacts): ClaimDecision {
  const { seen, own, isInMain, remote, steal } = facts;
  if (seen !== null && isOwnClaim(facts)) {
    const isDone = seen.text?.state === "done" || own?.state === "done";
    const isKept = (seen.text?.process ?? own?.process) === KEPT_BY_HAND;
    return isDone && !isKept ? { kind: "keep" } : buildTakeDecision(seen.oid);
  }
  if (seen !== null) return decideTakeover(facts, seen, steal);
  // This clone's `done` claim is deleted once the remote's main branch has the completed spec, however the work is
  // merged.
  if (isInMain && own?.state === "done") return { kind: "keep" };
  if (isInMain && !steal)
    return buildRefusalDecision(`it is done in the main branch of "${remote}" by another clone: pull`);
  return buildTakeDecision(null);
}

/** Decides about a claim of another clone: takes it if it is free, otherwise names its holder. */
function decideTakeover(facts: ClaimFacts, { oid }: SeenClaim, isFree: boolean): ClaimDecision {
  if (!isFree) return buildRefusalDecision(describeOtherHolder(facts));
  return { ...buildTakeDecision(oid), from: describeHolder(facts) };
}

function buildTakeDecision(base: string | null) {
  return { kind: "take", base, from: null } as const;
}

function buildRefusalDecision(reason: string) {
  return { kind: "refuse", reason } as const;
}

function isOwnClaim({ seen, own, clone }: ClaimFacts): boolean {
  if (own?.state != null && own.base === seen?.oid) return true;
  return seen?.text?.clone === clone;
}

/** Returns a clause that names the holder of another clone's claim and the claim's state. */
export function describeOtherHolder(facts: Pick<ClaimFacts, "remote" | "seen" | "now">): string {
  const { seen, now, remote } = facts;
  if (seen === null) return `nobody holds its claim at "${remote}" any more`;
  const age = formatDuration(getUnchangedMs(seen, now));
  if (isKeptByHand(seen)) return `${describeHolder(facts)} has taken it over in another clone and works on it by hand`;
  if (seen.text?.state === "done") return `finished by ${describeHolder(facts)}, not yet in your main branch: pull`;
  return `${describeHolder(facts)} is working on it in another clone (seen unchanged for ${age}, by "${remote}")`;
}

/** Whether a person took over the work. The claim is `done` then, although the work is unfinished. */
export function isKeptByHand({ text }: SeenClaim): boolean {
  return text?.process === KEPT_BY_HAND;
}

export function describeHolder({ seen }: Pick<ClaimFacts, "seen">): string {
  return seen?.text?.by ?? "somebody";
}

/** Formats a duration in seconds below 2 minutes, in minutes below 2 hours, and in hours above. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
