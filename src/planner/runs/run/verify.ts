import { AGENT_GRACE_MS } from "../../limits.ts";
import type { AgentExit, AgentProcess, RunLog } from "../../run_ports.ts";
import { openAgentStream } from "../../work/agent_stream.ts";
import type { RunDeps, StopWishes } from "../run_types.ts";

export interface Verification {
  readonly commands: readonly string[];
  /** Absolute path of the folder to run them in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly processId: string;
  readonly log: RunLog;
  readonly stop: StopWishes;
  /** For each command. */
  readonly limitSeconds: number;
}

/**
 * Runs the configured commands one after the other, their output going to the log.
 *
 * @returns one line for each that did not pass
 */
export async function verifyWork(deps: RunDeps, verification: Verification): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const command of verification.commands) {
    await verification.log.line(`planner: verify: ${command}`);
    const problem = await runCommand(deps, command, verification);
    if (problem !== null) failed.push(`"${command}" ${problem}`);
  }
  return failed;
}

async function runCommand(
  { ports, shell }: RunDeps,
  command: string,
  { cwd, env, processId, log, stop, limitSeconds }: Verification,
): Promise<string | null> {
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
    const printed = Promise.all([copy(process.stdout, log), copy(process.stderr, log)]);
    const exit = await process.exited;
    await process.stop(AGENT_GRACE_MS);
    await printed;
    return late ? `took over ${limitSeconds} ${limitSeconds === 1 ? "second" : "seconds"}` : problemOf(exit);
  } finally {
    clearTimeout(timer);
    stop.soon.removeEventListener("abort", end);
    await process.stop(0);
  }
}

async function copy(stream: AgentProcess["stdout"], log: RunLog): Promise<void> {
  const reader = openAgentStream("text");
  for await (const chunk of stream) await log.printed(reader.push(chunk), "stdout");
  await log.printed(reader.end().lines, "stdout");
}

function problemOf({ code, signal }: AgentExit): string | null {
  if (code === 0) return null;
  return code === null ? `was ended by ${signal ?? "a signal"}` : `ended with status ${code}`;
}
