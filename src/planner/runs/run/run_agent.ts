import type { StreamKind } from "../../config/provider_values.ts";
import { AGENT_GRACE_MS, CLAIM_CHECK_MS } from "../../limits.ts";
import type { AgentExit, AgentProcess, AgentStart, Claim, RunLog } from "../../run_ports.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { openAgentStream } from "../../work/agent_stream.ts";
import type { RunDeps, StopWishes } from "../run_types.ts";

/** Most of an agent's output that is taken in one turn, in bytes. Ours: some hundred lines. */
const TURN_BYTES = 32 * 1024;

export interface AgentRun {
  readonly id: SpecId;
  readonly start: AgentStart;
  readonly stream: StreamKind;
  readonly log: RunLog;
  readonly claim: Claim;
  readonly stop: StopWishes;
  /** Asked once the agent is known to others: false when the run was ended before that. */
  readonly stillWanted: () => Promise<boolean>;
}

/** What came of an agent that is gone with everything that it started. */
export interface AgentEnd {
  readonly exit: AgentExit;
  readonly output: string;
  /** What the agent itself says went wrong, or null. */
  readonly failure: string | null;
  /** True when the stop wishes ended it. */
  readonly interrupted: boolean;
  /** False when somebody else has taken the spec meanwhile. */
  readonly claimed: boolean;
}

/**
 * Runs an agent to its end, its output going to the log as it comes. When this returns or throws, the agent and
 * everything that it started are gone.
 */
export async function runAgent(deps: RunDeps, run: AgentRun): Promise<AgentEnd> {
  const agent = await deps.ports.agents.start(run.start);
  const watch = watchOver(agent, run);
  try {
    if (!(await run.claim.noteAgent(agent.mark))) watch.loseClaim();
    else if (!(await run.stillWanted())) watch.end(0);
    const printed = Promise.all([readOutput(deps, agent, run), readErrors(deps, agent, run)]);
    // Whoever fails to read must not leave the agent waiting for a reader.
    const failed = printed.then(
      () => new Promise<never>(() => {}),
      (error: unknown) => Promise.reject(error),
    );
    const exit = await Promise.race([agent.exited, failed]);
    // What it started and left behind ends with it; only then do the streams end for certain.
    await agent.stop(AGENT_GRACE_MS);
    const [answer] = await printed;
    return { exit, ...answer, interrupted: watch.interrupted(), claimed: watch.claimed() };
  } finally {
    watch.close();
    await agent.stop(0);
  }
}

interface Watch {
  end(graceMs: number): void;
  loseClaim(): void;
  interrupted(): boolean;
  claimed(): boolean;
  close(): void;
}

/** Ends the agent when the stop wishes say so, and when the claim is lost. */
function watchOver(agent: AgentProcess, { stop, claim }: AgentRun): Watch {
  let interrupted = false;
  let claimed = true;
  const end = (graceMs: number): void => {
    agent.stop(graceMs).catch(() => {});
  };
  const onSoon = (): void => {
    interrupted = true;
    end(AGENT_GRACE_MS);
  };
  const onNow = (): void => end(0);
  const loseClaim = (): void => {
    claimed = false;
    end(AGENT_GRACE_MS);
  };
  const check = setInterval(() => {
    // A check that fails says nothing about the claim; the next one is soon.
    claim.renew().then(
      (own) => (own ? undefined : loseClaim()),
      () => {},
    );
  }, CLAIM_CHECK_MS);
  stop.soon.addEventListener("abort", onSoon);
  stop.now.addEventListener("abort", onNow);
  if (stop.soon.aborted) onSoon();
  if (stop.now.aborted) onNow();
  return {
    end,
    loseClaim,
    interrupted: () => interrupted,
    claimed: () => claimed,
    close() {
      clearInterval(check);
      stop.soon.removeEventListener("abort", onSoon);
      stop.now.removeEventListener("abort", onNow);
    },
  };
}

async function readOutput(
  { tell }: RunDeps,
  agent: AgentProcess,
  { id, log, stream }: AgentRun,
): Promise<{ readonly output: string; readonly failure: string | null }> {
  const reader = openAgentStream(stream);
  const write = async (lines: readonly string[]): Promise<void> => {
    const written = log.printed(lines, "stdout");
    for (const text of lines) tell({ event: "output", spec_id: id, text });
    await written;
  };
  for await (const piece of inTurns(agent.stdout)) await write(reader.push(piece));
  const { lines, output, failure } = reader.end();
  await write(lines);
  return { output, failure };
}

async function readErrors({ tell }: RunDeps, agent: AgentProcess, { id, log }: AgentRun): Promise<void> {
  const reader = openAgentStream("text");
  const write = async (lines: readonly string[]): Promise<void> => {
    const written = log.printed(lines, "stderr");
    for (const line of lines) tell({ event: "output", spec_id: id, text: `stderr: ${line}` });
    await written;
  };
  for await (const piece of inTurns(agent.stderr)) await write(reader.push(piece));
  await write(reader.end().lines);
}

/** The turn that was given last; each is a round of the event loop of its own. */
let lastTurn: Promise<unknown> = Promise.resolve();

/** One piece of one agent at a time: of twenty that flood us at once, no more than that is garbage in one go. */
async function* inTurns(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += TURN_BYTES) {
      lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
      await lastTurn;
      yield chunk.subarray(start, start + TURN_BYTES);
    }
  }
}
