import type { SpecId } from "../../spec/spec_id.ts";

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
  const plain = encodeURIComponent(id.toWellFormed()).replace(/[!'()*~]/g, encoded);
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

function encoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
