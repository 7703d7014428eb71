import { Slots } from "#kernel/slots.ts";
import type { AgentExit, AgentProcess } from "#planner/run_ports/agents.ts";
import type { RunLog } from "#planner/run_ports/logs.ts";
import { counted } from "#words/names.ts";
import { AGENT_GRACE_MS } from "../../limits.ts";
import type { Hasher } from "../../program_ports.ts";
import { openAgentStream } from "../../work/agent_stream.ts";
import { type CommandResult, NOT_RUN } from "../../work/provenance.ts";
import type { RunDeps, StopWishes } from "../run_types.ts";

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
  /** How many run side by side; 1 if left out. */
  readonly width?: number;
}

/**
 * Runs commands in their order, their output going to the log. Once they are to end, none begins any more.
 */
export async function verifyWork(
  deps: RunDeps,
  commands: readonly string[],
  place: CommandPlace,
): Promise<readonly CommandResult[]> {
  const slots = new Slots(place.width ?? 1);
  let failed = false;
  const results = commands.map((command) =>
    slots.run(async () => {
      if (failed && place.stopAtFailure === true) return null;
      if (place.stop.soon.aborted) return { ...UNRUN, command };
      const word = place.word ?? "verify";
      await place.log.line(`planner: ${word}: ${command}`);
      const result = await runCommand(deps, command, place);
      failed ||= result.problem !== null;
      const seconds = (result.duration_ms / 1000).toFixed(1);
      await place.log.line(`planner: ${word}: ${result.problem ?? "passed"} after ${seconds} s: ${command}`);
      return result;
    }),
  );
  return (await Promise.all(results)).filter((result) => result !== null);
}

const UNRUN = { status: null, duration_ms: 0, output_hash: "", problem: NOT_RUN };

/** Runs one line of a shell to its end, or to its limit of time. */
async function runCommand(
  { ports, shell, context, files }: RunDeps,
  command: string,
  { cwd, env, processId, log, stop, limitSeconds, width = 1 }: CommandPlace,
): Promise<CommandResult> {
  const began = context.clock.now().getTime();
  const process = await ports.agents.start({ argv: shell(command), cwd, env, processId, alone: width > 1 });
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
    const problem = late ? `took over ${counted(limitSeconds, "second")}` : problemOf(exit);
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
