import { type KeyObject, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { DcReader, DcStore } from "#dc/ports.ts";
import { archiveBase, type LogBase } from "./archive.ts";
import { brokenEntry, checkRow, type LogProblem, shorterThan } from "./chain.ts";
import { type Checkpoint, signCheckpoint } from "./checkpoint.ts";
import { AUDIT_SIGNED, signedBase, signedStates } from "./signed_end.ts";

/** Entries per page: some milliseconds of work. */
const PAGE = 250;
/** Entries that a start waits for: some tenths of a second. */
const MAX_TAIL = 20_000;
/** Setting with the name under which the log is signed. */
const ORIGIN = "audit_origin";

export interface SignedCheckpoint {
  readonly ok: true;
  readonly checkpoint: Checkpoint;
  readonly note: string;
}

/** The name under which this log is signed; made on first use. */
export async function logOrigin(store: DcStore): Promise<string> {
  return store.write(async (writer) => {
    const known = await writer.setting(ORIGIN);
    if (known !== undefined) return known;
    const made = `planner-dc/${randomUUID()}`;
    await writer.setSetting(ORIGIN, made);
    return made;
  });
}

/**
 * Signs the log as it is now and keeps the checkpoint, provided that its entries continue what was signed before.
 * Cost: a verification of the entries since the last checkpoint.
 */
export async function makeCheckpoint(
  store: DcStore,
  { origin, key, now }: { readonly origin: string; readonly key: KeyObject; readonly now: Date },
): Promise<SignedCheckpoint | LogProblem> {
  const found = await store.read(followedTree);
  if ("ok" in found) return found;
  const { seq, hash, tree } = found;
  const checkpoint = { origin, size: seq, root: tree.root(), head: hash, time: now.toISOString() };
  const note = signCheckpoint(checkpoint, key);
  await store.write(async (writer) => {
    await writer.keepCheckpoint({ size: seq, note });
    await writer.setSetting(AUDIT_SIGNED, `${hash} ${tree.toText()}`);
  });
  return { ok: true, checkpoint, note };
}

/**
 * Verifies the entries since the last checkpoint, if they are few enough to wait for at a start. Returns the first
 * problem.
 */
export async function wrongTail(reader: DcReader): Promise<LogProblem | undefined> {
  const [end, from] = [await reader.chainHead(), (await signedBase(reader)) ?? (await archiveBase(reader))];
  if (end.seq - (from?.seq ?? 0) > MAX_TAIL) return undefined;
  const found = await followedTree(reader);
  return "ok" in found ? found : undefined;
}

/**
 * The tree over the whole log, made from the one of the last checkpoint. Cost: a verification of the entries since.
 */
async function followedTree(reader: DcReader): Promise<LogBase | LogProblem> {
  const states = await signedStates(reader);
  if ("ok" in states) return states;
  const base = await archiveBase(reader);
  const signed = await signedBase(reader);
  const from = base === undefined || signed === undefined || signed.seq < base.seq ? base : signed;
  if (from === undefined) return brokenEntry(0, "checkpoint", "cannot be read, so the last signature is unknown");
  const { tree } = from;
  let head = { seq: from.seq, hash: from.hash };
  for (;;) {
    const page = await reader.logRows(head.seq, PAGE);
    for (const row of page) {
      const checked = checkRow(row, head);
      if (!checked.ok) return checked;
      tree.add(checked.record.hash);
      head = checked.record;
    }
    if (page.length < PAGE) break;
    await setImmediate();
  }
  const unreached = states.find(({ size }) => size > head.seq);
  if (unreached !== undefined) return shorterThan(unreached, head.seq);
  const recorded = await reader.chainHead();
  if (recorded.seq === head.seq && recorded.hash === head.hash) return { ...head, tree };
  return brokenEntry(Math.min(head.seq, recorded.seq) + 1, "missing", "is missing, or was not written by the service");
}
