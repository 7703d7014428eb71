import { setImmediate } from "node:timers/promises";
import type { ChangeRecord } from "#dc/model/change_record.ts";
import type { ChainHead, DcReader } from "#dc/ports.ts";
import { type LogBase, readArchiveBase } from "./archive.ts";
import { checkLogRow, createLogProblem, createTruncationProblem, type EntryHeader, type LogProblem } from "./chain.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { InclusionProof, type MerkleFrontier } from "./merkle.ts";
import { listExpectedRefs, ReferenceSums, visitReferences } from "./reference_sums.ts";
import { readSignedStates } from "./signed_end.ts";

/** Number of entries per page: a few milliseconds of work, and little memory even for millions of entries. */
const PAGE_SIZE = 250;

export type LogVerdict = VerifiedLog | LogProblem;

export interface VerifiedLog {
  readonly ok: true;
  readonly head: ChainHead;
  /** Seq of the last archived entry, after which the verification began; 0 for a whole log. */
  readonly since: number;
  /** Merkle root over the hashes of all entries. */
  readonly root: Buffer;
  /** Inclusion proof of the requested entry. */
  readonly proof?: EntryProof;
}

/** Proof that an entry is among the first `size` entries of the log. */
export interface EntryProof {
  readonly seq: number;
  readonly hash: string;
  readonly size: number;
  /** Hashes from the leaf's sibling up to the root. Source: RFC 6962, section 2.1.1. */
  readonly path: readonly Buffer[];
}

export interface LogChecks {
  /** Further checkpoints with verified signatures, beside the checkpoints in the database. The log must match them. */
  readonly checkpoints?: readonly Checkpoint[];
  /** Hash that one of the entries must have, as the caller recorded it earlier. */
  readonly expectedHead?: string;
  /** Seq of an entry to prove, and the size of the log for which the proof is made. */
  readonly prove?: { readonly seq: number; readonly size: number };
  /** Called with every verified entry, in order. */
  readonly onEntry?: (record: ChangeRecord) => void;
}

/**
 * Verifies the change log of one snapshot: every entry against its hash, its columns and the entry before; the number
 * of entries against the recorded head; the references by which entries are found; and checkpoints.
 * Cost: about 10 microseconds an entry, twice that in the first second; yields to the event loop after each page;
 * memory of one page.
 */
export async function verifyLog(reader: DcReader, checks: LogChecks = {}): Promise<LogVerdict> {
  const begun = await createLogWalk(reader, checks);
  if ("ok" in begun) return begun;
  const { walk, base } = begun;
  // The service writes no rows before the first entry, so any such row is a problem.
  for (let after = Number.MIN_SAFE_INTEGER; ; after = walk.head.seq) {
    const page = await reader.logRows(after, PAGE_SIZE);
    for (const row of page) {
      const checked = checkLogRow(row, walk.head);
      if (!checked.ok) return checked;
      const problem = walk.addEntry(checked.record, row.body);
      if (problem !== undefined) return problem;
    }
    if (page.length < PAGE_SIZE) break;
    await setImmediate();
  }
  const problem =
    findLogEndProblem(walk.head, await reader.chainHead()) ?? (await findReferenceProblem(reader, walk, base));
  return problem ?? walk.createVerdict();
}

async function createLogWalk(
  reader: DcReader,
  checks: LogChecks,
): Promise<{ readonly walk: LogWalk; readonly base: LogBase } | LogProblem> {
  const base = await readArchiveBase(reader);
  if (base === undefined)
    return createLogProblem(0, "checkpoint", "cannot be read, so the end of the archive is unknown");
  const states = await readSignedStates(reader);
  if ("ok" in states) return states;
  const checkpoints = [...states, ...(checks.checkpoints ?? [])];
  return { walk: new LogWalk(base, { ...checks, checkpoints }), base };
}

/** State of one verification along the chain. */
class LogWalk {
  readonly references = new ReferenceSums();
  head: ChainHead;
  readonly #base: LogBase;
  readonly #checks: LogChecks;
  readonly #tree: MerkleFrontier;
  readonly #pendingCheckpoints: Checkpoint[];
  readonly #proof: InclusionProof | undefined;
  #provenHash = "";
  #hasExpected: boolean;

  constructor(base: LogBase, checks: LogChecks) {
    this.#base = base;
    this.#checks = checks;
    this.head = { seq: base.seq, hash: base.hash };
    const { prove } = checks;
    this.#proof = prove && new InclusionProof(prove.seq - 1, prove.size, base.tree);
    this.#tree = base.tree;
    this.#pendingCheckpoints = (checks.checkpoints ?? []).toSorted((a, b) => a.size - b.size);
    this.#hasExpected = checks.expectedHead === undefined || checks.expectedHead === base.hash;
  }

