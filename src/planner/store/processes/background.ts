import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { basename, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { convertToDiskError, describeSystemError } from "../files/disk_error.ts";
import { type OpenFolder, openParentFolder } from "../files/open_folder.ts";
import { PROCESSES_FOLDER } from "../project/places.ts";
import { RUN_VARIABLE, runTaskkill, sendSignal } from "./run_processes.ts";

/** Flags that append to a file and reject a link. */
const APPEND_FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

const OUTPUT_FILE = `${PROCESSES_FOLDER}/background.log`;

export interface PlannerProgram {
  readonly root: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts `planner <args>` for the project in `root`, an absolute path, detached from this process and its terminal. Its
 * output is appended to `.planner/processes/background.log`.
 *
 * @param args without `--root`
 * @param env variables in addition to the program's
 * @returns the number of the process
 * @throws OperationError `unavailable` when it cannot be started
 */
export async function startInBackground(
  { root, command, env: own }: PlannerProgram,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const [program = "", ...first] = command;
  const output = openOutputFile(root);
  try {
    const child = spawn(program, [...first, ...args, "--root", root], {
      cwd: root,
      detached: true,
      windowsHide: true,
      stdio: ["ignore", output, output],
      // Ending a run ends all processes with its id. Work that an agent starts here is not part of its run, so
      // the id is removed.
      env: { ...own, [RUN_VARIABLE]: undefined, NO_COLOR: "1", ...env },
    });
    const pid = await waitForStart(child);
    child.unref();
    return pid;
  } finally {
    closeSync(output);
  }
}

function openOutputFile(root: string): number {
  let folder: OpenFolder | undefined;
  try {
    folder = openParentFolder(join(root, OUTPUT_FILE));
    return openSync(join(folder.path, basename(OUTPUT_FILE)), APPEND_FLAGS);
  } catch (error) {
    throw convertToDiskError(`write "${OUTPUT_FILE}"`, error);
  } finally {
    folder?.close();
  }
}

function waitForStart(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("spawn", () => resolve(child.pid ?? 0));
    child.once("error", (error) => {
      reject(
        new OperationError("unavailable", `Cannot start a process in the background: ${describeSystemError(error)}`),
      );
    });
  });
}

/** Asks a process to end (SIGTERM, on Windows taskkill); false if it has ended or must not receive signals. */
export async function terminateProcess(pid: number): Promise<boolean> {
  // 0 and negative numbers would signal whole process groups, including this process's own.
  if (!Number.isSafeInteger(pid) || pid <= 1) return false;
  if (process.platform !== "win32") return sendSignal(pid, "SIGTERM");
  // Only a process with a window can be asked to end; any other is ended by force.
  return (await runTaskkill(["/PID", String(pid)])) || (await runTaskkill(["/PID", String(pid), "/T", "/F"]));
}
