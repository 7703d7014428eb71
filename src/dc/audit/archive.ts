import type { KeyObject } from "node:crypto";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject, tryParseJson } from "#kernel/json_object.ts";
import type { ChangeRecord } from "../model/inventory.ts";
import type { ChainHead, DcReader, DcStore } from "../ports.ts";
import { checkLogRow, type LogProblem } from "./chain.ts";
import { MerkleFrontier, parseMerkleFrontier } from "./merkle_tree.ts";
import { openSignedNote, signNote, type VerifierKey } from "./signed_note.ts";

const ARCHIVE_FORMAT = "planner-audit-archive-1";
const PAGE_SIZE = 250;

/** Entries to archive: the end of the previous archive, and the last entry. */
interface ArchivePlan {
  readonly base: LogBase;
  /** Seq of the last entry to archive. */
  readonly until: number;
}

/**
 * Plans to archive all entries before the first one that is not older than `before`; undefined if no entry is older.
 */
export async function planArchive(reader: DcReader, before: string): Promise<ArchivePlan | undefined> {
  const base = await readArchiveBase(reader);
  if (base === undefined) throw new OperationError("failed_precondition", "The setting audit_base cannot be read");
  const [younger] = await reader.history({ since: before, descending: false, limit: 1 });
  const until = younger === undefined ? (await reader.chainHead()).seq : younger.seq - 1;
  return until > base.seq ? { base, until } : undefined;
}

/**
 * Yields the lines of an archive: a header, the entries as they are stored, and the signed end.
 * @returns the problem of an entry that does not verify, else undefined
 */
export async function* writeArchiveLines(
  reader: DcReader,
  { base, until }: ArchivePlan,
  sign: (end: ChainHead, tree: MerkleFrontier) => string,
): AsyncGenerator<string, LogProblem | undefined> {
  const { tree } = base;
  yield JSON.stringify({ format: ARCHIVE_FORMAT, after: base.seq, hash: base.hash, tree: tree.formatText() });
  let head: ChainHead = { seq: base.seq, hash: base.hash };
  while (head.seq < until) {
    const page = await reader.logRows(head.seq, Math.min(PAGE_SIZE, until - head.seq));
    if (page.length === 0) return { ok: false, seq: head.seq + 1, problem: "missing", detail: "is missing" };
    for (const row of page) {
      const checked = checkLogRow(row, head);
      if (!checked.ok) return checked;
      tree.addLeaf(checked.record.hash);
      head = checked.record;
      yield row.body;
    }
  }
  yield JSON.stringify({ checkpoint: sign(head, tree) });
  return undefined;
}

/** Returns a function that signs the end of an archive. */
export function createArchiveSigner({
  origin,
  key,
  now,
}: {
  readonly origin: string;
  readonly key: KeyObject;
  readonly now: Date;
}): (end: ChainHead, tree: MerkleFrontier) => string {
  return ({ seq, hash }, tree) =>
    signCheckpoint({ origin, size: seq, root: tree.computeRoot(), head: hash, time: now.toISOString() }, key);
}

export interface VerifiedArchive {
  readonly ok: true;
  /** Seq of the entry before the first archived entry. */
  readonly after: number;
  readonly checkpoint: Checkpoint;
  readonly note: string;
  readonly tree: MerkleFrontier;
}

export type ArchiveVerdict = VerifiedArchive | { readonly ok: false; readonly detail: string };

/** Verifies an archive without the database: each entry's hash, and the chain from the first to the signed end. */
export async function verifyArchive(
  lines: AsyncIterable<string>,
  keys: readonly VerifierKey[],
  onEntry: (record: ChangeRecord) => void = () => {},
): Promise<ArchiveVerdict> {
  let state: { readonly after: number; readonly tree: MerkleFrontier; head: ChainHead } | undefined;
  for await (const line of lines) {
    const value = parseArchiveLine(line);
    if (state === undefined) {
      const tree = value?.["format"] === ARCHIVE_FORMAT ? parseMerkleFrontier(String(value["tree"])) : undefined;
      if (tree === undefined) return { ok: false, detail: "its first line is no header of an archive" };
      state = { after: tree.size, tree, head: { seq: tree.size, hash: String(value?.["hash"]) } };
    } else if (typeof value?.["checkpoint"] === "string")
      return createVerifiedArchive(state, value["checkpoint"], keys);
    else {
      const record = value as unknown as ChangeRecord;
      const checked = checkLogRow(buildLogRow(line, record, state.head.seq + 1), state.head);
      if (!checked.ok) return { ok: false, detail: `entry ${checked.seq} ${checked.detail}` };
      state.tree.addLeaf(checked.record.hash);
      state.head = checked.record;
      onEntry(record);
    }
  }
  return { ok: false, detail: "its end is missing" };
}

