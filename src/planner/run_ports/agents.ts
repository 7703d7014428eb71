import type { ProcessMark } from "./claims.ts";

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

export interface AgentLauncher {
  /** Returns false if a program's name is not on PATH. @param env variables in addition to planner's environment */
  isInstalled(program: string, env: Readonly<Record<string, string>>): boolean;
  /** Reads an installed program's version from files around it, without running it; null if they contain none. */
  findVersion(program: string, env: Readonly<Record<string, string>>): Promise<string | null>;
  /** Returns a random UUID, for agents that require a session id from their caller. */
  createSessionId(): string;
  /**
   * Starts a program in a new process group.
   *
   * @throws OperationError `failed_precondition` if it cannot be started, for example if it does not exist
   */
  start(start: AgentStartOptions): Promise<AgentProcess>;
  /**
   * Ends the processes that a killed planner process left of a run: the agent's process group and, on Linux, every
   * process with the run's id in its environment. A process that reuses the agent's number is not affected.
   *
   * @returns the number of processes found
   */
  endRun(run: { readonly processId: string; readonly agent: ProcessMark | null }, graceMs: number): Promise<number>;
}

export interface AgentProcess {
  readonly mark: ProcessMark;
  /** Standard output of the agent. Read both streams to their ends: a slow reader blocks the agent. */
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Secret values in the agent's environment, which must not appear in anything stored; see work/secrets.ts. */
  readonly secrets: readonly string[];
  /** Processor milliseconds of the agent and all processes that it started; null on systems without this figure. */
  cpuMs(): number | null;
  /** Resolves when the process itself ends. Its children may run on and hold streams open until `stop` ends them. */
  readonly exited: Promise<AgentExit>;
  /**
   * Ends the agent and every process that it started: sends SIGTERM, and SIGKILL after `graceMs` milliseconds. Resolves
   * when all have ended. Call it also after the agent exited by itself. A second call with a shorter grace period
   * replaces the first.
   */
  stop(graceMs: number): Promise<void>;
}

/** How a process ended: exactly one of the exit code and the signal is null. */
export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
}
