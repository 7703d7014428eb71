import { execFile, execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { OperationError } from "#kernel/errors.ts";
import { getErrorCode } from "../files/disk_error.ts";

/** An operating-system process, identified by its number and start time, because numbers are reused. */
export interface ProcessMark {
  readonly pid: number;
  /** Start time in the system's own format; null on systems that do not provide it. */
  readonly began: string | null;
}

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

/** Environment variable that identifies all processes of a run. */
export const RUN_VARIABLE = "PLANNER_RUN";

/** Environment variable that distinguishes programs that run side by side in one run. */
export const PART_VARIABLE = "PLANNER_RUN_PART";

/** First interval between checks for running processes, in milliseconds. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/** Time in milliseconds for which processes without a readable environment are checked again. Chosen by planner. */
const UNSURE_LIMIT_MS = 1_000;

/** Maximum time in ms from SIGKILL to a process's end. Chosen by planner: only a hang in the kernel takes longer. */
const FORCED_END_MS = 10_000;

export interface RunProcessQuery {
  /** Value of `RUN_VARIABLE` in the run's processes. */
  readonly name: string;
  /** Value of `PART_VARIABLE` if only one program's processes are meant; absent for all of the run. */
  readonly part?: string | undefined;
  /** Leader of the run's process group; null when it is not known. */
  readonly leader: ProcessMark | null;
  /** Whether the group number still belongs to the run after its leader ended, because the group was never empty. */
  readonly trustGroup: boolean;
}

/**
 * Returns the numbers of all processes of a run except this process. On Linux these are the group's members and all
 * processes that inherited `RUN_VARIABLE`, in any group or session. On Windows it is the leader, on other systems the
 * negated group number.
 *
 * Does not find a process that left the group and cleared its environment.
 */
export function listRunProcesses(run: RunProcessQuery): readonly number[] {
  return findRunProcesses(run).pids;
}

interface ProcessScan {
  readonly pids: readonly number[];
  /** Whether a process may belong to the run: it begins or ends now, and shows no environment. */
  readonly isUnsure: boolean;
}

function findRunProcesses({ name, part, leader, trustGroup }: RunProcessQuery): ProcessScan {
  const group = leader !== null && (trustGroup || isProcessRunning(leader)) ? leader.pid : null;
  if (process.platform === "linux") {
    const variable = part === undefined ? `${RUN_VARIABLE}=${name}` : `${PART_VARIABLE}=${part}`;
    return scanProcesses(group, Buffer.from(`\0${variable}\0`));
  }
  const isThere =
    process.platform === "win32"
      ? leader !== null && isProcessRunning(leader)
      : group !== null && sendSignal(-group, 0);
  const pid = process.platform === "win32" ? leader?.pid : -(group ?? 0);
  return { pids: isThere && pid !== undefined ? [pid] : [], isUnsure: false };
}

/** Returns the processes' processor time in milliseconds; 0 for an ended one. Linux only. Source: proc(5), stat. */
export function sumCpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (readProcessFacts(pid)?.cpuTicks ?? 0), 0) * TICK_MS;
}

function scanProcesses(group: number | null, variable: Buffer): ProcessScan {
  const pids: number[] = [];
  let isUnsure = false;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const facts = readProcessFacts(pid);
    if (facts === undefined || facts.ended || facts.isKernel) continue;
    const isOurs = facts.group === group && facts.session === group ? true : hasEnvironmentVariable(pid, variable);
    if (isOurs === true) pids.push(pid);
    isUnsure ||= isOurs === null;
  }
  return { pids, isUnsure };
}

/** Returns whether a process has a variable in its environment; null while it begins or ends and shows none. */
function hasEnvironmentVariable(pid: number, variable: Buffer): boolean | null {
  const environment = readProcFile(pid, "environ");
  if (environment === null) return false;
  if (environment.length > 0) return Buffer.concat([NUL_BYTE, environment, NUL_BYTE]).includes(variable);
  // Even a program that was started without an environment has a command line.
  return readProcFile(pid, "cmdline")?.length === 0 ? null : false;
}

