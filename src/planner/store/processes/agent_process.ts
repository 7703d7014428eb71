import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { OperationError } from "#kernel/errors.ts";
import type { AgentExit, AgentProcess, AgentStart, Agents } from "#planner/run_ports/agents.ts";
import type { ProcessMark } from "#planner/run_ports/claims.ts";
import { secretValues } from "../../work/secrets.ts";
import { reason } from "../files/disk_error.ts";
import { withoutGitPlaces } from "../git/start_git.ts";
import { ChildOutput } from "./child_output.ts";
import { markProcess } from "./process_mark.ts";
import { isProgramThere } from "./program_lookup.ts";
import { programVersion } from "./program_version.ts";
import { cpuMsOf, endProcesses, processesOf, RUN_VARIABLE, type RunProcesses } from "./run_processes.ts";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Agents of the project in `root`, an absolute path, which distinguishes its runs from those of another project. */
export function openAgents(root: string): Agents {
  const nameOf = (processId: string): string => `${processId}@${root}`;
  return {
    start: (start) => startAgent(start, nameOf(start.processId)),
    newSession: () => randomUUID(),
    isThere: (program, env) => isProgramThere(program, { ...process.env, ...env }),
    version: (program, env) => programVersion(program, { ...process.env, ...env }),
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
  // Some programs take PWD for their working directory; a shell would have set it.
  const place = { PWD: cwd, OLDPWD: undefined };
  const environment = { ...withoutGitPlaces(process.env), ...place, ...env, [RUN_VARIABLE]: name };
  const child = await new Promise<Child>((resolve, reject) => {
    try {
      // Detached means a separate session and process group: the terminal's Ctrl-C reaches planner alone.
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
  return new ChildAgent(child, { name, secrets: secretValues(environment) });
}

function cannotStart(program: string, why: string): OperationError {
  return new OperationError("failed_precondition", `Cannot start "${program}": ${why}`);
}

class ChildAgent implements AgentProcess {
  readonly mark: ProcessMark;
  readonly stdout: ChildOutput;
  readonly stderr: ChildOutput;
  readonly secrets: readonly string[];
  readonly exited: Promise<AgentExit>;
  readonly #child: Child;
  readonly #name: string;
  readonly #hurry = new AbortController();
  #gone = false;
  #stopping: Promise<void> | undefined;

  constructor(child: Child, { name, secrets }: { readonly name: string; readonly secrets: readonly string[] }) {
    this.#child = child;
    this.#name = name;
    this.secrets = secrets;
    this.mark = markProcess(child.pid ?? 0);
    this.exited = exitOf(child);
    this.stdout = new ChildOutput(child.stdout);
    this.stderr = new ChildOutput(child.stderr);
  }

  cpuMs(): number | null {
    return process.platform === "linux" ? cpuMsOf(processesOf(this.#processes())) : null;
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
    this.stdout.close();
    this.stderr.close();
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
