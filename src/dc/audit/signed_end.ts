import type { DcReader } from "#dc/ports.ts";
import { type LogBase, parseBase } from "./archive.ts";
import { brokenEntry, type LogProblem, shorterThan } from "./chain.ts";
import { type Checkpoint, parseCheckpoint } from "./checkpoint.ts";

/** Setting with the hash of the last entry that a checkpoint covers, and the tree up to there. */
export const AUDIT_SIGNED = "audit_signed";

/** Reads how far the log was signed; undefined if it never was, or if that cannot be read. */
export async function signedBase(reader: DcReader): Promise<LogBase | undefined> {
  return parseBase((await reader.setting(AUDIT_SIGNED)) ?? "");
}

/**
 * What the database says of its signatures, which are not checked here: a key is needed for that. Entries that were
 * signed, and the checkpoints of them, cannot be removed unless these traces are changed as well.
 */
export async function signedStates(reader: DcReader): Promise<readonly Checkpoint[] | LogProblem> {
  const states: Checkpoint[] = [];
  for (const { size, note } of await reader.checkpoints()) {
    const checkpoint = parseCheckpoint(note);
    if (checkpoint?.size !== size)
      return brokenEntry(size, "checkpoint", "has a signed checkpoint that cannot be read");
    states.push(checkpoint);
  }
  const last = await signedBase(reader);
  if (last === undefined || states.some(({ size }) => size === last.seq)) return states;
  const end = await reader.chainHead();
  if (end.seq < last.seq) return shorterThan({ size: last.seq }, end.seq);
  return brokenEntry(last.seq, "checkpoint", "was signed, and its signed checkpoint is missing");
}
