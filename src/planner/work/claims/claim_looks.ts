import type { SpecId } from "../../spec/spec_id.ts";
import type { ClaimText } from "./claim_text.ts";

/** A moment of the machine's clock that no person sets and that goes on while the machine sleeps. */
export interface SteadyTime {
  /** Differs after each start of the machine, with which the clock begins anew. */
  readonly boot: string;
  readonly ms: number;
}

/** A commit seen at the remote, and when this clone saw it first. */
export interface SeenClaim {
  readonly oid: string;
  readonly since: SteadyTime;
  /** Null as long as it could not be read. */
  readonly text: ClaimText | null;
}

export type SeenClaims = ReadonlyMap<SpecId, SeenClaim>;

/** Adds a look: what is unchanged keeps the time of the first look, unless the machine was started since. */
export function addLook(
  before: SeenClaims,
  look: ReadonlyMap<SpecId, string>,
  { now, texts }: { readonly now: SteadyTime; readonly texts: ReadonlyMap<string, ClaimText> },
): SeenClaims {
  return new Map(
    [...look].map(([id, oid]) => {
      const known = before.get(id);
      const same = known?.oid === oid;
      const since = same && known.since.boot === now.boot ? known.since : now;
      return [id, { oid, since, text: texts.get(oid) ?? (same ? known.text : null) }];
    }),
  );
}

/** How long this clone has seen the claim unchanged, in milliseconds. */
export function seenForMs({ since }: SeenClaim, now: SteadyTime): number {
  return since.boot === now.boot ? Math.max(0, now.ms - since.ms) : 0;
}

/** Share of the time between two renewals after which a claim that did not change is stale: 15 minutes of 4. */
const STALE_AFTER_RENEWALS = 3.75;

/** Whether no process renews the claim. One that says `done`, or that could not be read, is never stale. */
export function isStale(seen: SeenClaim, now: SteadyTime, renewMs: number): boolean {
  return seen.text?.state === "held" && seenForMs(seen, now) >= renewMs * STALE_AFTER_RENEWALS;
}
