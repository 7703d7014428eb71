import { type KeyObject, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { DcReader, DcStore } from "#dc/ports.ts";
import { type LogBase, readArchiveBase } from "./archive.ts";
import { checkLogRow, createLogProblem, createTruncationProblem, type LogProblem } from "./chain.ts";
import { type Checkpoint, signCheckpoint } from "./checkpoint.ts";
import { AUDIT_SIGNED_SETTING, readSignedBase, readSignedStates } from "./signed_end.ts";

/** Number of entries per page, which takes a few milliseconds. */
const PAGE_SIZE = 250;
/** Maximum number of entries to verify at a start, which takes some tenths of a second. */
const MAX_TAIL_ENTRIES = 20_000;
/** Setting with the name under which the log is signed. */
const ORIGIN_SETTING = "audit_origin";

export interface SignedCheckpoint {
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
