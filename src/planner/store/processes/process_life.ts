import { readFileSync } from "node:fs";
import { getErrorCode } from "../files/disk_error.ts";

/** Maximum time by which the system's start time of a process may be later than the recorded one, in milliseconds. */
const MAX_START_SKEW_MS = 10_000;

/** Length of a tick of Linux's process times in milliseconds, equal on every machine. */
export const TICK_MS = 10;

/**
 * Returns whether the process that had this number still runs.
 *
 * @param knownSince time at which it was first seen alive; a process that began later is another one with the same
 *   number. Requires `/proc`; null skips this check
 */
export function isProcessAlive(pid: number, knownSince: Date | null): boolean {
  if (!isPidInUse(pid)) return false;
  const facts = readProcessFacts(pid);
  if (facts === undefined || facts.ended) return facts === undefined;
  const boot = knownSince === null ? null : readBootSeconds();
  if (knownSince === null || boot === null) return true;
  return boot * 1000 + facts.startTicks * TICK_MS <= knownSince.getTime() + MAX_START_SKEW_MS;
}

/** Returns whether a process has this number now, also one of another user. */
export function isPidInUse(pid: number): boolean {
  // 0 and negative numbers mean whole process groups.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists and belongs to another user.
    return getErrorCode(error) === "EPERM";
  }
}

/** Sends a signal; 0 only tests whether that is possible. @param pid negative group number for a whole group */
export function sendSignal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Returns the time of the machine's start in seconds since 1970; null on systems without `/proc`. */
function readBootSeconds(): number | null {
  try {
    const seconds = /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "latin1"))?.[1];
    return seconds === undefined ? null : Number(seconds);
  } catch {
    return null;
  }
}

/** Fields of `/proc/<pid>/stat` on Linux. */
export interface ProcessFacts {
  /** Whether the process is a zombie: it has ended, but its parent has not read its status yet. */
  readonly ended: boolean;
  readonly parent: number;
  /** Whether the process is a kernel thread. */
  readonly isKernel: boolean;
  readonly group: number;
  readonly session: number;
  /** Ticks from the machine's start to the process's start. */
  readonly startTicks: number;
  /** Ticks of processor time that the process has used. */
  readonly cpuTicks: number;
}

/** Flag of kernel threads. Source: include/linux/sched.h, PF_KTHREAD. */
const KERNEL_THREAD = 0x0020_0000;

/** Reads facts about a process; undefined when the process has ended, and on systems without `/proc`. */
export function readProcessFacts(pid: number): ProcessFacts | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may contain any character; after it follow the state (field 3), the parent (4), the group (5), the
    // session (6), the flags (9), user and system time (14, 15) and the start (22).
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent, group, session, , , flags] = fields;
    const start = fields[19];
    if (start === undefined) return undefined;
    return {
      ended: "ZX".includes(state),
      parent: Number(parent),
      isKernel: (Number(flags) & KERNEL_THREAD) !== 0,
      group: Number(group),
      session: Number(session),
      startTicks: Number(start),
      cpuTicks: Number(fields[11]) + Number(fields[12]),
    };
  } catch {
    return undefined;
  }
}
