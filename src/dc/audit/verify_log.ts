import { type KeyObject, randomInt, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { ChangeRecord } from "../model/inventory.ts";
import { toRefKey } from "../model/ref.ts";
import type { ChainHead, DcReader, DcStore, LogReference } from "../ports.ts";
import {
  type Checkpoint,
  type LogBase,
  parseCheckpoint,
  parseLogBase,
  readArchiveBase,
  signCheckpoint,
} from "./archive.ts";
import { checkLogRow, createLogProblem, createTruncationProblem, type EntryHeader, type LogProblem } from "./chain.ts";
import { InclusionProof, type MerkleFrontier } from "./merkle_tree.ts";

/** Setting with the hash of the last entry that a checkpoint covers, and the Merkle tree up to that entry. */
const AUDIT_SIGNED_SETTING = "audit_signed";

/** Reads the end of the signed part of the log; undefined if it was never signed, or if the setting is malformed. */
async function readSignedBase(reader: DcReader): Promise<LogBase | undefined> {
  return parseLogBase((await reader.setting(AUDIT_SIGNED_SETTING)) ?? "");
}

/**
 * Returns the checkpoints in the database, without verifying their signatures, which requires a key. Signed entries and
 * their checkpoints cannot be removed without a contradiction unless these records are changed as well.
 * @returns the checkpoints, or the problem if they contradict the log
 */
async function readSignedStates(reader: DcReader): Promise<readonly Checkpoint[] | LogProblem> {
  const states: Checkpoint[] = [];
  for (const { size, note } of await reader.checkpoints()) {
    const checkpoint = parseCheckpoint(note);
    if (checkpoint?.size !== size)
      return createLogProblem(size, "checkpoint", "has a signed checkpoint that cannot be read");
    states.push(checkpoint);
  }
  const last = await readSignedBase(reader);
  if (last === undefined || states.some(({ size }) => size === last.seq)) return states;
  const end = await reader.chainHead();
  if (end.seq < last.seq) return createTruncationProblem({ size: last.seq }, end.seq);
  return createLogProblem(last.seq, "checkpoint", "was signed, and its signed checkpoint is missing");
}

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
interface EntryProof {
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

/** Maximum number of entries to verify at a start, which takes some tenths of a second. */
const MAX_TAIL_ENTRIES = 20_000;
/** Setting with the name under which the log is signed. */
const ORIGIN_SETTING = "audit_origin";

interface SignedCheckpoint {
  readonly ok: true;
  readonly checkpoint: Checkpoint;
  readonly note: string;
}

/** Returns the name under which this log is signed. Creates and stores a name on first use. */
export async function getOrCreateLogOrigin(store: DcStore): Promise<string> {
  return store.write(async (writer) => {
    const known = await writer.setting(ORIGIN_SETTING);
    if (known !== undefined) return known;
    const made = `planner-dc/${randomUUID()}`;
    await writer.setSetting(ORIGIN_SETTING, made);
    return made;
  });
}

/**
 * Signs the present state of the log and stores the checkpoint, unless the entries contradict earlier signatures. Cost:
 * a verification of the entries since the last checkpoint.
 */
export async function makeCheckpoint(
  store: DcStore,
  { origin, key, now }: { readonly origin: string; readonly key: KeyObject; readonly now: Date },
): Promise<SignedCheckpoint | LogProblem> {
  const found = await store.read(extendSignedTree);
  if ("ok" in found) return found;
  const { seq, hash, tree } = found;
  const checkpoint = { origin, size: seq, root: tree.computeRoot(), head: hash, time: now.toISOString() };
  const note = signCheckpoint(checkpoint, key);
  await store.write(async (writer) => {
    await writer.keepCheckpoint({ size: seq, note });
    await writer.setSetting(AUDIT_SIGNED_SETTING, `${hash} ${tree.formatText()}`);
  });
  return { ok: true, checkpoint, note };
}

/**
 * Verifies the entries since the last checkpoint, unless there are too many to verify at a start.
 * @returns the first problem, or undefined
 */
export async function findTailProblem(reader: DcReader): Promise<LogProblem | undefined> {
  const [end, from] = [await reader.chainHead(), (await readSignedBase(reader)) ?? (await readArchiveBase(reader))];
  if (end.seq - (from?.seq ?? 0) > MAX_TAIL_ENTRIES) return undefined;
  const found = await extendSignedTree(reader);
  return "ok" in found ? found : undefined;
}

/** Returns the whole log's tree, continued from the last checkpoint. Cost: a verification of the entries since then. */
async function extendSignedTree(reader: DcReader): Promise<LogBase | LogProblem> {
  const states = await readSignedStates(reader);
  if ("ok" in states) return states;
  const base = await readArchiveBase(reader);
  const signed = await readSignedBase(reader);
  const from = base === undefined || signed === undefined || signed.seq < base.seq ? base : signed;
  if (from === undefined) return createLogProblem(0, "checkpoint", "cannot be read, so the last signature is unknown");
  const { tree } = from;
  let head = { seq: from.seq, hash: from.hash };
  for (;;) {
    const page = await reader.logRows(head.seq, PAGE_SIZE);
    for (const row of page) {
      const checked = checkLogRow(row, head);
      if (!checked.ok) return checked;
      tree.addLeaf(checked.record.hash);
      head = checked.record;
    }
    if (page.length < PAGE_SIZE) break;
    await setImmediate();
  }
  const unreached = states.find(({ size }) => size > head.seq);
  if (unreached !== undefined) return createTruncationProblem(unreached, head.seq);
  const recorded = await reader.chainHead();
  if (recorded.seq === head.seq && recorded.hash === head.hash) return { ...head, tree };
  return createLogProblem(
    Math.min(head.seq, recorded.seq) + 1,
    "missing",
    "is missing, or was not written by the service",
  );
}

/** Number of references per page, which takes a few milliseconds. */
const REFERENCES_PER_PAGE = 2000;
const MAX_INT32 = 2 ** 31 - 1;

/**
 * Compares two multisets of references in constant memory: the references that the log's entries imply, and the
 * references in the table. Both are summed as hashes with a random key, so that no prepared change can leave the sums
 * equal.
 */
class ReferenceSums {
  readonly #firstKey: number;
  readonly #secondKey: number;
  #sum = 0;
  #otherSum = 0;
  /** The text that was hashed last, with its two hashes. The table lists all entries of a reference in a row. */
  #lastText: string | undefined;
  #lastFirst = 0;
  #lastSecond = 0;

  constructor(first = createOddNumber(), second = createOddNumber()) {
    this.#firstKey = first;
    this.#secondKey = second;
  }

  /** Creates an empty sum with the same hash keys. */
  createEmpty(): ReferenceSums {
    return new ReferenceSums(this.#firstKey, this.#secondKey);
  }

  /** Adds the references of an entry. */
  addEntry(record: Pick<ChangeRecord, "seq" | "entity" | "related">): void {
    for (const ref of listExpectedRefs(record)) this.#addReference(ref, record.seq, 1);
  }

  /** Subtracts a reference that is in the table. */
  subtractReference({ refKey: ref, seq }: LogReference): void {
    this.#addReference(ref, seq, -1);
  }

  get areEqual(): boolean {
    return this.#sum === 0 && this.#otherSum === 0;
  }

  #addReference(ref: string, seq: number, sign: 1 | -1): void {
    const first = this.#firstKey;
    const second = this.#secondKey;
    if (ref !== this.#lastText) this.#hashText(ref);
    const [a, b] = [this.#lastFirst, this.#lastSecond];
    this.#sum = (this.#sum + sign * mixBits(Math.imul(a ^ seq, first))) | 0;
    this.#otherSum = (this.#otherSum + sign * mixBits(Math.imul(b ^ seq, second))) | 0;
  }

  #hashText(ref: string): void {
    const first = this.#firstKey;
    const second = this.#secondKey;
    let [a, b] = [first, second];
    for (let at = 0; at < ref.length; at += 1) {
      const unit = ref.charCodeAt(at);
      a = Math.imul(a ^ unit, first);
      b = Math.imul(b, second) + unit;
    }
    this.#lastText = ref;
    this.#lastFirst = a;
    this.#lastSecond = b;
  }
}

/** Returns the references under which an entry is found, each once. */
function listExpectedRefs({ entity, related }: Pick<ChangeRecord, "entity" | "related">): readonly string[] {
  const refs = [toRefKey(entity)];
  for (const one of related) {
    const key = toRefKey(one);
    if (!refs.includes(key)) refs.push(key);
  }
  return refs;
}

/** Calls a function with every reference in the table, page by page. */
async function visitReferences(
  reader: DcReader,
  visit: (reference: LogReference) => void,
  pause: () => Promise<void>,
): Promise<void> {
  for (let after: LogReference | undefined; ; ) {
    const page = await reader.logReferences(after, REFERENCES_PER_PAGE);
    for (const one of page) visit(one);
    after = page.at(-1);
    if (page.length < REFERENCES_PER_PAGE) return;
    await pause();
  }
}

function createOddNumber(): number {
  return randomInt(MAX_INT32) | 1;
}

/** Mixes the bits of a number so that each bit affects all others, with the finalizer of MurmurHash3. */
function mixBits(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return hash ^ (hash >>> 16);
}
