import { type KeyObject, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { DcReader, DcStore } from "#dc/ports.ts";
import { archiveBase, type LogBase } from "./archive_base.ts";
import { broken, checkRow, type LogProblem } from "./chain.ts";
import { type Checkpoint, signCheckpoint } from "./checkpoint.ts";
import { parseFrontier } from "./merkle.ts";

/** Entries per page: some milliseconds of work. */
const PAGE = 250;
/** Setting with the name under which the log is signed. */
const ORIGIN = "audit_origin";
/** Setting with the hash of the last entry that a checkpoint covers, and the tree up to there. */
const SIGNED = "audit_signed";

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
    await writer.setSetting(SIGNED, `${hash} ${tree.toText()}`);
  });
  return { ok: true, checkpoint, note };
}

/** The tree over the whole log, made from the one of the last checkpoint. */
async function followedTree(reader: DcReader): Promise<LogBase | LogProblem> {
  const from = await signedBase(reader);
  if (from === undefined) return broken(0, "checkpoint", "cannot be read, so the last signature is unknown");
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
  const recorded = await reader.chainHead();
  if (recorded.seq === head.seq && recorded.hash === head.hash) return { ...head, tree };
  return broken(Math.min(head.seq, recorded.seq) + 1, "missing", "is missing, or was not written by the service");
}

async function signedBase(reader: DcReader): Promise<LogBase | undefined> {
  const base = await archiveBase(reader);
  const [hash = "", ...frontier] = ((await reader.setting(SIGNED)) ?? "").split(" ");
  const tree = parseFrontier(frontier.join(" "));
  if (base === undefined || tree === undefined || tree.size < base.seq) return base;
  return { seq: tree.size, hash, tree };
}
