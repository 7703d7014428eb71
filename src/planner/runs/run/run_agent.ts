import type { AgentExit, AgentProcess, AgentStart } from "#planner/run_ports/agents.ts";
import type { Claim } from "#planner/run_ports/claims.ts";
import type { RunLog } from "#planner/run_ports/logs.ts";
import type { LimitSettings } from "../../config/config.ts";
import type { StreamKind } from "../../config/provider_values.ts";
import { AGENT_GRACE_MS, CLAIM_CHECK_MS, MAX_STEP_CHARS } from "../../limits.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { type AgentAnswer, type AgentStream, openAgentStream } from "../../work/agent_stream.ts";
import { errorLine } from "../../work/error_line.ts";
import { type Allowing, allowingLine } from "../../work/providers/grant.ts";
import type { Usage } from "../../work/usage.ts";
import type { RunDeps, StopWishes } from "../run_types.ts";
import { LimitWatch } from "./limit_watch.ts";

/** Most of an agent's output that is taken in one turn, in bytes. Ours: some hundred lines. */
const TURN_BYTES = 32 * 1024;

export interface AgentRun {
  readonly id: SpecId;
  readonly start: AgentStart;
  readonly stream: StreamKind;
  readonly log: RunLog;
  readonly claim: Claim;
  readonly stop: StopWishes;
  readonly limits: LimitSettings;
  /** Called with all that the agent reported so far, each time it reports more. */
  readonly reported: (soFar: ReportedSoFar) => void;
  readonly allowing: Allowing;
  /** Asked once the agent is known to others: false when the run was ended before that. */
  readonly stillWanted: () => Promise<boolean>;
}

export type ReportedSoFar = Pick<AgentStream, "usage" | "denied" | "session">;

/** Result of an agent that has ended together with everything that it started. */
export interface AgentEnd {
  readonly exit: AgentExit;
  readonly output: string;
  /** What the agent itself says went wrong, or null. */
  readonly failure: string | null;
  /** The agent's own name for its session, or null. */
  readonly session: string | null;
  /** What it consumed, as it reports that, or null. */
  readonly usage: Usage | null;
  /** Actions that were denied. */
  readonly denied: readonly string[];
  /** The line of its standard error that names the error, or empty. */
  readonly lastWords: string;
  /** Which limit ended it, or null. */
  readonly limit: string | null;
  /** True when the stop wishes ended it. */
  readonly interrupted: boolean;
  /** False when another process has taken the spec meanwhile. */
  readonly claimed: boolean;
}

/**
 * Runs an agent to its end, its output going to the log as it comes. When this returns or throws, the agent and
 * everything that it started are gone.
 */
export async function runAgent(deps: RunDeps, run: AgentRun): Promise<AgentEnd> {
  const agent = await deps.ports.agents.start(run.start);
  const watch = watchOver(agent, run);
  const limits = limitWatch(deps, agent, run);
  try {
    if (!(await run.claim.noteAgent(agent.mark))) watch.loseClaim();
    else if (!(await run.stillWanted())) watch.end(0);
    const printed = Promise.all([readOutput(deps, agent, { run, limits }), readErrors(deps, agent, { run, limits })]);
    // A failed read must not leave the agent waiting for a reader.
    const failed = printed.then(
      () => new Promise<never>(() => {}),
      (error: unknown) => Promise.reject(error),
    );
    const exit = await Promise.race([agent.exited, failed]);
    // What it started and left behind ends with it; only then do the streams end for certain.
    await agent.stop(AGENT_GRACE_MS);
    const [{ lines: _, ...answer }, lastWords] = await printed;
    const ends = { limit: limits.reached, interrupted: watch.interrupted(), claimed: watch.claimed() };
    return { exit, ...answer, lastWords, ...ends };
  } finally {
    limits.close();
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
  const onLost = (): void => end(AGENT_GRACE_MS);
  claim.lost.addEventListener("abort", onLost);
  if (claim.lost.aborted) onLost();
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
      claim.lost.removeEventListener("abort", onLost);
      stop.soon.removeEventListener("abort", onSoon);
      stop.now.removeEventListener("abort", onNow);
    },
  };
}

function limitWatch({ files, context }: RunDeps, agent: AgentProcess, { limits, start }: AgentRun): LimitWatch {
  const signs = {
    cpuMs: () => agent.cpuMs(),
    lastChange: () => files.lastChange(start.cwd),
    now: () => context.clock.now().getTime(),
  };
  return new LimitWatch(limits, signs, () => void agent.stop(AGENT_GRACE_MS).catch(() => {}));
}

interface Reading {
  readonly run: AgentRun;
  readonly limits: LimitWatch;
}

async function readOutput(deps: RunDeps, agent: AgentProcess, { run, limits }: Reading): Promise<AgentAnswer> {
  const { id, log, stream } = run;
  const reader = openAgentStream(stream, agent.secrets);
  const report = reporter(deps, run);
  const write = async (lines: readonly string[]): Promise<void> => {
    limits.heard(reader.usage);
    const written = log.printed(lines, "stdout");
    for (const text of lines) deps.tell({ event: "output", spec_id: id, text });
    report(reader);
    await written;
  };
  for await (const piece of yielding(agent.stdout)) await write(reader.push(piece));
  const answer = reader.end();
  await write(answer.lines);
  const line = allowingLine(run.allowing, reader.denied, id);
  if (line !== null) deps.tell({ event: "allow", spec_id: id, line });
  return answer;
}

/** Forwards new entries of the agent's own reports. */
function reporter({ tell }: RunDeps, { id, reported }: AgentRun) {
  let before: ReportedSoFar = { usage: null, denied: [], session: null };
  return ({ usage, denied, session }: ReportedSoFar): void => {
    const isSpent = usage !== null && usage !== before.usage;
    if (isSpent) tell({ event: "usage", spec_id: id, ...usage });
    const told = before.denied.length;
    for (const what of denied.slice(told)) tell({ event: "denied", spec_id: id, what });
    const isNews = isSpent || denied.length > told || session !== before.session;
    before = { usage, denied, session };
    if (isNews) reported(before);
  };
}

/** Lines of standard error in which an error is looked for. Ours: the stack of a crash is shorter. */
const MAX_ERROR_LINES = 200;

/** Returns the line that says why the agent failed, see `errorLine`. */
async function readErrors({ tell }: RunDeps, agent: AgentProcess, { run, limits }: Reading): Promise<string> {
  const { id, log } = run;
  const reader = openAgentStream("text", agent.secrets);
  let last: readonly string[] = [];
  const write = async (lines: readonly string[]): Promise<void> => {
    limits.heard(null);
    const written = log.printed(lines, "stderr");
    for (const line of lines) tell({ event: "output", spec_id: id, text: `stderr: ${line}` });
    last = [...last, ...lines].slice(-MAX_ERROR_LINES);
    await written;
  };
  for await (const piece of yielding(agent.stderr)) await write(reader.push(piece));
  await write(reader.end().lines);
  return errorLine(last).slice(0, MAX_STEP_CHARS);
}

/** The turn that was given last; each is a separate turn of the event loop. */
let lastTurn: Promise<unknown> = Promise.resolve();

/** One piece of one agent at a time: of twenty that flood us at once, no more than that is garbage in one go. */
async function* yielding(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += TURN_BYTES) {
      lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
      await lastTurn;
      yield chunk.subarray(start, start + TURN_BYTES);
    }
  }
}
