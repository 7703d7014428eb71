import type { AgentExit, AgentProcess } from "#planner/run_ports/agents.ts";
import type { RunLog } from "#planner/run_ports/logs.ts";
import { AGENT_GRACE_MS } from "../../limits.ts";
import type { Hasher } from "../../program_ports.ts";
import { openAgentStream } from "../../work/agent_stream.ts";
import type { RunDeps, StopWishes } from "../run_types.ts";

/** Where commands run, and how long each may take. */
export interface CommandPlace {
  /** Absolute path of the folder to run them in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly processId: string;
  readonly log: RunLog;
  readonly stop: StopWishes;
  /** For each command. */
  readonly limitSeconds: number;
  /** What the log calls it; `verify` if left out. */
  readonly word?: string;
  /** Whether nothing more runs once one has not passed. */
  readonly stopAtFailure?: boolean;
}

/** What came of one command. */
export interface CommandResult {
  readonly command: string;
  /** Exit status; null if it was ended by a signal. */
  readonly status: number | null;
  readonly duration_ms: number;
  /** SHA-256 of what it printed on standard output. */
  readonly output_hash: string;
  /** Why it did not pass, as in `ended with status 1`, or null. */
  readonly problem: string | null;
}

/** Runs commands one after the other, their output going to the log. */
export async function verifyWork(
  deps: RunDeps,
  commands: readonly string[],
  place: CommandPlace,
): Promise<readonly CommandResult[]> {
  const results: CommandResult[] = [];
  for (const command of commands) {
    await place.log.line(`planner: ${place.word ?? "verify"}: ${command}`);
    const result = await runCommand(deps, command, place);
    results.push(result);
    if (result.problem !== null && place.stopAtFailure === true) break;
  }
  return results;
}

/** Runs one line of a shell to its end, or to its limit of time. */
async function runCommand(
  { ports, shell, context, files }: RunDeps,
  command: string,
  { cwd, env, processId, log, stop, limitSeconds }: CommandPlace,
): Promise<CommandResult> {
  const began = context.clock.now().getTime();
  const process = await ports.agents.start({ argv: shell(command), cwd, env, processId });
  let late = false;
  const end = (): void => void process.stop(0).catch(() => {});
  const timer = setTimeout(() => {
    late = true;
    end();
  }, limitSeconds * 1000);
  stop.soon.addEventListener("abort", end);
  if (stop.soon.aborted) end();
  try {
    const hash = files.hasher();
    const printed = Promise.all([copy(process, "stdout", log, hash), copy(process, "stderr", log, null)]);
    const exit = await process.exited;
    await process.stop(AGENT_GRACE_MS);
    await printed;
    const output_hash = hash.digest();
    const duration_ms = context.clock.now().getTime() - began;
    const problem = late ? `took over ${limitSeconds} ${limitSeconds === 1 ? "second" : "seconds"}` : problemOf(exit);
    return { command, status: exit.code, duration_ms, output_hash, problem };
  } finally {
    clearTimeout(timer);
    stop.soon.removeEventListener("abort", end);
    await process.stop(0);
  }
}

async function copy(
  process: AgentProcess,
  stream: "stdout" | "stderr",
  log: RunLog,
  hash: Hasher | null,
): Promise<void> {
  const reader = openAgentStream("text", process.secrets);
  for await (const chunk of process[stream]) {
    hash?.update(chunk);
    await log.printed(reader.push(chunk), "stdout");
  }
  await log.printed(reader.end().lines, "stdout");
}

function problemOf({ code, signal }: AgentExit): string | null {
  if (code === 0) return null;
  return code === null ? `was ended by ${signal ?? "a signal"}` : `ended with status ${code}`;
}
