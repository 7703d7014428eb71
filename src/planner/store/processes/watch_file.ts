import { hostname } from "node:os";
import { basename, join } from "node:path";
import { createRandomId } from "#kernel/random.ts";
import type { WatchFileHold, WatchPidFile } from "#planner/run_ports/run_ports.ts";
import { convertToDiskError } from "../files/disk_error.ts";
import { getTextField, type JsonReadResult, readJsonFile } from "../files/json_file.ts";
import { removeFileInOpenFolder } from "../files/open_folder.ts";
import { createFile } from "../files/place_file.ts";
import { parseLockHolder } from "../locks/lock_file.ts";
import { runWithProjectLock } from "../locks/project_lock.ts";
import { WATCH_PID_FILE } from "../project/places.ts";
import { isProcessAlive } from "./process_life.ts";
import { canHaveWrittenFile, isProcessRunning, readCommandLine, readProcessMark } from "./process_mark.ts";

/**
 * Opens `.planner/watch.pid`: the pid as a number in the first line, then JSON `{pid, host, started_at, began, token}`.
 * Earlier versions wrote the JSON alone. Every change holds the
 * project's lock, so of several processes that start at once only one gets the file. Source: docs/decisions.md#s-27;
 * docs/contract/spec-tool.md#rule-7, docs/contract/spec-tool.md#rule-8.
 */
export function openWatchFile(root: string): WatchPidFile {
  return {
    acquire: () => runWithProjectLock(root, () => acquireWatchFile(root)),
    readHolder: async () => readWatchHolder(root),
    clearStale: () =>
      runWithProjectLock(root, async () => {
        const holder = readWatchHolder(root);
        if (holder === null || holder.alive) return false;
        await removeWatchFile(root);
        return true;
      }),
  };
}

async function acquireWatchFile(root: string): Promise<WatchFileHold | null> {
  const holder = readWatchHolder(root);
  if (holder?.alive === true) return null;
  if (holder !== null) await removeWatchFile(root);
  const token = createRandomId();
  const text = `${process.pid}\n${JSON.stringify(buildWatchMark(token), null, 2)}\n`;
  if (!(await createFile(join(root, WATCH_PID_FILE), WATCH_PID_FILE, text))) return null;
  const isHeld = (): boolean => readWatchToken(root) === token;
  return {
    isHeld: async () => isHeld(),
    release: () =>
      runWithProjectLock(root, async () => {
        if (isHeld()) await removeWatchFile(root);
      }),
  };
}

function buildWatchMark(token: string): object {
  const { pid, began } = readProcessMark(process.pid);
  return { pid, host: hostname(), started_at: new Date(performance.timeOrigin).toISOString(), began, token };
}

/** Returns the watching process, alive or ended; pid 0 if the file names no process, null without a file. */
export function readWatchHolder(
  root: string,
): { readonly pid: number; readonly here: boolean; readonly alive: boolean } | null {
  const read = readWatchFile(root);
  if (read.kind === "missing") return null;
  const named = parseLockHolder(read);
  if (named === null) return { pid: 0, here: true, alive: false };
  const { pid, host, since } = named;
  // A process of another machine cannot be checked, so it counts as alive until it is ended there.
  if (host !== null && host !== hostname()) return { pid, here: false, alive: true };
  const began = read.kind === "object" ? getTextField(read.object, "began") : null;
  // A bare number does not identify a process: another one may have the number of a killed watch.
  const runs = read.kind === "object" || isWatchProcess(pid);
  const alive = runs && (began === null ? isProcessAlive(pid, since) : isProcessRunning({ pid, began }));
  return { pid, here: true, alive: alive && canHaveWrittenFile(pid, join(root, WATCH_PID_FILE)) };
}

/** Returns whether the process was started as `planner watch`, by any path. */
function isWatchProcess(pid: number): boolean {
  const words = readCommandLine(pid);
  const at = words.indexOf("watch");
  return words.slice(0, Math.max(at, 0)).some((word) => /^planner/i.test(basename(word)));
}

function readWatchFile(root: string): JsonReadResult {
  // Other programs read the number in the first line.
  return readJsonFile(join(root, WATCH_PID_FILE), { omits: /^\d+\r?\n(?=\{)/ });
}

function readWatchToken(root: string): string | null {
  const read = readWatchFile(root);
  return read.kind === "object" ? getTextField(read.object, "token") : null;
}

async function removeWatchFile(root: string): Promise<void> {
  try {
    await removeFileInOpenFolder(join(root, WATCH_PID_FILE));
  } catch (error) {
    throw convertToDiskError(`remove "${WATCH_PID_FILE}"`, error);
  }
}
