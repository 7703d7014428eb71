import type { AgentExit, AgentProcess, AgentStartOptions } from "#planner/run_ports/agents.ts";
import type { Claim } from "#planner/run_ports/claims.ts";
import type { LimitSettings } from "../../config/config.ts";
import { AGENT_GRACE_MS, CLAIM_CHECK_MS, MAX_STEP_CHARS } from "../../limits.ts";
import { type AgentStream, type AgentStreamResult, openAgentStream } from "../../work/agent_stream.ts";
import { ErrorOutput } from "../../work/error_line.ts";
import { buildAllowSetting } from "../../work/providers/grant.ts";
import type { AgentJob, RunDeps } from "../run_types.ts";
import { type ActivitySource, LimitWatch } from "./limit_watch.ts";
import { callOnAbort, superviseProgram } from "./run_commands.ts";

/** Maximum bytes of agent output processed per turn of the event loop. Chosen by planner: some hundred lines. */
const MAX_PIECE_BYTES = 32 * 1024;

export interface RunAgentOptions {
  readonly job: AgentJob;
  readonly claim: Claim;
  /** Called once the agent's process is recorded; returns false if the run was ended before that. */
  readonly isStillWanted: () => Promise<boolean>;
  /** Called with the complete report so far, each time the agent reports more. */
  readonly onReport?: (soFar: PartialAgentReport) => void;
}

export type PartialAgentReport = Pick<AgentStream, "usage" | "denied" | "session">;

/** Result of an agent that has ended together with everything that it started. */
export interface AgentRunResult extends Omit<AgentStreamResult, "lines"> {
  readonly exit: AgentExit;
  /** The line of the agent's standard error that names the error; empty if it names none. */
  readonly lastWords: string;
  /** The limit that ended the agent; null if none did. */
  readonly limit: string | null;
  /** True when a stop signal ended the agent. */
  readonly interrupted: boolean;
  /** False when another process has taken the spec meanwhile. */
  readonly claimed: boolean;
}

/** Runs an agent and logs its output as it arrives. On return or throw, it and all processes it started have ended. */
export async function runAgent(
  deps: RunDeps,
  run: RunAgentOptions,
  { start, limits }: { readonly start: AgentStartOptions; readonly limits: LimitSettings },
): Promise<AgentRunResult> {
  const createActivitySource = (agent: AgentProcess): ActivitySource => ({
    cpuMs: () => agent.cpuMs(),
    readLastChangeTime: () => deps.files.findLastChangeTime(start.cwd),
    now: () => deps.context.clock.now().getTime(),
  });
  const { exit, watch, printed } = await superviseProgram(deps, start, {
    watch(agent) {
      const limit = new LimitWatch(
        limits,
        createActivitySource(agent),
        () => void agent.stop(AGENT_GRACE_MS).catch(() => {}),
      );
      return watchAgent(agent, run, limit);
    },
    async onStart(agent, watching) {
      if (!(await run.claim.recordAgent(agent.mark))) watching.loseClaim();
      else if (!(await run.isStillWanted())) watching.end(0);
    },
    readOutput: (agent, watching) =>
      Promise.all([readAgentOutput(deps, agent, run, watching), readAgentErrorLine(deps, agent, run, watching)]),
  });
  const [{ lines: _, ...answer }, lastWords] = printed;
  return { exit, ...answer, lastWords, ...watch.ends() };
}

interface AgentWatch extends Pick<LimitWatch, "heard"> {
  end(graceMs: number): void;
  loseClaim(): void;
  ends(): Pick<AgentRunResult, "limit" | "interrupted" | "claimed">;
  close(): void;
}

