import { isStale, type SeenClaim, type SteadyTime, seenForMs } from "./claim_looks.ts";
import { KEPT_BY_HAND } from "./claim_text.ts";
import type { OwnClaim } from "./own_claim.ts";

/** What is known of one spec's claim after a look. */
export interface ClaimFacts {
  readonly remote: string;
  /** This clone's own name. */
  readonly clone: string;
  /** The claim at the remote, or null. */
  readonly seen: SeenClaim | null;
  readonly own: OwnClaim | null;
  /** Whether the remote's main branch has the spec as done. */
  readonly inMain: boolean;
  /** Whether a person takes the claim from any holder. */
  readonly steal: boolean;
  readonly now: SteadyTime;
  readonly renewMs: number;
}

export type ClaimDecision =
  /** Replace the commit `base`, or make the first one if it is null. `from` names who loses the claim, or is null. */
  | { readonly kind: "take"; readonly base: string | null; readonly from: string | null }
  /** It is this clone's and `done` already. */
  | { readonly kind: "keep" }
  | { readonly kind: "refuse"; readonly reason: string };

/** Decides whether this clone may begin to work on a spec. */
export function decideTake(facts: ClaimFacts): ClaimDecision {
  const { seen, inMain, remote, steal } = facts;
  if (inMain) return refuse(`it is done in the main branch of "${remote}": pull`);
  if (seen === null) return take(null);
  if (isOwn(facts)) return take(seen.oid);
  const free = steal || isStale(seen, facts.now, facts.renewMs);
  return free ? { ...take(seen.oid), from: holderText(facts) } : refuse(othersText(facts));
}

/** Decides whether this clone may merge a spec, which is what `done` is for. */
export function decideFinish(facts: ClaimFacts): ClaimDecision {
  const { seen, own, inMain, remote, steal } = facts;
  if (seen !== null && isOwn(facts)) {
    const isDone = seen.text?.state === "done" || own?.state === "done";
    const isKept = (seen.text?.process ?? own?.process) === KEPT_BY_HAND;
    return isDone && !isKept ? { kind: "keep" } : take(seen.oid);
  }
  if (seen !== null) return steal ? { ...take(seen.oid), from: holderText(facts) } : refuse(othersText(facts));
  // A `done` of this clone's goes once the remote's main branch has the completed spec, however the work is merged.
  if (inMain && own?.state === "done") return { kind: "keep" };
  if (inMain && !steal) return refuse(`it is done in the main branch of "${remote}" by another clone: pull`);
  return take(null);
}

function take(base: string | null) {
  return { kind: "take", base, from: null } as const;
}

function refuse(reason: string) {
  return { kind: "refuse", reason } as const;
}

function isOwn({ seen, own, clone }: ClaimFacts): boolean {
  if (own?.state != null && own.base === seen?.oid) return true;
  return seen?.text?.clone === clone;
}

/** Says who has the claim in place of this clone, and for how long this clone has seen it. */
export function othersText(facts: Pick<ClaimFacts, "remote" | "seen" | "now">): string {
  const { seen, now, remote } = facts;
  if (seen === null) return `nobody holds its claim at "${remote}" any more`;
  const age = ageText(seenForMs(seen, now));
  if (isKeptByHand(seen)) return `${holderText(facts)} has taken it over in another clone and works on it by hand`;
  if (seen.text?.state === "done") return `finished by ${holderText(facts)}, not yet in your main branch: pull`;
  return `${holderText(facts)} is working on it in another clone (seen unchanged for ${age}, by "${remote}")`;
}

/** Whether a person took the work over, which does not make it finished. */
export function isKeptByHand({ text }: SeenClaim): boolean {
  return text?.process === KEPT_BY_HAND;
}

export function holderText({ seen }: Pick<ClaimFacts, "seen">): string {
  return seen?.text?.by ?? "somebody";
}

/** Writes a time that has passed, in the largest unit that says it. */
export function ageText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
