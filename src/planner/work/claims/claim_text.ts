import type { SpecId } from "../../spec/spec_id.ts";
import type { CommitWriter } from "../commit_message.ts";

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
  const plain = encodeURIComponent(id.toWellFormed()).replace(/[!'()*~]/g, encodeCharacter);
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

function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
