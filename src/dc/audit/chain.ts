import { hash } from "node:crypto";
import type { ChangeDraft, ChangeRecord } from "#dc/model/inventory.ts";
import type { ChainHead, LogRow } from "#dc/ports.ts";
import { formatCanonicalJson, isJsonObject, sortKeys, tryParseJson } from "#kernel/json_object.ts";

/** Version of the hashed layout, included in every hash, so that entries of another layout never verify. */
const HASH_LAYOUT = "audit-v1";

/** Appends a change: sets seq, previous hash and own hash. Source: docs/contract/datacenter-analyses.md#audit-chain. */
export function appendToChain(head: ChainHead, draft: ChangeDraft): ChangeRecord {
  const placed = sortKeys({ ...draft, seq: head.seq + 1, prevHash: head.hash, hash: "" });
  return { ...placed, hash: hashRecord(placed) };
}

/** Returns SHA-256 in hexadecimal over the layout, the previous hash, and the entry without its two hashes. */
function hashRecord(record: ChangeRecord): string {
  const entry = { ...record, prevHash: undefined, hash: undefined };
  return hash("sha256", `${HASH_LAYOUT}${record.prevHash}${formatCanonicalJson(entry)}`, "hex");
}

export const LOG_PROBLEMS = [
  "missing",
  "altered",
  "unlinked",
  "column",
  "unrecorded",
  "reference",
  "checkpoint",
] as const;

/** The first entry at which the change log differs from what the service wrote. */
export interface LogProblem {
  readonly ok: false;
  readonly seq: number;
  /**
   * `missing`: the entry was removed. `altered`: its text does not match its hash. `unlinked`: it does not follow the
   * entry before. `column`: a column beside the text differs from it. `unrecorded`: the service did not write it.
   * `reference`: the rows by which it is found do not match it. `checkpoint`: it contradicts a signed checkpoint.
   */
  readonly problem: (typeof LOG_PROBLEMS)[number];
  /** Description of the problem, as the end of a sentence. */
  readonly detail: string;
}

/** A log entry without the values before and after the change, the changed fields and the commit. */
export type EntryHeader = Omit<ChangeRecord, "before" | "after" | "changedFields" | "commit">;

/**
 * Checks one row: its hash, its link to the preceding entry, and its columns. @returns the entry's header, or the
 * problem
 */
export function checkLogRow(
  row: LogRow,
  head: ChainHead,
): { readonly ok: true; readonly record: EntryHeader } | LogProblem {
  const { seq, body } = row;
  if (seq <= head.seq) return createLogProblem(seq, "unrecorded", "was not written by the service");
  if (seq !== head.seq + 1) return createLogProblem(head.seq + 1, "missing", "is missing");
  const header = extractEntryHeader(row);
  const record = parseEntryHeader(header.text) ?? parseEntryHeader(body);
  if (record === undefined) return createLogProblem(seq, "altered", "was altered: its text cannot be read");
  if (record.hash !== hashStoredText(row, record, header.own))
    return createLogProblem(seq, "altered", "was altered: its hash does not fit its text");
  if (record.prevHash !== head.hash) return createLogProblem(seq, "unlinked", "does not follow the entry before it");
  const column = findWrongColumn(row, record);
  if (column === undefined) return { ok: true, record };
  return createLogProblem(seq, "column", `was altered: its column ${column} differs from the entry`);
}

/**
 * Returns the text of an entry without its values, which are the largest part: the hash covers them, and they are not
 * compared with anything else. Empty for a text that `appendToChain` cannot have written. Source:
 * docs/contract/datacenter-analyses.md#audit-chain.
 */
function extractEntryHeader({ body, hash: ownHash }: LogRow): {
  readonly text: string;
  readonly own: TextSpan | undefined;
} {
  const own = findLastField(body, `"hash":"${ownHash}",`, `"id":`);
  // In canonical order the entity precedes the hash directly, and the values follow the actor.
  const entityAt = body.lastIndexOf(`"entity":`, own?.start ?? 0);
  const valuesAt = findValuesStart(body);
  return { text: entityAt < valuesAt ? "" : body.slice(0, valuesAt) + body.slice(entityAt), own };
}

/** Returns the position in a text at which the values begin; the end of a text without values. */
function findValuesStart(body: string): number {
  for (const name of [`"after":`, `"before":`, `"changedFields":`]) {
    const at = body.indexOf(name);
    if (at >= 0) return at;
  }
  return body.length;
}

function parseEntryHeader(text: string): EntryHeader | undefined {
  const value = tryParseJson(text);
  return isJsonObject(value) ? (value as unknown as EntryHeader) : undefined;
}

/**
 * Returns the hash of a stored text, or null for a text that `appendToChain` cannot have written. Removes both hashes
 * from the text instead of serializing the entry again, which would take twice as long as hashing it.
 * @param found location in the text of the hash in the row's column, which is the entry's hash unless one was altered
 */
function hashStoredText(
  row: LogRow,
  { hash: ownHash, prevHash }: EntryHeader,
  found: TextSpan | undefined,
): string | null {
  const { body } = row;
  const own = ownHash === row.hash ? found : findLastField(body, `"hash":"${ownHash}",`, `"id":`, found?.start);
  const previous = own && findLastField(body, `"prevHash":"${prevHash}",`, `"recordedAt":`, own.end);
  if (own === undefined || previous === undefined) return null;
  const entry = body.slice(0, own.start) + body.slice(own.end, previous.start) + body.slice(previous.end);
  return hash("sha256", `${HASH_LAYOUT}${prevHash}${entry}`, "hex");
}

/** Location of a field in a text. */
interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds a field of the entry by its text and the name that follows it in canonical order. The last match belongs to the
 * entry: a resource may contain the same text, and all resources precede both hashes.
 */
function findLastField(body: string, text: string, next: string, from = 0): TextSpan | undefined {
  const wanted = text + next;
  let start = body.indexOf(wanted, from);
  // Two forward searches are several times faster than one backward search.
  for (let after = start; after >= 0; after = body.indexOf(wanted, after + 1)) start = after;
  return start < 0 ? undefined : { start, end: start + text.length };
}

/** Returns the name of the first column that differs from the entry; undefined if all columns agree with it. */
function findWrongColumn(row: LogRow, record: EntryHeader): string | undefined {
  const { seq, occurredAt, actor, action, request } = record;
  if (row.seq !== seq) return "seq";
  if (row.occurredAt !== occurredAt) return "occurred_at";
  if (row.principal !== actor.principal) return "principal";
  if (row.action !== action) return "action";
  if (row.requestId !== request.id) return "request_id";
  if (row.interface !== request.interface) return "door";
  return row.hash === record.hash ? undefined : "hash";
}

/** Returns the problem of a log that ends before its signed size; `time` is unknown without the checkpoint. */
export function createTruncationProblem(
  signed: { readonly size: number; readonly time?: string },
  end: number,
): LogProblem {
  const by = signed.time === undefined ? "the database says that" : `a signed checkpoint of ${signed.time} says that`;
  const detail = `the log is shorter than what was signed: it ends at entry ${end}, ${by} ${signed.size} were signed`;
  return createLogProblem(end + 1, "missing", `is missing: ${detail}`);
}

export function createLogProblem(seq: number, problem: LogProblem["problem"], detail: string): LogProblem {
  return { ok: false, seq, problem, detail };
}