function createVerifiedArchive(
  { after, tree, head }: { readonly after: number; readonly tree: MerkleFrontier; readonly head: ChainHead },
  note: string,
  keys: readonly VerifierKey[],
): ArchiveVerdict {
  const checkpoint = openCheckpoint(note, keys);
  if (checkpoint === undefined) return { ok: false, detail: "its end has no good signature of the key" };
  const isWhole =
    checkpoint.size === head.seq && checkpoint.head === head.hash && checkpoint.root.equals(tree.computeRoot());
  if (!isWhole) return { ok: false, detail: "its entries are not those that were signed" };
  return { ok: true, after, checkpoint, note, tree };
}

/** Removes archived entries from the log, which then begins after the last archived entry. */
export async function removeArchivedEntries(
  store: DcStore,
  { after, checkpoint, note, tree }: VerifiedArchive,
): Promise<void> {
  await store.write(async (writer) => {
    const base = await readArchiveBase(writer);
    if (base?.seq !== after) {
      throw new OperationError("aborted", "Another archive was made meanwhile: nothing was removed from the log");
    }
    await writer.keepCheckpoint({ size: checkpoint.size, note });
    await writer.setSetting(AUDIT_BASE, `${checkpoint.head} ${tree.formatText()}`);
    await writer.dropLog(checkpoint.size);
  });
}

function parseArchiveLine(line: string): Readonly<Record<string, unknown>> | undefined {
  const value = tryParseJson(line);
  return isJsonObject(value) ? value : undefined;
}

/** Builds a log row from an entry, because an archive stores no columns beside the entries. */
function buildLogRow(body: string, record: ChangeRecord | undefined, next: number) {
  const { occurredAt = "", actor, action = "CREATE", request, hash = "", seq = next } = record ?? {};
  const columns = {
    principal: actor?.principal ?? "",
    requestId: request?.id ?? "",
    interface: request?.interface ?? "",
  };
  return { seq, occurredAt, action, ...columns, hash, body };
}

/** Setting with the hash of the last archived entry, and the Merkle tree up to that entry. */
const AUDIT_BASE = "audit_base";

/** Start of the change log: the last archived entry. */
export interface LogBase {
  readonly seq: number;
  readonly hash: string;
  readonly tree: MerkleFrontier;
}

/** Returns the start of the log; undefined if the setting cannot be parsed. */
export async function readArchiveBase(reader: DcReader): Promise<LogBase | undefined> {
  const text = await reader.setting(AUDIT_BASE);
  if (text === undefined) return { seq: 0, hash: "", tree: new MerkleFrontier() };
  return parseLogBase(text);
}

/** Parses the hash of an entry with the Merkle tree up to that entry; undefined if the text is malformed. */
export function parseLogBase(text: string): LogBase | undefined {
  const [hash = "", ...frontier] = text.split(" ");
  const tree = parseMerkleFrontier(frontier.join(" "));
  return tree === undefined ? undefined : { seq: tree.size, hash, tree };
}

/** Contents of a checkpoint: the change log named `origin` has `size` entries, this Merkle root and this last hash. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  /** Root hash of RFC 6962 over the hashes of the entries. */
  readonly root: Buffer;
  /** Hash of the last entry in hexadecimal; empty for an empty log. */
  readonly head: string;
  /** Time of the signature, ISO 8601 in UTC. */
  readonly time: string;
}

/** Formats a checkpoint as a signed note. Source: C2SP tlog-checkpoint; head and time are extension lines. */
export function signCheckpoint({ origin, size, root, head, time }: Checkpoint, privateKey: KeyObject): string {
  const text = `${origin}\n${size}\n${root.toString("base64")}\nhead ${head}\ntime ${time}\n`;
  return signNote(text, origin, privateKey);
}

/** Parses a checkpoint that one of the keys has signed; undefined for any other text. */
export function openCheckpoint(note: string, keys: readonly VerifierKey[]): Checkpoint | undefined {
  const opened = openSignedNote(note, keys);
  if (opened === undefined) return undefined;
  const checkpoint = parseCheckpoint(opened.text);
  return checkpoint?.origin === opened.key.name ? checkpoint : undefined;
}

/** Parses a checkpoint without verifying its signature; undefined if the text is malformed. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin = "", size = "", root = "", ...extensions] = text.split("\n");
  const bytes = Buffer.from(root, "base64");
  if (origin === "" || !/^(?:0|[1-9]\d{0,15})$/.test(size) || bytes.length !== 32) return undefined;
  const findExtension = (name: string) =>
    extensions.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? "";
  return { origin, size: Number(size), root: bytes, head: findExtension("head"), time: findExtension("time") };
}
