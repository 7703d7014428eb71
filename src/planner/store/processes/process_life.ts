import { readFileSync } from "node:fs";
import { getErrorCode } from "../files/disk_error.ts";

/** Maximum time by which the system's start time of a process may be later than the recorded one, in milliseconds. */
const MAX_START_SKEW_MS = 10_000;

/** Length of a tick of Linux's process times in milliseconds, equal on every machine. */
const TICK_MS = 10;

/**
 * Returns whether the process that had this number still runs.
 *
 * @param knownSince time at which it was first seen alive; a process that began later is another one with the same
 *   number. Requires `/proc`; null skips this check
 */
export function isProcessAlive(pid: number, knownSince: Date | null): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || !canReceiveSignals(pid)) return false;
  const facts = readLifeFacts(pid);
  if (facts === undefined) return true;
  if (facts.ended) return false;
  return knownSince === null || facts.startedMs <= knownSince.getTime() + MAX_START_SKEW_MS;
}

function canReceiveSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return getErrorCode(error) === "EPERM";
  }
}

/** Reads facts about a process; undefined on a system without `/proc`. */
function readLifeFacts(pid: number): { readonly ended: boolean; readonly startedMs: number } | undefined {
  try {
    const boot = /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "latin1"))?.[1];
    const line = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may contain any character; after it follow the state (field 3) and the start (field
    // 22).
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    const [state, start] = [fields[0] ?? "", fields[19]];
    if (boot === undefined || start === undefined) return undefined;
    return { ended: "ZX".includes(state), startedMs: Number(boot) * 1000 + Number(start) * TICK_MS };
  } catch {
    return undefined;
  }
}
