import type { DcReader } from "#dc/ports.ts";
import { type ChainVerdict, verifyChain } from "./chain.ts";

/** Entries looked at per page. Ours: bounds memory on a log of millions. */
const PAGE = 1000;

/** Walks the whole change log of one snapshot. Cost: O(entries), one page in memory at a time. */
export async function verifyLog(reader: DcReader): Promise<ChainVerdict> {
  const end = await reader.chainHead();
  let verdict: ChainVerdict = { ok: true, head: { seq: 0, hash: "" } };
  while (verdict.ok && verdict.head.seq < end.seq) {
    const page = await reader.history({ descending: false, after: verdict.head.seq, limit: PAGE });
    if (page.length === 0) return { ok: false, seq: verdict.head.seq + 1, problem: "missing" };
    verdict = verifyChain(page, verdict.head);
  }
  return verdict;
}