/** Ends the agent when it reaches a limit, when a stop signal is aborted, and when the claim is lost. */
function watchAgent(agent: AgentProcess, { job: { stop }, claim }: RunAgentOptions, limit: LimitWatch): AgentWatch {
  let interrupted = false;
  let claimed = true;
  const end = (graceMs: number): void => {
    agent.stop(graceMs).catch(() => {});
  };
  const loseClaim = (): void => {
    claimed = false;
    end(AGENT_GRACE_MS);
  };
  const check = setInterval(() => {
    // A check that fails does not prove that the claim is lost, and the next check follows soon.
    claim.renew().then(
      (own) => (own ? undefined : loseClaim()),
      () => {},
    );
  }, CLAIM_CHECK_MS);
  const removeListeners = [
    callOnAbort(claim.lost, () => end(AGENT_GRACE_MS)),
    callOnAbort(stop.soon, () => {
      interrupted = true;
      end(AGENT_GRACE_MS);
    }),
    callOnAbort(stop.now, () => end(0)),
  ];
  return {
    end,
    loseClaim,
    heard: (usage) => limit.heard(usage),
    ends: () => ({ limit: limit.reachedLimit, interrupted, claimed }),
    close() {
      limit.close();
      clearInterval(check);
      for (const one of removeListeners) one();
    },
  };
}

async function readAgentOutput(
  deps: RunDeps,
  agent: AgentProcess,
  run: RunAgentOptions,
  watch: AgentWatch,
): Promise<AgentStreamResult> {
  const { id, log, provider } = run.job;
  const reader = openAgentStream(provider.stream, agent.secrets);
  const report = createAgentReporter(deps, run);
  const write = async (lines: readonly string[]): Promise<void> => {
    watch.heard(reader.usage);
    const written = log.printed(lines, "stdout");
    for (const text of lines) deps.tell({ event: "output", spec_id: id, text });
    report(reader);
    await written;
  };
  for await (const piece of yieldOutputPieces(agent.stdout)) await write(reader.push(piece));
  const answer = reader.end();
  await write(answer.lines);
  const line = buildAllowSetting(provider.row.buildAllowSetting, reader.denied, id);
  if (line !== null) deps.tell({ event: "allow", spec_id: id, line });
  return answer;
}

/** Returns a function that forwards new usage, denials and session ids from the agent's reports. */
function createAgentReporter({ tell }: RunDeps, { job: { id }, onReport }: RunAgentOptions) {
  let before: PartialAgentReport = { usage: null, denied: [], session: null };
  return ({ usage, denied, session }: PartialAgentReport): void => {
    const isSpent = usage !== null && usage !== before.usage;
    if (isSpent) tell({ event: "usage", spec_id: id, ...usage });
    const told = before.denied.length;
    for (const what of denied.slice(told)) tell({ event: "denied", spec_id: id, what });
    const isNews = isSpent || denied.length > told || session !== before.session;
    before = { usage, denied, session };
    if (isNews) onReport?.(before);
  };
}

/** Returns the line of the agent's standard error that names the error; empty if it names none. */
async function readAgentErrorLine(
  { tell }: RunDeps,
  agent: AgentProcess,
  { job }: RunAgentOptions,
  watch: AgentWatch,
): Promise<string> {
  const { id, log } = job;
  const reader = openAgentStream("text", agent.secrets);
  const errors = new ErrorOutput();
  const write = async (lines: readonly string[]): Promise<void> => {
    watch.heard(null);
    const written = log.printed(lines, "stderr");
    for (const line of lines) tell({ event: "output", spec_id: id, text: `stderr: ${line}` });
    errors.addLines(lines);
    await written;
  };
  for await (const piece of yieldOutputPieces(agent.stderr)) await write(reader.push(piece));
  await write(reader.end().lines);
  return errors.findErrorLine().slice(0, MAX_STEP_CHARS);
}

/** Promise of the last scheduled turn of the event loop. Every piece of output gets a separate turn. */
let lastTurn: Promise<unknown> = Promise.resolve();

/** Yields one piece of an agent's output per event loop turn, so that many agents cause little garbage at once. */
async function* yieldOutputPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += MAX_PIECE_BYTES) {
      lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
      await lastTurn;
      yield chunk.subarray(start, start + MAX_PIECE_BYTES);
    }
  }
}
