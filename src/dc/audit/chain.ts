import { createHash } from "node:crypto";
import { canonicalJson, inKeyOrder } from "#dc/model/canonical_json.ts";
import type { ChangeDraft, ChangeRecord } from "#dc/model/change_record.ts";
import type { ChainHead } from "#dc/ports.ts";

/** Bound into every hash, so that entries of another layout never verify as these. */
const LAYOUT = "audit-v1";

/** Gives a change its place at the end of the chain. Source: docs/contract/datacenter-analyses.md#audit-chain. */
export function seal(head: ChainHead, draft: ChangeDraft): ChangeRecord {
  const placed = inKeyOrder({ ...draft, seq: head.seq + 1, prevHash: head.hash, hash: "" });
  return { ...placed, hash: hashOf(placed) };
}

/** SHA-256 in hexadecimal over layout, the hash before, and the entry without its own two hashes. */
function hashOf(record: ChangeRecord): string {
  const entry = { ...record, prevHash: undefined, hash: undefined };
  return createHash("sha256")
    .update(`${LAYOUT}${record.prevHash}${canonicalJson(entry)}`)
    .digest("hex");
}

/** What a walk along the chain found: where it got to, or the first entry that does not fit. */
export type ChainVerdict =
  | { readonly ok: true; readonly head: ChainHead }
  | { readonly ok: false; readonly seq: number; readonly problem: "missing" | "altered" | "unlinked" };

/**
 * Checks that `records`, in order, continue the chain from `from` without a gap, a changed entry or a changed link.
 * Cost: one hash per entry.
 */
export function verifyChain(records: readonly ChangeRecord[], from: ChainHead = { seq: 0, hash: "" }): ChainVerdict {
  let head = from;
  for (const record of records) {
    const { hash } = record;
    if (record.seq !== head.seq + 1) return { ok: false, seq: head.seq + 1, problem: "missing" };
    if (record.prevHash !== head.hash) return { ok: false, seq: record.seq, problem: "unlinked" };
    if (hash !== hashOf(record)) return { ok: false, seq: record.seq, problem: "altered" };
    head = { seq: record.seq, hash };
  }
  return { ok: true, head };
}
