import { TaskSlots } from "#kernel/slots.ts";
import type { AgentExit, AgentProcess, AgentStartOptions } from "#planner/run_ports/agents.ts";
import type { RunLog } from "#planner/run_ports/run_ports.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { AGENT_GRACE_MS } from "../../limits.ts";
import type { Hasher } from "../../program_ports.ts";
import { openAgentStream } from "../../work/agent_stream.ts";
import { type CommandResult, cleanLastLines, describeMissingProgram, NOT_RUN_RESULT } from "../../work/provenance.ts";
import type { LocatedJob, RunDeps } from "../run_types.ts";
import { buildAgentEnvironment } from "./place.ts";

export interface CommandRules {
  /** Time limit of each command in seconds. */
  readonly limitSeconds: number;
  /** Prefix of the log lines; by default `verify`. */
  readonly logPrefix?: string;
  /** Whether to start no further command after one that has not passed. */
  readonly stopAtFailure?: boolean;
  /** Maximum number of commands that run at the same time; by default 1. */
  readonly width?: number;
}

/** Runs commands in their order and writes their output to the log. After a stop signal, starts no further command. */
export async function runCommands(
  deps: RunDeps,
  job: LocatedJob,
  commands: readonly string[],
  rules: CommandRules,
): Promise<readonly CommandResult[]> {
  const { logPrefix = "verify", width = 1, stopAtFailure = false } = rules;
  const slots = new TaskSlots(width);
  let failed = false;
  const results = commands.map((command) =>
    slots.runInSlot(async () => {
      if (failed && stopAtFailure) return null;
      if (job.stop.soon.aborted) return { ...NOT_RUN_RESULT, command };
      await job.log.line(`planner: ${logPrefix}: ${command}`);
      const result = await runCommand(deps, command, job, rules);
      failed ||= result.problem !== null;
      const seconds = (result.duration_ms / 1000).toFixed(1);
      await job.log.line(`planner: ${logPrefix}: ${result.problem ?? "passed"} after ${seconds} s: ${command}`);
      return result;
    }),
  );
  return (await Promise.all(results)).filter((result) => result !== null);
}

/** Runs one line in a shell until it ends or its time limit is reached. */
async function runCommand(
  deps: RunDeps,
  command: string,
  { id, place, processId, log, stop }: LocatedJob,
  { limitSeconds, width = 1 }: CommandRules,
): Promise<CommandResult> {
  const { buildShellCommand, files, context } = deps;
  const began = context.clock.now().getTime();
  const env = buildAgentEnvironment(deps, id, place);
  const start = { argv: buildShellCommand(command), cwd: place.root, env, processId, alone: width > 1 };
  const hash = files.createHasher();
  const last: string[] = [];
  const { exit, watch } = await superviseProgram(deps, start, {
    watch: (process) => watchTimeLimit(process, limitSeconds, stop.soon),
    readOutput: (process) =>
      Promise.all([
        copyOutputToLog(process, "stdout", { log, hash, last }),
        copyOutputToLog(process, "stderr", { log, hash: null, last }),
      ]),
  });
  const duration_ms = context.clock.now().getTime() - began;
  const problem = watch.late() ? `took over ${formatCountWithNoun(limitSeconds, "second")}` : describeCommandExit(exit);
  const last_lines = problem === null ? [] : cleanLastLines(last);
  const result = { command, status: exit.code, duration_ms, output_hash: hash.digest(), problem };
  return last_lines.length === 0 ? result : { ...result, last_lines };
}

/** Ends a program at its time limit and when `stop` is aborted. */
function watchTimeLimit(process: AgentProcess, seconds: number, stop: AbortSignal) {
  let late = false;
  const endProgram = (): void => void process.stop(0).catch(() => {});
  const timer = setTimeout(() => {
    late = true;
    endProgram();
  }, seconds * 1000);
  const removeListener = callOnAbort(stop, endProgram);
  return {
    late: () => late,
    close() {
      clearTimeout(timer);
      removeListener();
    },
  };
}

interface OutputCopy {
  readonly log: RunLog;
  readonly hash: Hasher | null;
  /** Receives the last lines of all streams, in the order of the log. */
  readonly last: string[];
}

