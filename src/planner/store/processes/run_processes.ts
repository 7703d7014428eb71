import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { OperationError } from "#kernel/errors.ts";
import type { ProcessMark } from "#planner/run_ports/claims.ts";
import { markProcess, processFacts, stillRuns } from "./process_mark.ts";

/** The environment variable by which everything that a run starts is known again. */
export const RUN_VARIABLE = "PLANNER_RUN";

/** The one that distinguishes programs of one run which run side by side. */
export const PART_VARIABLE = "PLANNER_RUN_PART";

/** Intervals between checks for running processes, in milliseconds. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/** Time for which processes that show no environment yet, or no longer, are looked at again, in milliseconds. Ours. */
const UNKNOWN_MS = 1_000;

/** Time that forced processes get to be gone, in milliseconds. Ours: only one that hangs in the kernel takes longer. */
const FORCED_END_MS = 10_000;

export interface RunProcesses {
  /** The value of `RUN_VARIABLE`. */
  readonly name: string;
  /** The value of `PART_VARIABLE`, of which alone the processes are meant; all of the run if left out. */
  readonly part?: string | undefined;
  /** The leader of its process group, or null when it is not known. */
  readonly leader: ProcessMark | null;
  /** Whether the group's number may be relied on although its leader is gone: it was never seen empty. */
  readonly trustGroup: boolean;
}

/**
 * Returns the numbers of all processes of a run except this process. On Linux these are the group's members and all
 * processes that inherited `RUN_VARIABLE`, in any group or session. Other systems return the negated group number.
 *
 * Does not find a process that left the group and cleared its environment.
 */
export function processesOf(run: RunProcesses): readonly number[] {
  return findProcesses(run).pids;
}

interface Found {
  readonly pids: readonly number[];
  /** Whether a process was met that may be one of them: it begins or ends just now, and shows no environment. */
  readonly isUnsure: boolean;
}

function findProcesses({ name, part, leader, trustGroup }: RunProcesses): Found {
  const group = leader !== null && (trustGroup || stillRuns(leader)) ? leader.pid : null;
  if (process.platform === "linux") {
    const variable = part === undefined ? `${RUN_VARIABLE}=${name}` : `${PART_VARIABLE}=${part}`;
    return scan(group, Buffer.from(`\0${variable}\0`));
  }
  const isThere =
    process.platform === "win32" ? leader !== null && stillRuns(leader) : group !== null && signal(-group, 0);
  const pid = process.platform === "win32" ? leader?.pid : -(group ?? 0);
  return { pids: isThere && pid !== undefined ? [pid] : [], isUnsure: false };
}

/** Ticks of the clock in a second, by which Linux counts processor time on every machine that Bun and Deno run on. */
const TICKS_PER_SECOND = 100;

/** Processor time of these processes, in milliseconds; of one that is gone it is 0. Linux only. Source: proc(5), stat. */
export function cpuMsOf(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      // The name in brackets may hold anything; user and system time are the 12th and 13th field behind it.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return (ticks * 1000) / TICKS_PER_SECOND;
}

function scan(group: number | null, variable: Buffer): Found {
  const pids: number[] = [];
  let isUnsure = false;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const facts = processFacts(pid);
    if (facts === undefined || facts.ended || facts.isKernel) continue;
    const isOurs = facts.group === group && facts.session === group ? true : carries(pid, variable);
    if (isOurs === true) pids.push(pid);
    isUnsure ||= isOurs === null;
  }
  return { pids, isUnsure };
}

/** Whether a process has a variable in its environment; null if it is about to begin or end and shows none. */
function carries(pid: number, variable: Buffer): boolean | null {
  const environment = contentOf(pid, "environ");
  if (environment === null) return false;
  if (environment.length > 0) return Buffer.concat([ZERO, environment, ZERO]).includes(variable);
  // A program that was started without an environment has at least its name.
  return contentOf(pid, "cmdline")?.length === 0 ? null : false;
}

/** Null if the process is gone or another user's. */
function contentOf(pid: number, file: "environ" | "cmdline"): Buffer | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`);
  } catch {
    return null;
  }
}

const ZERO = Buffer.alloc(1);

/** How long ending may take; `hurry` makes it short once it aborts. */
export interface Grace {
  readonly graceMs: number;
  readonly hurry?: AbortSignal;
}

/**
 * Asks every process of the run to end, and forces those that are still there when the grace is over. Resolves when none
 * is left, with the number of those it met.
 *
 * @throws OperationError `unavailable` when one survives being forced
 */
export async function endProcesses(run: () => RunProcesses, { graceMs, hurry }: Grace): Promise<number> {
  const met = new Map<number, ProcessMark>();
  const forceAt = performance.now() + graceMs;
  let pause = FIRST_PAUSE_MS;
  let forcedSince: number | undefined;
  for (;;) {
    const left = await findLeft(run, met);
    if (left.length === 0) return met.size;
    const now = performance.now();
    if (now >= forceAt || hurry?.aborted === true) forcedSince ??= now;
    if (forcedSince !== undefined && now - forcedSince > FORCED_END_MS) throw survivor(left);
    for (const pid of left) {
      const first = !met.has(pid);
      if (first) met.set(pid, markProcess(pid));
      await end(pid, { force: forcedSince !== undefined, first });
    }
    await sleep(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

/** The processes of a run that are not gone. Looks again before it says that there are none. */
async function findLeft(run: () => RunProcesses, met: ReadonlyMap<number, ProcessMark>): Promise<readonly number[]> {
  const began = performance.now();
  for (let looks = 1; ; looks++) {
    const { pids, isUnsure } = findProcesses(run());
    // One that ends loses its environment before it is gone.
    const ending = [...met.values()].filter(stillRuns).map(({ pid }) => pid);
    const left = new Set([...pids, ...ending]);
    // The last of those that were met can have started another one after that look had listed the processes.
    const isSure = !isUnsure && (met.size === 0 || looks > 1);
    if (left.size > 0 || isSure || performance.now() - began >= UNKNOWN_MS) return [...left];
    await sleep(FIRST_PAUSE_MS);
  }
}

async function end(pid: number, { force, first }: { readonly force: boolean; readonly first: boolean }): Promise<void> {
  if (process.platform === "win32") {
    // Without /F only programs with a window are asked.
    if (force || first) await runTaskkill(["/PID", String(pid), "/T", ...(force ? ["/F"] : [])]);
  } else if (force) signal(pid, "SIGKILL");
  else if (first) signal(pid, "SIGTERM");
}

function survivor(left: readonly number[]): OperationError {
  return new OperationError(
    "unavailable",
    `Cannot end process ${left.join(", ")}: still there ${FORCED_END_MS / 1000} seconds after it was forced`,
  );
}

/** @param pid minus a group's number for the whole group */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Runs Windows' program for ending processes; false if it fails. */
export function runTaskkill(args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile("taskkill", args, { windowsHide: true, timeout: 10_000 }, (error) => resolve(error === null));
  });
}
