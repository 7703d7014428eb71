import type { SpecId } from "../../spec/spec_id.ts";
import type { CommitWriter } from "../commit_message.ts";

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
type SettledClaim =
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

/** `held`: a run is in progress. `done`: the holder's clone has finished the spec, and only that clone may merge it. */
export type ClaimState = "held" | "done";

/** Content of a claim's commit. Omits host name and time, because other clones need neither. */
export interface ClaimContent {
  readonly spec: string;
  readonly state: ClaimState;
  /** Git committer name of the claiming clone. */
  readonly by: string;
  /** Random id of the claiming clone. */
  readonly clone: string;
  /** Id of the run or merge that made the claim, or `KEPT_BY_HAND`. */
  readonly process: string;
  /** 128 random bits, so that two clones never write the same commit. */
  readonly nonce: string;
}

/** `process` of a claim whose work a person took over. Its state is `done` although the spec is unfinished. */
export const KEPT_BY_HAND = "by hand";

const CLAIM_FIELDS = ["spec", "state", "by", "clone", "process", "nonce"] as const;

/** Maximum length of a field in another clone's claim, in characters. Chosen by planner: names and ids are shorter. */
const MAX_FIELD_CHARS = 120;

/** Returns the message of a claim's commit, in the project's format of commit messages. */
export function formatClaim(writeMessage: CommitWriter, claim: ClaimContent & { readonly spec: SpecId }): string {
  const lines = CLAIM_FIELDS.map((name) => `${name}: ${removeUnsafeCharacters(claim[name])}`);
  return `${writeMessage(`claim ${claim.spec}`).trimEnd()}\n\n${lines.join("\n")}\n`;
}

/** Parses the message of a claim's commit, of any writer. Returns null for any other message. */
export function parseClaim(message: string): ClaimContent | null {
  const values = new Map<string, string>();
  // The last line of each name counts, because the project's message format may contain the same words earlier.
  for (const line of message.split("\n")) {
    const [, name = "", value = ""] = /^([a-z]+): (.*)$/.exec(line) ?? [];
    if (name !== "") values.set(name, removeUnsafeCharacters(value));
  }
  const [spec, state, by, clone, process, nonce] = CLAIM_FIELDS.map((name) => values.get(name) ?? "");
  if (!spec || !clone || (state !== "held" && state !== "done")) return null;
  return { spec, state, by: by || "somebody", clone, process: process ?? "", nonce: nonce ?? "" };
}

/** Removes control characters and marks of writing direction, because terminals print the text of other clones. */
function removeUnsafeCharacters(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .slice(0, MAX_FIELD_CHARS)
    .toWellFormed();
}

export const CLAIM_REF_PREFIX = "refs/planner/claims/";

/** Prefix of the ref names by which planner tests a server. No claim of a spec has this prefix. */
const PROBE_PREFIX = "probe.";

/** Returns the ref that is written, read and deleted once, to test whether the server supports claims. */
export function buildProbeRef(random: string): string {
  return `${CLAIM_REF_PREFIX}${PROBE_PREFIX}${random}`;
}

/**
 * Returns the ref of a spec's claim. Encodes characters that git rejects in a ref as `%` and two hexadecimal digits.
 * Also encodes a dot that would make the name invalid or equal to the name of a probe.
 */
export function buildClaimRef(id: SpecId): string {
  return CLAIM_REF_PREFIX + encodeSpecId(id);
}

/** Returns the last part of the name of a ref about a spec. */
export function encodeSpecId(id: SpecId): string {
  const plain = encodeURIComponent(id.toWellFormed()).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const dotted = plain.replace(/^\.|\.(?=\.)|\.$|\.(?=lock$)/g, "%2E");
  return dotted.startsWith(PROBE_PREFIX) ? dotted.replace(".", "%2E") : dotted;
}

/** Returns the spec of a claim's ref; null for a probe, and for a name that planner does not write. */
export function parseClaimRef(ref: string): SpecId | null {
  return ref.startsWith(CLAIM_REF_PREFIX) ? decodeSpecId(ref.slice(CLAIM_REF_PREFIX.length)) : null;
}

/** Returns the spec of the last part of a ref; null for a name that planner does not write. */
export function decodeSpecId(name: string): SpecId | null {
  try {
    const id = decodeURIComponent(name) as SpecId;
    return encodeSpecId(id) === name ? id : null;
  } catch {
    return null;
  }
}
