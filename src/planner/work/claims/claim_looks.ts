import type { SpecId } from "../../spec/spec_id.ts";
import type { ClaimContent } from "./claim_text.ts";

/** A time of the machine's monotonic clock, which no person sets and which continues while the machine sleeps. */
export interface MonotonicTime {
  /** Id of the machine's start; the clock begins anew with each start. */
  readonly boot: string;
  readonly ms: number;
}

/** A claim's commit at the remote, and when this clone first saw it. */
export interface SeenClaim {
  readonly oid: string;
  readonly since: MonotonicTime;
  /** Content of the commit; null while it could not be read. */
  readonly text: ClaimContent | null;
}

export type SeenClaims = ReadonlyMap<SpecId, SeenClaim>;

/** Returns the queried claims. An unchanged claim keeps the time it was first seen, unless the machine restarted. */
export function updateSeenClaims(
  before: SeenClaims,
  queriedClaims: ReadonlyMap<SpecId, string>,
  { now, texts }: { readonly now: MonotonicTime; readonly texts: ReadonlyMap<string, ClaimContent> },
): SeenClaims {
  return new Map(
    [...queriedClaims].map(([id, oid]) => {
      const known = before.get(id);
      const same = known?.oid === oid;
      const since = same && known.since.boot === now.boot ? known.since : now;
      return [id, { oid, since, text: texts.get(oid) ?? (same ? known.text : null) }];
    }),
  );
}

/** Returns for how many milliseconds this clone has seen the claim unchanged. */
export function getUnchangedMs({ since }: SeenClaim, now: MonotonicTime): number {
  return since.boot === now.boot ? Math.max(0, now.ms - since.ms) : 0;
}

/** Number of renewal intervals after which an unchanged claim is stale: 15 minutes at an interval of 4 minutes. */
const STALE_AFTER_RENEWALS = 3.75;

/** Whether no process renews the claim any more. A claim that is `done`, or that could not be read, is never stale. */
export function isStaleClaim(seen: SeenClaim, now: MonotonicTime, renewMs: number): boolean {
  return seen.text?.state === "held" && getUnchangedMs(seen, now) >= renewMs * STALE_AFTER_RENEWALS;
}
