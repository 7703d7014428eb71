import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import type { ProcessMark } from "#planner/run_ports/claims.ts";
import { isPidInUse, readProcessFacts, sendSignal } from "./process_life.ts";

/** Returns the command line of a process as words; empty if the process has ended or cannot be read. */
export function readCommandLine(pid: number): readonly string[] {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
    return readPsColumn(pid, "args=").trim().split(/\s+/);
  } catch {
    return [];
  }
}

/** Returns number and start time of the process that has this number now. */
export function readProcessMark(pid: number): ProcessMark {
  return { pid, began: readStartTime(pid) };
}

/** Returns whether exactly this process still runs; true if its number is in use and its start time is unavailable. */
export function isProcessRunning({ pid, began }: ProcessMark): boolean {
  if (!isPidInUse(pid) || readProcessFacts(pid)?.ended === true) return false;
  if (began === null) return true;
  const now = readStartTime(pid);
  return now === null || now === began;
}

/**
 * Returns whether the process can have written the file, because both belong to one user. True if the owner is
 * unavailable. A process of another user may have reused the number, and this process cannot signal it.
 */
export function canHaveWrittenFile(pid: number, file: string): boolean {
  const uid = readOwnerId(file);
  if (uid === undefined || process.platform === "win32") return true;
  const owner = process.platform === "linux" ? readOwnerId(`/proc/${pid}`) : undefined;
  if (owner !== undefined) return owner === uid;
  return uid !== process.geteuid?.() || sendSignal(pid, 0);
}

function readOwnerId(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

function readStartTime(pid: number): string | null {
  if (process.platform === "win32") return null;
  if (process.platform !== "linux") return readStartTimeByPs(pid);
  const facts = readProcessFacts(pid);
  const boot = readBootId();
  return facts === undefined || boot === null ? null : `${boot}:${facts.startTicks}`;
}

let cachedBootId: string | null | undefined;

/** Returns an id of the machine's current start, with which ticks begin anew; null on systems without one. */
export function readBootId(): string | null {
  if (cachedBootId !== undefined) return cachedBootId;
  try {
    cachedBootId = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    cachedBootId = null;
  }
  return cachedBootId;
}

function readStartTimeByPs(pid: number): string | null {
  try {
    return readPsColumn(pid, "lstart=").trim() || null;
  } catch {
    return null;
  }
}

function readPsColumn(pid: number, column: string): string {
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
  return execFileSync("ps", ["-o", column, "-p", String(pid)], { env, timeout: 5_000, stdio: "pipe" }).toString();
}
