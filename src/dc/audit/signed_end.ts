import type { DcReader } from "#dc/ports.ts";
import { type LogBase, parseLogBase } from "./archive.ts";
import { createLogProblem, createTruncationProblem, type LogProblem } from "./chain.ts";
import { type Checkpoint, parseCheckpoint } from "./checkpoint.ts";

/** Setting with the hash of the last entry that a checkpoint covers, and the Merkle tree up to that entry. */
export const AUDIT_SIGNED_SETTING = "audit_signed";

/** Reads the end of the signed part of the log; undefined if it was never signed, or if the setting is malformed. */
export async function readSignedBase(reader: DcReader): Promise<LogBase | undefined> {
  return parseLogBase((await reader.setting(AUDIT_SIGNED_SETTING)) ?? "");
}

/**
 * Returns the checkpoints in the database, without verifying their signatures, which requires a key. Signed entries and
 * their checkpoints cannot be removed without a contradiction unless these records are changed as well.
 * @returns the checkpoints, or the problem if they contradict the log
 */
export async function readSignedStates(reader: DcReader): Promise<readonly Checkpoint[] | LogProblem> {
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
