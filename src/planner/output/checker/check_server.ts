import { Worker } from "node:worker_threads";
import type { OutputVerdict } from "#planner/ports.ts";
import { type CheckWatch, checkOutputValue } from "../check_output.ts";
import type { RunPatternTest } from "../patterns.ts";
import { type CheckAnswer, type CheckJob, type CheckLimits, createSlowPatternVerdict } from "./messages.ts";

/**
 * Kills the current process when a job exceeds its time limit or the parent process has ended. A second thread checks
 * both, because an endless match blocks its thread, including its timers.
 */
interface Watchdog {
  /** Starts a job that must end within `limitMs`. */
  startJob(limitMs: number): void;
  endJob(): void;
}

// The code is text, because a compiled program has no file that a second thread could load.
const WATCHDOG_CODE = `
const { workerData } = require("node:worker_threads");
const deadline = new Float64Array(workerData.deadline);
setInterval(() => {
  const orphaned = process.ppid !== workerData.parent;
  if (orphaned || Date.now() > deadline[0]) process.kill(process.pid, "SIGKILL");
}, 100);
`;

/**
 * Starts the thread that kills this process.
 * @param parent PID of the process that requested the checks; it may have exited before this one starts
 */
function startWatchdog(parent: number): Watchdog {
  const memory = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  const deadline = new Float64Array(memory);
  const setDeadline = (time: number): void => {
    deadline[0] = time;
  };
  setDeadline(Number.POSITIVE_INFINITY);
  new Worker(WATCHDOG_CODE, { eval: true, workerData: { deadline: memory, parent } }).unref();
  return {
    startJob: (limitMs) => setDeadline(Date.now() + limitMs),
    endJob: () => setDeadline(Number.POSITIVE_INFINITY),
  };
}

/** Minimum length of a text whose match is announced, in characters. Announcing takes longer than a shorter match. */
const MIN_ANNOUNCED_CHARS = 24;

/** Milliseconds after which the result "no match" is not trusted: Bun aborts a slow match and then reports no match. */
const DOUBTFUL_MATCH_MS = 250;

/** Milliseconds after the parent's limit at which the child exits by itself, if the parent has not killed it. */
const EXIT_GRACE_MS = 2_000;

class SlowPatternError extends Error {
  override readonly name = "SlowPattern";
  readonly verdict: OutputVerdict;

  constructor(verdict: OutputVerdict) {
    super("A pattern is too slow");
    this.verdict = verdict;
  }
}

export interface CheckServerOptions {
  /** PID of the parent process. */
  readonly parent: number;
  /** Jobs, one JSON object per line. */
  readonly input: AsyncIterable<string>;
  /** Writes whole lines; returns when they are written. */
  readonly writeLine: (line: string) => void;
}

/** Runs jobs until the input ends. */
export async function serveChecks({ parent, input, writeLine }: CheckServerOptions): Promise<void> {
  const watchdog = startWatchdog(parent);
  const sendAnswer = (message: CheckAnswer): void => writeLine(`${JSON.stringify(message)}\n`);
  for await (const line of splitLines(input)) {
    const job = JSON.parse(line) as CheckJob;
    watchdog.startJob(job.limits.checkMs + EXIT_GRACE_MS);
    sendAnswer({ verdict: runCheckJob(job, sendAnswer) });
    watchdog.endJob();
  }
}

async function* splitLines(input: AsyncIterable<string>): AsyncGenerator<string> {
  let rest: string[] = [];
  for await (const chunk of input) {
    const [first = "", ...more] = chunk.split("\n");
    rest.push(first);
    for (const next of more) {
      yield rest.join("");
      rest = [next];
    }
  }
}

function runCheckJob({ bundle, json, limits }: CheckJob, answer: (message: CheckAnswer) => void): OutputVerdict {
  try {
    return checkOutputValue(bundle, JSON.parse(json), createAnnouncingWatch(answer, limits));
  } catch (error) {
    if (error instanceof SlowPatternError) return error.verdict;
    throw error;
  }
}

/** Creates a `CheckWatch` that announces to the parent the start and end of each match that could be slow. */
function createAnnouncingWatch(answer: (message: CheckAnswer) => void, { patternMs }: CheckLimits): CheckWatch {
  let announced = false;
  const test: RunPatternTest = (pattern, text, match) => {
    if (text.length < MIN_ANNOUNCED_CHARS) {
      const started = performance.now();
      if (match()) return true;
      if (performance.now() - started < DOUBTFUL_MATCH_MS) return false;
    }
    answer({ pattern, characters: text.length });
    announced = true;
    const before = process.cpuUsage();
    const matched = match();
    const { user, system } = process.cpuUsage(before);
    if (!matched && (user + system) / 1000 > DOUBTFUL_MATCH_MS) {
      throw new SlowPatternError(createSlowPatternVerdict(pattern, text.length, patternMs));
    }
    return matched;
  };
  const interrupt = (): void => {
    if (announced) answer({ pattern: null });
    announced = false;
  };
  return { testPattern: test, interrupt };
}
