import type { SpecId } from "../../spec/spec_id.ts";
import type { CommitWriter } from "../commit_message.ts";

/** `held`: a run is under way. `done`: the spec is finished there, and only that clone merges it. */
export type ClaimState = "held" | "done";

/** What the commit of a claim says. No host name, no time: other clones need neither. */
export interface ClaimText {
  readonly spec: string;
  readonly state: ClaimState;
  /** The name that git commits with there. */
  readonly by: string;
  /** Random name of the clone. */
  readonly clone: string;
  /** The run or merge that it is for, or `KEPT_BY_HAND`. */
  readonly process: string;
  /** 128 random bits: two clones never write the same commit. */
  readonly nonce: string;
}

/** Process of a `done` claim whose spec is not finished: a person took the work over, and nothing renews the claim. */
export const KEPT_BY_HAND = "by hand";

const FIELDS = ["spec", "state", "by", "clone", "process", "nonce"] as const;

/** Longest field that is kept of another's claim, in characters. Ours: a name and an id are shorter. */
const MAX_FIELD = 120;

/** Returns the message of a claim's commit, in the form of the project's commits. */
export function writeClaim(message: CommitWriter, claim: ClaimText & { readonly spec: SpecId }): string {
  const lines = FIELDS.map((name) => `${name}: ${cleanText(claim[name])}`);
  return `${message(`claim ${claim.spec}`).trimEnd()}\n\n${lines.join("\n")}\n`;
}

/** Reads the message of a claim's commit, of any writer. Returns null for another message. */
export function readClaimText(message: string): ClaimText | null {
  const found = new Map<string, string>();
  // The last line of each name counts: a project's form of messages may hold such words before.
  for (const line of message.split("\n")) {
    const [, name = "", value = ""] = /^([a-z]+): (.*)$/.exec(line) ?? [];
    if (name !== "") found.set(name, cleanText(value));
  }
  const [spec, state, by, clone, process, nonce] = FIELDS.map((name) => found.get(name) ?? "");
  if (!spec || !clone || (state !== "held" && state !== "done")) return null;
  return { spec, state, by: by || "somebody", clone, process: process ?? "", nonce: nonce ?? "" };
}

/** Text of others goes to terminals: without control characters, and those that turn the direction of writing. */
function cleanText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .slice(0, MAX_FIELD)
    .toWellFormed();
}

export const CLAIM_REFS = "refs/planner/claims/";

/** Begins the last part of the names by which a server is tried. No claim of a spec begins like this. */
const PROBE = "probe.";

/** The ref that is written, seen and deleted once, to try whether the server has claims. */
export function probeRef(random: string): string {
  return `${CLAIM_REFS}${PROBE}${random}`;
}

/**
 * Returns the ref of a spec's claim. Encodes what git refuses in a ref as `%` and two hexadecimal digits, and a dot
 * wherever it could make a name that is refused or that of a probe.
 */
export function claimRef(id: SpecId): string {
  return CLAIM_REFS + specName(id);
}

/** Returns the last part of a ref that is about a spec. */
export function specName(id: SpecId): string {
  const plain = encodeURIComponent(id.toWellFormed()).replace(/[!'()*~]/g, encodeCharacter);
  const dotted = plain.replace(/^\.|\.(?=\.)|\.$|\.(?=lock$)/g, "%2E");
  return dotted.startsWith(PROBE) ? dotted.replace(".", "%2E") : dotted;
}

/** Returns the spec of a claim's ref; null for a probe, and for a name that planner does not write. */
export function claimedSpec(ref: string): SpecId | null {
  return ref.startsWith(CLAIM_REFS) ? specOfName(ref.slice(CLAIM_REFS.length)) : null;
}

/** Returns the spec of such a part; null for one that planner does not write. */
export function specOfName(name: string): SpecId | null {
  try {
    const id = decodeURIComponent(name) as SpecId;
    return specName(id) === name ? id : null;
  } catch {
    return null;
  }
}

function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
