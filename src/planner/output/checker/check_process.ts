import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { describeError, OperationError } from "#kernel/errors.ts";
import type { OutputVerdict } from "#planner/work/judge_output.ts";
import { describeReplacedProgram, getSelfCommand, getSelfEnvironment } from "#runtime/self_command.ts";
import {
  CHECK_COMMAND,
  type CheckAnswer,
  type CheckJob,
  type CheckLimits,
  type CheckRequest,
  createSlowCheckVerdict,
  formatMessageLine,
} from "./messages.ts";

/** Milliseconds after which an idle child exits: the outputs of one lint run follow each other at once. */
const CHILD_IDLE_MS = 1_000;

interface PendingCheck {
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
  readonly #waitingJobs: PendingCheck[] = [];
  #child: ChildProcess | undefined;
  #currentJob: PendingCheck | undefined;
  #jobTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(limits: CheckLimits) {
    this.#limits = limits;
  }

  /** Checks one output; throws OperationError `unavailable` if no child starts or it exits unexpectedly. */
  checkOutput({ bundle, json }: CheckRequest): Promise<OutputVerdict> {
    const job: CheckJob = { schemas: JSON.stringify(bundle), json, limits: this.#limits };
    const { promise, resolve, reject } = Promise.withResolvers<OutputVerdict>();
    this.#waitingJobs.push({ line: formatMessageLine(job), resolve, reject });
    this.#startNextJob();
    return promise;
  }

  #startNextJob(): void {
    if (this.#currentJob !== undefined) return;
    clearTimeout(this.#idleTimer);
    this.#currentJob = this.#waitingJobs.shift();
    if (this.#currentJob === undefined) {
      this.#startIdleTimer();
      return;
    }
    const { checkMs } = this.#limits;
    this.#jobTimer = setTimeout(() => this.#killChild(createSlowCheckVerdict(checkMs)), checkMs);
    try {
      this.#child ??= this.#startChild();
      this.#child.stdin?.write(this.#currentJob.line);
    } catch (error) {
      this.#failJob(describeError(error));
    }
  }

  #startIdleTimer(): void {
    const child = this.#child;
    if (child === undefined) return;
    this.#idleTimer = setTimeout(() => this.#endChild(child), CHILD_IDLE_MS);
    this.#idleTimer.unref();
  }

  #endChild(child: ChildProcess): void {
    if (this.#child === child) this.#child = undefined;
    child.stdin?.end();
  }

  #startChild(): ChildProcess {
    const [program = "", ...args] = getSelfCommand();
    const child = spawn(program, [...args, CHECK_COMMAND, String(process.pid)], {
      stdio: ["pipe", "pipe", "inherit"],
      env: getSelfEnvironment() as NodeJS.ProcessEnv,
      windowsHide: true,
    });
    child.once("error", (error) => this.#handleChildEnd(child, error.message));
    child.once("exit", (code, signal) => this.#handleChildEnd(child, signal ?? `status ${code}`));
    // The exit event reports a child that is gone, so errors of writing to it are ignored.
    child.stdin.on("error", () => {});
    releaseChild(child);
    createInterface({ input: child.stdout }).on("line", (line) => this.#readAnswer(child, line));
    return child;
  }

  #readAnswer(child: ChildProcess, line: string): void {
    try {
      this.#handleAnswer(child, JSON.parse(line));
    } catch {
      // Another version of planner may have replaced this one's file.
      child.kill("SIGKILL");
      this.#handleChildEnd(child, `it printed "${line.slice(0, 80)}"`);
    }
  }

  #handleAnswer(child: ChildProcess, { verdict, isLast }: CheckAnswer): void {
    if (child !== this.#child) return;
    if (isLast) this.#child = undefined;
    this.#finishJob((job) => job.resolve(verdict));
  }

  #killChild(verdict: OutputVerdict): void {
    const child = this.#child;
    this.#child = undefined;
    child?.kill("SIGKILL");
    this.#finishJob((job) => job.resolve(verdict));
  }

  #handleChildEnd(child: ChildProcess, why: string): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    this.#failJob(why + describeReplacedProgram());
  }

  #failJob(why: string): void {
    const error = new OperationError("unavailable", `The process that checks outputs does not run: ${why}`);
    this.#finishJob((job) => job.reject(error));
  }

  #finishJob(tell: (job: PendingCheck) => void): void {
    clearTimeout(this.#jobTimer);
    const job = this.#currentJob;
    this.#currentJob = undefined;
    if (job !== undefined) tell(job);
    this.#startNextJob();
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
