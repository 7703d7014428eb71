import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { OperationError } from "#kernel/errors.ts";
import type { AgentExit, AgentProcess, AgentStart, Agents, ProcessMark } from "../run_ports.ts";
import { reason } from "./disk_error.ts";
import { withoutGitPlaces } from "./git.ts";
import { markProcess } from "./process_mark.ts";
import { endProcesses, processesOf, RUN_VARIABLE, type RunProcesses } from "./run_processes.ts";

/** Time that streams get to end by themselves once every process is gone, in milliseconds. */
const DRAIN_MS = 1_000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Agents of the project in `root`, an absolute path: it tells its runs from those of another project. */
export function openAgents(root: string): Agents {
  const nameOf = (processId: string): string => `${processId}@${root}`;
  return {
    start: (start) => startAgent(start, nameOf(start.processId)),
    async endRun({ processId, agent }, graceMs) {
      const run: RunProcesses = { name: nameOf(processId), leader: agent, trustGroup: false };
      return endProcesses(() => run, { graceMs });
    },
  };
}

async function startAgent({ argv, cwd, env, input }: AgentStart, name: string): Promise<AgentProcess> {
  const [program, ...args] = argv;
  if (program === undefined) throw new OperationError("failed_precondition", "Cannot start an agent: no program given");
  if (!existsSync(cwd)) throw cannotStart(program, `no such folder: "${cwd}"`);
  const environment = { ...withoutGitPlaces(process.env), ...env, [RUN_VARIABLE]: name };
  const child = await new Promise<Child>((resolve, reject) => {
    try {
      // Detached means a session and a group of its own: the terminal's Ctrl-C reaches planner alone.
      const started = spawn(program, args, {
        cwd,
        env: environment,
        stdio: ["pipe", "pipe", "pipe"],
        detached: true,
        windowsHide: true,
      });
      started.once("spawn", () => resolve(started));
      started.once("error", (error) => reject(cannotStart(program, reason(error))));
    } catch (error) {
      reject(cannotStart(program, reason(error)));
    }
  });
  // It may end without having read.
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  return new ChildAgent(child, name);
}

function cannotStart(program: string, why: string): OperationError {
  return new OperationError("failed_precondition", `Cannot start "${program}": ${why}`);
}

class ChildAgent implements AgentProcess {
  readonly mark: ProcessMark;
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly exited: Promise<AgentExit>;
  readonly #child: Child;
  readonly #name: string;
  readonly #hurry = new AbortController();
  #gone = false;
  #stopping: Promise<void> | undefined;

  constructor(child: Child, name: string) {
    this.#child = child;
    this.#name = name;
    this.mark = markProcess(child.pid ?? 0);
    this.exited = exitOf(child);
    this.stdout = chunksOf(child.stdout);
    this.stderr = chunksOf(child.stderr);
  }

  stop(graceMs: number): Promise<void> {
    if (this.#stopping === undefined) {
      this.#stopping = this.#stop(graceMs);
      return this.#stopping;
    }
    const cut = AbortSignal.timeout(graceMs);
    cut.addEventListener("abort", () => this.#hurry.abort());
    return this.#stopping;
  }

  async #stop(graceMs: number): Promise<void> {
    await endProcesses(() => this.#processes(), { graceMs, hurry: this.#hurry.signal });
    await this.exited;
    // A process that could not be found may hold the other end for ever.
    const streams = [this.#child.stdout, this.#child.stderr];
    const ended = Promise.all(streams.map((stream) => endOf(stream)));
    await Promise.race([ended, sleep(DRAIN_MS, undefined, { ref: false })]);
    for (const stream of streams) stream.destroy();
  }

  #processes(): RunProcesses {
    const run = { name: this.#name, leader: this.mark, trustGroup: !this.#gone };
    // An empty group's number can be given to another one.
    if (!this.#gone && this.#hasExited() && processesOf(run).length === 0) this.#gone = true;
    return { ...run, trustGroup: !this.#gone };
  }

  #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}

function exitOf(child: Child): Promise<AgentExit> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
}

function endOf(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.readableEnded || stream.destroyed) resolve();
    else stream.once("close", resolve).once("end", resolve);
  });
}

/** The stream's bytes; its being closed from this side is an end as well. */
async function* chunksOf(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    if (!stream.destroyed) throw error;
  }
}