async function copyOutputToLog(
  process: AgentProcess,
  stream: "stdout" | "stderr",
  { log, hash, last }: OutputCopy,
): Promise<void> {
  const reader = openAgentStream("text", process.secrets);
  const end = new OutputEnd();
  const copyLines = (read: readonly string[]): Promise<void> => {
    last.splice(0, Math.max(0, last.length + read.length - MAX_TAIL_LINES));
    last.push(...read.slice(-MAX_TAIL_LINES));
    return log.printed(read, "stdout");
  };
  let [bytes, lines] = [0, 0];
  for await (const chunk of process[stream]) {
    hash?.update(chunk);
    // Only whole lines are left out, because half a secret would not be masked.
    const cut = bytes > MAX_LOGGED_BYTES || lines > MAX_LOGGED_LINES ? chunk.lastIndexOf(NEWLINE) + 1 : 0;
    if (end.hasBegun || cut > 0) {
      if (!end.hasBegun) await copyLines(reader.push(chunk.subarray(0, cut)));
      end.addChunk(end.hasBegun ? chunk : chunk.subarray(cut));
      continue;
    }
    const read = reader.push(chunk);
    [bytes, lines] = [bytes + chunk.length, lines + read.length];
    await copyLines(read);
  }
  const { omitted, last: rest } = end.take();
  if (omitted > 0) await log.line(`planner: ${formatCountWithNoun(omitted, "byte")} of this output are left out here`);
  await copyLines([...reader.push(rest), ...reader.end().lines]);
}

/** Bytes and lines of a check's output that are logged from its start. Chosen by planner: far more than people read. */
const MAX_LOGGED_BYTES = 4 * 1024 * 1024;
const MAX_LOGGED_LINES = 50_000;

/** Lines that are held for the end of a failed command's output, blank ones among them. */
const MAX_TAIL_LINES = 50;

/** Bytes that are logged from the end of a longer output. Chosen by planner: it holds the summary of a test run. */
const MAX_END_BYTES = 256 * 1024;

const NEWLINE = 10;

/** The last bytes of an output, from the start of a line. Splitting 100 MB into lines would take a minute. */
class OutputEnd {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #omitted = 0;
  hasBegun = false;

  addChunk(chunk: Uint8Array): void {
    this.hasBegun = true;
    // The engine reuses the memory of a chunk.
    this.#chunks.push(chunk.slice());
    this.#bytes += chunk.length;
    while (this.#bytes - (this.#chunks[0]?.length ?? 0) >= MAX_END_BYTES) {
      const dropped = this.#chunks.shift()?.length ?? 0;
      this.#bytes -= dropped;
      this.#omitted += dropped;
    }
  }

  take(): { readonly omitted: number; readonly last: Uint8Array } {
    const kept = Buffer.concat(this.#chunks);
    if (this.#omitted === 0) return { omitted: 0, last: kept };
    const start = kept.indexOf(NEWLINE) + 1;
    // An end without a line break could begin within a secret.
    const last = start === 0 ? kept.subarray(kept.length) : kept.subarray(start);
    return { omitted: this.#omitted + kept.length - last.length, last };
  }
}

function describeCommandExit({ code, signal }: AgentExit): string | null {
  if (code === 0) return null;
  const missing = describeMissingProgram(code);
  if (missing !== null) return missing;
  return code === null ? `was ended by ${signal ?? "a signal"}` : `ended with status ${code}`;
}

export interface Supervision<Watch, Printed> {
  /** Called once the program runs; its result is closed after the program has ended. */
  readonly watch: (program: AgentProcess) => Watch;
  /** Awaited before any output is read. */
  readonly onStart?: (program: AgentProcess, watch: Watch) => Promise<void>;
  /** Reads both streams to their ends. If it fails, the program is ended, because it would block without a reader. */
  readonly readOutput: (program: AgentProcess, watch: Watch) => Promise<Printed>;
}

/** Runs a program and reads its output. On return or throw, it and every process that it started have ended. */
export async function superviseProgram<Watch extends { close(): void }, Printed>(
  { ports }: RunDeps,
  start: AgentStartOptions,
  supervision: Supervision<Watch, Printed>,
): Promise<{ readonly exit: AgentExit; readonly watch: Watch; readonly printed: Printed }> {
  const program = await ports.agents.start(start);
  const watch = supervision.watch(program);
  try {
    await supervision.onStart?.(program, watch);
    const printed = supervision.readOutput(program, watch);
    const failed = printed.then(
      () => new Promise<never>(() => {}),
      (error: unknown) => Promise.reject(error),
    );
    const exit = await Promise.race([program.exited, failed]);
    // Child processes may hold the streams open, so they end first.
    await program.stop(AGENT_GRACE_MS);
    return { exit, watch, printed: await printed };
  } finally {
    watch.close();
    await program.stop(0);
  }
}

/** Calls `use` when the signal is aborted, at once if it already is; returns a function that removes the listener. */
export function callOnAbort(signal: AbortSignal, use: () => void): () => void {
  signal.addEventListener("abort", use);
  if (signal.aborted) use();
  return () => signal.removeEventListener("abort", use);
}