/** Reads a file of `/proc/<pid>`; null if the process has ended or belongs to another user. */
function readProcFile(pid: number, file: "environ" | "cmdline"): Buffer | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`);
  } catch {
    return null;
  }
}

const NUL_BYTE = Buffer.alloc(1);

/**
 * Asks every process of the run to end, and kills those that remain after the grace period. Resolves when all have
 * ended.
 *
 * @returns the number of processes found
 * @throws OperationError `unavailable` when a process survives the kill
 */
export async function endRunProcesses(
  run: () => RunProcessQuery,
  { graceMs, hurry }: { readonly graceMs: number; readonly hurry?: AbortSignal },
): Promise<number> {
  const met = new Map<number, ProcessMark>();
  const forceAt = performance.now() + graceMs;
  let pause = FIRST_PAUSE_MS;
  let forcedSince: number | undefined;
  for (;;) {
    const left = await findRemainingProcesses(run, met);
    if (left.length === 0) return met.size;
    const now = performance.now();
    if (now >= forceAt || hurry?.aborted === true) forcedSince ??= now;
    if (forcedSince !== undefined && now - forcedSince > FORCED_END_MS) {
      const why = `still there ${FORCED_END_MS / 1000} seconds after it was forced`;
      throw new OperationError("unavailable", `Cannot end process ${left.join(", ")}: ${why}`);
    }
    for (const pid of left) {
      const first = !met.has(pid);
      if (first) met.set(pid, readProcessMark(pid));
      await endProcess(pid, { force: forcedSince !== undefined, first });
    }
    await sleep(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

/** Returns the processes of a run that still exist. Searches twice before it returns an empty list. */
async function findRemainingProcesses(
  run: () => RunProcessQuery,
  met: ReadonlyMap<number, ProcessMark>,
): Promise<readonly number[]> {
  const began = performance.now();
  for (let searches = 1; ; searches++) {
    const { pids, isUnsure } = findRunProcesses(run());
    // An ending process loses its environment before it disappears.
    const ending = [...met.values()].filter(isProcessRunning).map(({ pid }) => pid);
    const left = new Set([...pids, ...ending]);
    // A process that ended during the search may have started another one after the list was read.
    const isSure = !isUnsure && (met.size === 0 || searches > 1);
    if (left.size > 0 || isSure || performance.now() - began >= UNSURE_LIMIT_MS) return [...left];
    await sleep(FIRST_PAUSE_MS);
  }
}

async function endProcess(
  pid: number,
  { force, first }: { readonly force: boolean; readonly first: boolean },
): Promise<void> {
  if (process.platform === "win32") {
    // Without /F, taskkill only asks programs with a window.
    if (force || first) await runTaskkill(["/PID", String(pid), "/T", ...(force ? ["/F"] : [])]);
  } else if (force) sendSignal(pid, "SIGKILL");
  else if (first) sendSignal(pid, "SIGTERM");
}

/** Runs Windows' taskkill; returns false if it fails. */
export function runTaskkill(args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile("taskkill", args, { windowsHide: true, timeout: 10_000 }, (error) => resolve(error === null));
  });
}

export interface StartedProcess {
  readonly pid: number;
  /** Command line; null for git itself. */
  readonly program: string | null;
}

/** Returns the processes that a process has started, and those of its group; empty except on Linux. */
export function listStartedProcesses(leader: number): readonly StartedProcess[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  const facts = new Map(pids.map((pid) => [pid, readProcessFacts(pid)]));
  const isStarted = (pid: number): boolean => {
    const { parent = 0, group } = facts.get(pid) ?? {};
    return group === leader || parent === leader || (parent > 1 && isStarted(parent));
  };
  return pids.filter((pid) => pid !== leader && isStarted(pid)).map((pid) => ({ pid, program: readProgram(pid) }));
}

function readProgram(pid: number): string | null {
  const words = (readProcFile(pid, "cmdline")?.toString() ?? "").split("\0").filter(Boolean);
  return /(?:^|\/)git$/.test(words[0] ?? "git") ? null : words.join(" ").slice(0, MAX_SHOWN_CHARS);
}

/** Maximum characters of a command line in a message. */
const MAX_SHOWN_CHARS = 120;

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
  if (!isPidInUse(pid)) return false;
  const facts = readProcessFacts(pid);
  if (facts === undefined || facts.ended) return facts === undefined;
  const boot = knownSince === null ? null : readBootSeconds();
  if (knownSince === null || boot === null) return true;
  return boot * 1000 + facts.startTicks * TICK_MS <= knownSince.getTime() + MAX_START_SKEW_MS;
}

/** Returns whether a process has this number now, also one of another user. */
function isPidInUse(pid: number): boolean {
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
interface ProcessFacts {
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
