import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { OperationError } from "#kernel/errors.ts";
import type { OutputVerdict } from "#planner/ports.ts";
import { getSelfCommand, getSelfEnvironment } from "#runtime/self_command.ts";
import { CHECK_COMMAND } from "./check_command.ts";
import {
  type CheckAnswer,
  type CheckJob,
  type CheckLimits,
  type CheckQuestion,
  createSlowCheckVerdict,
  createSlowPatternVerdict,
} from "./messages.ts";

/** Milliseconds after which an idle child exits: the outputs of one lint run follow each other at once. */
const IDLE_MS = 1_000;

interface Pending {
  readonly line: string;
  readonly resolve: (verdict: OutputVerdict) => void;
  readonly reject: (error: OperationError) => void;
}

/**
 * Checks outputs in a child process, which can be killed during an endless match; a thread could not be.
 *
 * Jobs run one after another in one child. It starts with the first job, is replaced after it was killed, and exits
 * when its input ends: after an idle time, or when this process exits. It never keeps this process alive.
 */
export class CheckProcess {
  readonly #limits: CheckLimits;
  readonly #waiting: Pending[] = [];
  #child: ChildProcess | undefined;
  #job: Pending | undefined;
  #jobTimer: NodeJS.Timeout | undefined;
  #patternTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(limits: CheckLimits) {
    this.#limits = limits;
  }

  /** Checks one output; throws OperationError `unavailable` if no child starts or it exits unexpectedly. */
  check(question: CheckQuestion): Promise<OutputVerdict> {
    const job: CheckJob = { ...question, limits: this.#limits };
    const { promise, resolve, reject } = Promise.withResolvers<OutputVerdict>();
    this.#waiting.push({ line: `${JSON.stringify(job)}\n`, resolve, reject });
    this.#next();
    return promise;
  }

  #next(): void {
    if (this.#job !== undefined) return;
    clearTimeout(this.#idleTimer);
    this.#job = this.#waiting.shift();
    if (this.#job === undefined) {
      this.#rest();
      return;
    }
    const { checkMs } = this.#limits;
    this.#jobTimer = setTimeout(() => this.#kill(createSlowCheckVerdict(checkMs)), checkMs);
    try {
      this.#child ??= this.#start();
      this.#child.stdin?.write(this.#job.line);
    } catch (error) {
      this.#failed(error instanceof Error ? error.message : String(error));
    }
  }

  #rest(): void {
    const child = this.#child;
    if (child === undefined) return;
    this.#idleTimer = setTimeout(() => this.#dismiss(child), IDLE_MS);
    this.#idleTimer.unref();
  }

  #dismiss(child: ChildProcess): void {
    if (this.#child === child) this.#child = undefined;
    child.stdin?.end();
  }

  #start(): ChildProcess {
    const [program = "", ...args] = getSelfCommand();
    const child = spawn(program, [...args, CHECK_COMMAND, String(process.pid)], {
      stdio: ["pipe", "pipe", "inherit"],
      env: getSelfEnvironment() as NodeJS.ProcessEnv,
      windowsHide: true,
    });
    child.once("error", (error) => this.#lost(child, error.message));
    child.once("exit", (code, signal) => this.#lost(child, signal ?? `status ${code}`));
    // The exit event reports a child that is gone, so errors of writing to it are ignored.
    child.stdin.on("error", () => {});
    releaseChild(child);
    createInterface({ input: child.stdout }).on("line", (line) => this.#hear(child, JSON.parse(line)));
    return child;
  }

  #hear(child: ChildProcess, answer: CheckAnswer): void {
    if (child !== this.#child) return;
    clearTimeout(this.#patternTimer);
    if ("verdict" in answer) this.#finish((job) => job.resolve(answer.verdict));
    else if (answer.pattern !== null) {
      const { patternMs } = this.#limits;
      const verdict = createSlowPatternVerdict(answer.pattern, answer.characters, patternMs);
      this.#patternTimer = setTimeout(() => this.#kill(verdict), patternMs);
    }
  }

  #kill(verdict: OutputVerdict): void {
    const child = this.#child;
    this.#child = undefined;
    child?.kill("SIGKILL");
    this.#finish((job) => job.resolve(verdict));
  }

  #lost(child: ChildProcess, why: string): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    this.#failed(why);
  }

  #failed(why: string): void {
    const error = new OperationError("unavailable", `The process that checks outputs does not run: ${why}`);
    this.#finish((job) => job.reject(error));
  }

  #finish(tell: (job: Pending) => void): void {
    clearTimeout(this.#jobTimer);
    clearTimeout(this.#patternTimer);
    const job = this.#job;
    this.#job = undefined;
    if (job !== undefined) tell(job);
    this.#next();
  }
}

/**
 * Lets this process exit while the child waits for jobs. During a job its timer keeps this process alive, because Bun
 * never releases a pipe again on which `ref` was called.
 */
function releaseChild(child: ChildProcess): void {
  // The pipes of a child are sockets, which their declared type does not show.
  for (const each of [child, child.stdin, child.stdout] as readonly ({ unref?(): void } | null)[]) each?.unref?.();
}