  addEntry(record: EntryHeader, body: string): LogProblem | undefined {
    const { seq, hash } = record;
    this.head = { seq, hash };
    this.#tree.addLeaf(hash);
    this.#proof?.addLeaf(hash);
    if (seq === this.#checks.prove?.seq) this.#provenHash = hash;
    if (hash === this.#checks.expectedHead) this.#hasExpected = true;
    this.references.addEntry(record);
    this.#checks.onEntry?.(JSON.parse(body));
    return this.#findWrongCheckpoint();
  }

  createVerdict(): LogVerdict {
    const base = this.#base;
    const checks = this.#checks;
    const { head } = this;
    const early = this.#findWrongCheckpoint();
    if (early !== undefined) return early;
    const [next] = this.#pendingCheckpoints;
    if (next !== undefined) return createTruncationProblem(next, head.seq);
    if (!this.#hasExpected)
      return createLogProblem(head.seq, "missing", `is the last one, and none has the hash ${checks.expectedHead}`);
    const path = this.#proof?.buildPath();
    const proof = path && checks.prove && { ...checks.prove, hash: this.#provenHash, path };
    return { ok: true, head, since: base.seq, root: this.#tree.computeRoot(), ...(proof && { proof }) };
  }

  /** Compares the log with every checkpoint up to the size that has been reached. @returns the first contradiction */
  #findWrongCheckpoint(): LogProblem | undefined {
    for (;;) {
      const [next] = this.#pendingCheckpoints;
      if (next === undefined || next.size > this.head.seq) return undefined;
      this.#pendingCheckpoints.shift();
      // Skips checkpoints of archived entries, which the archive proves.
      if (next.size < this.head.seq) continue;
      if (next.head === this.head.hash && next.root.equals(this.#tree.computeRoot())) continue;
      return createLogProblem(next.size, "checkpoint", `or one before it differs from what was signed at ${next.time}`);
    }
  }
}

function findLogEndProblem(walked: ChainHead, recorded: ChainHead): LogProblem | undefined {
  if (walked.seq < recorded.seq) {
    const which = walked.seq + 1 === recorded.seq ? "" : ` and all up to ${recorded.seq}`;
    return createLogProblem(walked.seq + 1, "missing", `is missing${which}: the log was cut off`);
  }
  if (walked.seq > recorded.seq)
    return createLogProblem(recorded.seq + 1, "unrecorded", "was not written by the service");
  if (walked.hash === recorded.hash) return undefined;
  return createLogProblem(walked.seq, "unrecorded", "is not the last one that the service wrote");
}

async function findReferenceProblem(reader: DcReader, walk: LogWalk, base: LogBase): Promise<LogProblem | undefined> {
  const pause = async () => {
    await setImmediate();
  };
  let stray: number | undefined;
  await visitReferences(
    reader,
    (one) => {
      if (one.seq <= base.seq || one.seq > walk.head.seq) stray = Math.min(stray ?? one.seq, one.seq);
      walk.references.subtractReference(one);
    },
    pause,
  );
  if (stray !== undefined) return createLogProblem(stray, "reference", "does not exist, and a reference leads to it");
  return walk.references.areEqual ? undefined : findFirstWrongReference(reader, base, pause);
}

/** Finds the first entry whose references differ. Memory: one number for each entry with references. */
async function findFirstWrongReference(
  reader: DcReader,
  base: LogBase,
  pause: () => Promise<void>,
): Promise<LogProblem | undefined> {
  const found = new Map<number, ReferenceSums>();
  const shared = new ReferenceSums();
  const getSums = (seq: number) => found.getOrInsertComputed(seq, () => shared.createEmpty());
  await visitReferences(reader, (one) => getSums(one.seq).subtractReference(one), pause);
  for (let after = base.seq; ; ) {
    const page = await reader.logRows(after, PAGE_SIZE);
    for (const { seq, body } of page) {
      const record: ChangeRecord = JSON.parse(body);
      getSums(seq).addEntry(record);
      if (getSums(seq).areEqual) continue;
      const wanted = listExpectedRefs(record).join(", ");
      return createLogProblem(seq, "reference", `is not found by its references alone: expected ${wanted}`);
    }
    after = page.at(-1)?.seq ?? after;
    if (page.length < PAGE_SIZE) return undefined;
    await pause();
  }
}
