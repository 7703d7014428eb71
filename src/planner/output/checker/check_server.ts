import { Worker } from "node:worker_threads";
import type { OutputVerdict } from "#planner/work/judge_output.ts";
import { OutputChecker } from "../check_output.ts";
import type { RunPatternTest } from "../compile_schema.ts";
import {
  type CheckAnswer,
  type CheckJob,
  type CheckLimits,
  createSlowPatternVerdict,
  formatMessageLine,
} from "./messages.ts";

/**
 * Kills the current process when a job or a match exceeds its time limit, or the parent process has ended. A second
 * thread checks this, because an endless match blocks its thread, including its timers.
 */
interface Watchdog {
  /** Starts a job that must end within `limitMs`. */
  startJob(limitMs: number): void;
  endJob(): void;
  /** Starts a match. If it does not end within `limitMs`, the thread writes `answer` before it kills. */
  startMatch(answer: CheckAnswer, limitMs: number): void;
  endMatch(): void;
}

// The code is text, because a compiled program has no file that a second thread could load. `state` holds the time at
// which the job has to end, the same of the match, and the number of bytes of the answer to write then.
const WATCHDOG_CODE = `
const { workerData } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const state = new Float64Array(workerData.state);
setInterval(() => {
  const now = Date.now();
  if (now > state[1]) writeSync(1, new Uint8Array(workerData.answer).slice(0, state[2]));
  if (now > state[1] || now > state[0] || process.ppid !== workerData.parent) process.kill(process.pid, "SIGKILL");
}, 100);
`;

const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Starts the thread that kills this process.
 * @param parent PID of the process that requested the checks; it may have exited before this one starts
 */
function startWatchdog(parent: number): Watchdog {
  const answer = new SharedArrayBuffer(MAX_ANSWER_BYTES);
  const answerBytes = Buffer.from(answer);
  const state = new Float64Array(new SharedArrayBuffer(3 * Float64Array.BYTES_PER_ELEMENT));
  const setDeadline = (index: 0 | 1, limitMs: number): void => {
    state[index] = Date.now() + limitMs;
  };
  const endJob = (): void => setDeadline(0, Number.POSITIVE_INFINITY);
  const endMatch = (): void => setDeadline(1, Number.POSITIVE_INFINITY);
  endJob();
  endMatch();
  new Worker(WATCHDOG_CODE, { eval: true, workerData: { state: state.buffer, answer, parent } }).unref();
  return {
    startJob: (limitMs) => setDeadline(0, limitMs),
    endJob,
    startMatch: (message, limitMs) => {
      state[2] = answerBytes.write(formatMessageLine(message));
      setDeadline(1, limitMs);
    },
    endMatch,
  };
}

/** Minimum length of a text whose match is watched, in characters. Watching takes longer than a shorter match. */
const MIN_WATCHED_CHARS = 24;

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
  let last: { readonly schemas: string; readonly checker: OutputChecker } | undefined;
  for await (const line of splitLines(input)) {
    const { schemas, json, limits } = JSON.parse(line) as CheckJob;
    watchdog.startJob(limits.checkMs + EXIT_GRACE_MS);
    if (last?.schemas !== schemas) {
      last = { schemas, checker: new OutputChecker(JSON.parse(schemas), createWatchedTest(watchdog, limits)) };
    }
    writeLine(formatMessageLine({ verdict: checkJson(last.checker, json) }));
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

function checkJson(checker: OutputChecker, json: string): OutputVerdict {
  try {
    return checker.checkJson(json);
  } catch (error) {
    if (error instanceof SlowPatternError) return error.verdict;
    throw error;
  }
}

/** Creates a `RunPatternTest` with the watchdog beside each match that could be slow. */
function createWatchedTest(watchdog: Watchdog, { patternMs }: CheckLimits): RunPatternTest {
  return (pattern, text, match) => {
    if (text.length < MIN_WATCHED_CHARS) {
      const started = performance.now();
      if (match()) return true;
      if (performance.now() - started < DOUBTFUL_MATCH_MS) return false;
    }
    const verdict = createSlowPatternVerdict(pattern, text.length, patternMs);
    watchdog.startMatch({ verdict, isLast: true }, patternMs);
    const before = process.cpuUsage();
    const matched = match();
    const { user, system } = process.cpuUsage(before);
    watchdog.endMatch();
    if (!matched && (user + system) / 1000 > DOUBTFUL_MATCH_MS) throw new SlowPatternError(verdict);
    return matched;
  };
}
