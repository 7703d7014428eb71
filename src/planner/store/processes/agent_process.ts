import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Readable, Writable } from "node:stream";
import { createPreconditionError, type OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import type { AgentExit } from "#planner/work/end_of_run.ts";
import { findSecretValues } from "../../work/secrets.ts";
import { describeSystemError } from "../files/disk_error.ts";
import { removeGitLocations } from "../git/start_git.ts";
import {
  endRunProcesses,
  listRunProcesses,
  PART_VARIABLE,
  type ProcessMark,
  RUN_VARIABLE,
  type RunProcessQuery,
  readProcessMark,
  sumCpuMs,
} from "./run_processes.ts";

export interface AgentStartOptions {
  /** Program and arguments, run without a shell. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Changes to this process's environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Text for its standard input, which is then closed; empty input if absent. */
  readonly input?: string;
  /** Id of the run, by which `endRun` finds the agent's processes. */
  readonly processId: string;
  /** Whether `stop` leaves other programs of the same run running. */
  readonly alone?: boolean;
}

/** Maximum folders above a program searched for its package. Chosen by planner: `dist/cli/index.js` needs three. */
const MAX_PACKAGE_LEVELS = 5;

/**
 * Returns the version of an installed program without running it: that of the npm package whose `bin` it is, else of a
 * path such as `claude/versions/2.1.0` or `Cellar/codex/0.46.0/bin/codex`. Null if neither contains a version.
 */
export async function findProgramVersion(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const found = isAbsolute(program) ? program : findProgram(program, env);
  const path = found === null ? null : await realpath(found).catch(() => null);
  if (path === null) return null;
  return (await readPackageVersion(path)) ?? parseVersionInPath(path, basename(program));
}

async function readPackageVersion(path: string): Promise<string | null> {
  let folder = dirname(path);
  for (let level = 0; level < MAX_PACKAGE_LEVELS; level++) {
    const { version, bin } = await readPackageManifest(folder);
    const files = typeof bin === "string" ? [bin] : isJsonObject(bin) ? Object.values(bin) : [];
    const isBin = files.some((file) => typeof file === "string" && relative(resolve(folder, file), path) === "");
    if (isBin && typeof version === "string") return version;
    folder = dirname(folder);
  }
  return null;
}

async function readPackageManifest(folder: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = JSON.parse(await readFile(resolve(folder, "package.json"), "utf8"));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function parseVersionInPath(path: string, program: string): string | null {
  const parts = path.split(sep);
  const at = parts.findLastIndex((part, index) => {
    const owner = parts[index - 1] === "versions" ? parts[index - 2] : parts[index - 1];
    return owner === program && /^v?\d+\.\d+/.test(part);
  });
  return at < 0 ? null : (parts[at]?.replace(/^v/, "") ?? null);
}

/** Time in milliseconds for which a reader waits for more output after every known process has ended. */
const DRAIN_MS = 1_000;

/** Output of a child process. Keeps the output until it is read, because the engine discards it when the child ends. */
class ChildOutput implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable;
  #closed = false;
  #wake: () => void = () => {};

  constructor(stream: Readable) {
    this.#stream = stream;
    // The listener also prevents the engine from emptying the stream.
    for (const event of ["readable", "end", "close", "error"]) stream.on(event, () => this.#wake());
  }

  /** Marks that no known process can print. Available output stays readable; a reader waits only briefly for more. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const chunk = this.#stream.read() as Uint8Array | null;
      if (chunk !== null) yield chunk;
      else if (this.#stream.readableEnded || this.#stream.destroyed || (await this.#isOver(woken))) return;
    }
  }

  /** Waits for more output. After `close`, returns true if none arrives within `DRAIN_MS`. */
  async #isOver(woken: Promise<void>): Promise<boolean> {
    if (!this.#closed) {
      await woken;
      return false;
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(true), DRAIN_MS);
    });
    const over = await Promise.race([woken.then(() => false), late]);
    clearTimeout(timer);
    if (over) this.#stream.destroy();
    return over;
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Opens the launcher of agents. The absolute path `root` is part of the name that marks a run's processes. */
export function openAgents(root: string) {
  const buildRunName = (processId: string): string => `${processId}@${root}`;
  return {
    /**
     * Starts a program in a new process group.
     *
     * @throws OperationError `failed_precondition` if it cannot be started, for example if it does not exist
     */
    start: (start: AgentStartOptions): Promise<AgentProcess> => startAgent(start, buildRunName(start.processId)),
    /** Returns a random UUID, for agents that require a session id from their caller. */
    createSessionId: (): string => randomUUID(),
    /** Returns false if a program's name is not on PATH. @param env variables in addition to planner's environment */
    isInstalled: (program: string, env: Readonly<Record<string, string>>) =>
      isProgramAvailable(program, { ...process.env, ...env }),
    /** Reads an installed program's version from files around it, without running it; null if they contain none. */
    findVersion: (program: string, env: Readonly<Record<string, string>>) =>
      findProgramVersion(program, { ...process.env, ...env }),
    /**
     * Ends the processes that a killed planner process left of a run: the agent's process group and, on Linux, every
     * process with the run's id in its environment. A process that reuses the agent's number is not affected.
     *
     * @returns the number of processes found
     */
    async endRun(
      { processId, agent }: { readonly processId: string; readonly agent: ProcessMark | null },
      graceMs: number,
    ): Promise<number> {
      const run: RunProcessQuery = { name: buildRunName(processId), leader: agent, trustGroup: false };
      return endRunProcesses(() => run, { graceMs });
    },
  };
}

async function startAgent(
  { argv, cwd, env, input, alone = false }: AgentStartOptions,
  name: string,
): Promise<AgentProcess> {
  const [program, ...args] = argv;
  if (program === undefined) throw createPreconditionError("Cannot start an agent: no program given");
  if (!existsSync(cwd)) throw buildStartError(program, `no such folder: "${cwd}"`);
  // Some programs use PWD as their working directory; a shell would have set it.
  const place = { PWD: cwd, OLDPWD: undefined };
  // The dates that git gives a hook belong to the hook's commit, not to the agent's commits.
  const dates = { GIT_AUTHOR_DATE: undefined, GIT_COMMITTER_DATE: undefined };
  const part = alone ? randomUUID() : undefined;
  const run = { [RUN_VARIABLE]: name, [PART_VARIABLE]: part };
  const environment = { ...removeGitLocations(process.env), ...place, ...dates, ...env, ...run };
  const child = await new Promise<Child>((resolve, reject) => {
    try {
      // A detached process has a separate session and process group, so that the terminal's Ctrl-C reaches only
      // planner.
      const started = spawn(program, args, {
        cwd,
        env: environment,
        stdio: ["pipe", "pipe", "pipe"],
        detached: true,
        windowsHide: true,
      });
      started.once("spawn", () => resolve(started));
      started.once("error", (error) => reject(buildStartError(program, describeSystemError(error))));
    } catch (error) {
      reject(buildStartError(program, describeSystemError(error)));
    }
  });
  // The program may end without reading its input.
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  return new AgentProcess(child, { name, part, secrets: findSecretValues(environment) });
}

function buildStartError(program: string, why: string): OperationError {
  return createPreconditionError(`Cannot start "${program}": ${why}`);
}

interface ChildFacts extends Pick<RunProcessQuery, "name" | "part"> {
  readonly secrets: readonly string[];
}

/** A program that was started for a run, with every process that it started. */
export class AgentProcess {
  readonly mark: ProcessMark;
  /** Standard output of the agent. Read both streams to their ends: a slow reader blocks the agent. */
  readonly stdout: ChildOutput;
  readonly stderr: ChildOutput;
  /** Secret values in the agent's environment, which must not appear in anything stored; see work/secrets.ts. */
  readonly secrets: readonly string[];
  /** Resolves when the process itself ends. Its children may run on and hold streams open until `stop` ends them. */
  readonly exited: Promise<AgentExit>;
  readonly #child: Child;
  readonly #name: string;
  readonly #part: string | undefined;
  readonly #hurry = new AbortController();
  #isGroupGone = false;
  #stopping: Promise<void> | undefined;

  constructor(child: Child, { name, part, secrets }: ChildFacts) {
    this.#child = child;
    this.#name = name;
    this.#part = part;
    this.secrets = secrets;
    this.mark = readProcessMark(child.pid ?? 0);
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    this.stdout = new ChildOutput(child.stdout);
    this.stderr = new ChildOutput(child.stderr);
  }

  /** Processor milliseconds of the agent and all processes that it started; null on systems without this figure. */
  cpuMs(): number | null {
    return process.platform === "linux" ? sumCpuMs(listRunProcesses(this.#describeProcesses())) : null;
  }

  /**
   * Ends the agent and every process that it started: sends SIGTERM, and SIGKILL after `graceMs` milliseconds. Resolves
   * when all have ended. Call it also after the agent exited by itself. A second call with a shorter grace period
   * replaces the first.
   */
  stop(graceMs: number): Promise<void> {
    if (this.#stopping === undefined) {
      this.#stopping = this.#stopProcesses(graceMs);
      return this.#stopping;
    }
    const cut = AbortSignal.timeout(graceMs);
    cut.addEventListener("abort", () => this.#hurry.abort());
    return this.#stopping;
  }

  async #stopProcesses(graceMs: number): Promise<void> {
    await endRunProcesses(() => this.#describeProcesses(), { graceMs, hurry: this.#hurry.signal });
    await this.exited;
    this.stdout.close();
    this.stderr.close();
  }

  #describeProcesses(): RunProcessQuery {
    const run = { name: this.#name, part: this.#part, leader: this.mark, trustGroup: !this.#isGroupGone };
    // The system may reuse the number of an empty process group.
    if (!this.#isGroupGone && this.#hasExited() && listRunProcesses(run).length === 0) this.#isGroupGone = true;
    return { ...run, trustGroup: !this.#isGroupGone };
  }

  #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}

/**
 * Returns whether a program is on the PATH of `env`. A program given by a path counts as present, because the path
 * depends on the folder in which it is started.
 */
export function isProgramAvailable(program: string, env: Readonly<Record<string, string | undefined>>): boolean {
  if (/[\\/]/.test(program)) return true;
  // Without a PATH the system searches its default folders.
  return getPathVariable(env) === undefined || findProgram(program, env) !== null;
}

/** Returns the path of a program by its name; null if no folder of the PATH has it. */
export function findProgram(program: string, env: Readonly<Record<string, string | undefined>>): string | null {
  const suffixes = process.platform === "win32" ? (env["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").split(";") : [];
  const names = [program, ...suffixes.map((ending) => program + ending)];
  const folders = getPathVariable(env)?.split(delimiter) ?? [];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutableFile) ?? null;
}

function getPathVariable(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env["PATH"] ?? env["Path"];
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
