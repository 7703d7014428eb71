import { getErrorMessage } from "#kernel/errors.ts";
import type { AgentProcess, AgentStartOptions } from "#planner/store/processes/agent_process.ts";
import type { Claim } from "#planner/store/remote_claims/shared_claims.ts";
import { type AgentExit, ErrorOutput } from "#planner/work/end_of_run.ts";
import type { LimitSettings } from "../../config/config.ts";
import { AGENT_GRACE_MS, CLAIM_CHECK_MS, MAX_STEP_CHARS } from "../../limits.ts";
import { buildCheckLines, isLineAccepted } from "../../work/acceptance.ts";
import { type AgentLaunch, buildAgentLaunch, explainExceededLimit, resolveRunLimits } from "../../work/agent_launch.ts";
import { type AgentStream, type AgentStreamResult, openAgentStream } from "../../work/agent_stream.ts";
import { assemblePrompt, type PromptRequest } from "../../work/prompts/prompt.ts";
import { buildAllowSetting } from "../../work/provider_row.ts";
import type { Usage } from "../../work/usage.ts";
import type { AgentJob, RunDeps } from "../run_types.ts";
import { buildAgentEnvironment, callOnAbort, hashText, removeTrailingSlash, superviseProgram } from "./run_commands.ts";

/** Maximum interval between checks of a silent agent, in milliseconds; short compared with any sensible limit. */
const MAX_CHECK_INTERVAL_MS = 15_000;

/** Minimum share of processor time of an active agent. Chosen by planner: an idle agent uses none. */
const BUSY_SHARE = 0.05;

interface ActivitySource {
  /** Processor milliseconds of the agent and all processes it started; null if the system does not report them. */
  cpuMs(): number | null;
  /** Time of the last change of a file in the agent's folder, in milliseconds since 1970. */
  readLastChangeTime(): Promise<number>;
  now(): number;
}

/** Ends a run that reaches one of its limits. */
class LimitWatch {
  readonly #limits: LimitSettings;
  readonly #activity: ActivitySource;
  readonly #end: () => void;
  readonly #timers: ReturnType<typeof setTimeout>[] = [];
  #activeAt: number;
  #cpu: number | null;
  #checkedAt: number;
  #reached: string | null = null;

  /** @param end called once, when the first limit is reached */
  constructor(limits: LimitSettings, signs: ActivitySource, end: () => void) {
    this.#limits = limits;
    this.#activity = signs;
    this.#end = end;
    this.#activeAt = signs.now();
    this.#checkedAt = this.#activeAt;
    this.#cpu = signs.cpuMs();
    const { run_seconds: longest, silence_seconds: silence } = limits;
    if (longest !== null) {
      const reason = `it reached limits.run_seconds: ${longest}`;
      this.#timers.push(setTimeout(() => this.#endByLimit(reason), longest * 1000));
    }
    if (silence !== null) {
      const pause = Math.min((silence * 1000) / 4, MAX_CHECK_INTERVAL_MS);
      this.#timers.push(setInterval(() => void this.#checkSilence(silence).catch(() => {}), pause));
    }
  }

  /** Reason why a limit ended the run; null if none was reached. */
  get reachedLimit(): string | null {
    return this.#reached;
  }

  heard(usage: Usage | null): void {
    this.#activeAt = this.#activity.now();
    const reason = explainExceededLimit(usage, this.#limits);
    if (reason !== null) this.#endByLimit(reason);
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #checkSilence(seconds: number): Promise<void> {
    const now = this.#activity.now();
    const cpu = this.#activity.cpuMs();
    if (cpu !== null && this.#cpu !== null && cpu - this.#cpu > BUSY_SHARE * (now - this.#checkedAt))
      this.#activeAt = now;
    this.#cpu = cpu;
    this.#checkedAt = now;
    if (now - this.#activeAt < seconds * 1000) return;
    const changed = await this.#activity.readLastChangeTime();
    if (changed > this.#activeAt) this.#activeAt = changed;
    else
      this.#endByLimit(
        `it reached limits.silence_seconds: ${seconds} without output, a changed file or use of the processor`,
      );
  }

  #endByLimit(reason: string): void {
    if (this.#reached !== null) return;
    this.#reached = reason;
    this.close();
    this.#end();
  }
}

/** Maximum bytes of agent output processed per iteration of the event loop. Chosen by planner: some hundred lines. */
const MAX_PIECE_BYTES = 32 * 1024;

interface RunAgentOptions {
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
async function runAgent(
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

/** Promise of the last scheduled iteration of the event loop. Every piece of output gets a separate one. */
let lastTurn: Promise<unknown> = Promise.resolve();

/** Yields one piece of an agent's output per iteration of the event loop: many agents cause little garbage at once. */
async function* yieldOutputPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += MAX_PIECE_BYTES) {
      lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
      await lastTurn;
      yield chunk.subarray(start, start + MAX_PIECE_BYTES);
    }
  }
}

interface LaunchAgentOptions extends RunAgentOptions {
  /** Name of a template, null for the default; or a complete prompt, which splits the spec instead of working on it. */
  readonly prompt: { readonly template: string | null } | { readonly text: string };
  /** Called with the SHA-256 of the prompt; the agent starts after it has resolved. */
  readonly onPromptBuilt?: (hash: string) => Promise<void>;
}

/**
 * Builds the prompt, writes the agent's files including its MCP configuration, and runs the agent.
 *
 * Prompt and configuration of the last run stay beside its log as `.planner/logs/<id>.prompt.md` and `<id>.mcp.json`.
 */
export async function launchAgent(deps: RunDeps, options: LaunchAgentOptions): Promise<AgentRunResult> {
  const { job, onPromptBuilt } = options;
  const { id, place, processId, provider } = job;
  const isSplit = "text" in options.prompt;
  const prompt = isSplit
    ? { ...options.prompt, warnings: [] }
    : await assemblePrompt(deps.context, await buildPromptRequest(deps, job, options.prompt.template));
  for (const warning of prompt.warnings) deps.tell({ event: "note", spec_id: id, message: warning });
  const [command = "", ...first] = deps.selfCommand;
  const beside = `${removeTrailingSlash(deps.root)}/.planner/logs/${id}`;
  const writable = provider.row.writableArgs === null ? [] : await deps.files.prepareCommitFolders(place.root);
  const server = isSplit ? null : { command, args: [...first, "mcp", "--root", place.root] };
  const promptWhole = place.earlier === null ? prompt.text : `${prompt.text.trimEnd()}\n\n${place.earlier}\n`;
  const launch = buildAgentLaunch(provider, {
    prompt: promptWhole,
    promptFile: `${beside}.prompt.md`,
    mcpConfigFile: `${beside}.mcp.json`,
    runFile: beside,
    dir: place.root,
    grant: { task: isSplit ? "split" : "work", commands: await listGrantedCommands(deps, job) },
    session: job.session,
    server,
    writableFolders: writable,
  });
  for (const { path, text } of launch.files) await deps.files.writeText(path, text);
  const input = launch.input === null ? {} : { input: launch.input };
  const env = { ...buildAgentEnvironment(deps, id, place), ...place.worktree?.identity, ...launch.env };
  const start = { argv: launch.argv, cwd: place.root, env, processId, ...input };
  try {
    await extendProjectFile(deps, job, launch);
    const limits = resolveRunLimits(job.config, provider.name, job.spec.frontmatter);
    await onPromptBuilt?.(hashText(deps, promptWhole));
    return await runAgent(deps, options, { start, limits });
  } finally {
    await restoreReplacedFiles(deps, job);
  }
}

/** Returns the accepted commands that judge the work, because the agent may run them too. */
async function listGrantedCommands({ context }: RunDeps, { config, spec }: AgentJob): Promise<readonly string[]> {
  const settings = config.verify.commands.map((text) => ({ kind: "verify" as const, text }));
  const lines = [...settings, ...buildCheckLines(spec.body)];
  if (lines.length === 0) return [];
  const accepted = await (await context.openAcceptance()).read();
  return [...new Set(lines.filter((line) => isLineAccepted(accepted, line)).map(({ text }) => text))];
}

async function restoreReplacedFiles({ ports }: RunDeps, { id, log }: AgentJob): Promise<void> {
  try {
    for (const file of await ports.worktrees.restoreReplacedFiles(id)) {
      await log.line(`planner: "${file}" was changed by the run and is left as it is, with planner's entry in it`);
    }
  } catch (error) {
    // The worktree may be unusable by now; the end of the run reports that.
    await log.line(`planner: ${getErrorMessage(error)}`);
  }
}

/** Returns the data from which a prompt about a spec is written. Reads the spec in the folder where the agent works. */
export async function buildPromptRequest(
  deps: RunDeps,
  { id, config, place: { root, worktree } }: Pick<AgentJob, "id" | "config" | "place">,
  template: string | null,
): Promise<PromptRequest> {
  const specs = worktree === null ? deps.context.specs : worktree.openSpecs();
  const [spec, { text: specText }] = [await specs.load(id), await specs.readText(id)];
  const projectName = config.project.name ?? removeTrailingSlash(deps.root).split(/[\\/]/).at(-1) ?? "";
  const place = { path: root, branch: worktree?.branch ?? "", isolated: worktree !== null };
  return { spec, specText, config, projectName, template, folder: place };
}

/** Adds the MCP server to the agent's own configuration file, for agents that read it from there. */
async function extendProjectFile(
  { files, ports }: RunDeps,
  { id, place, provider, log }: AgentJob,
  { projectFile }: AgentLaunch,
): Promise<void> {
  if (projectFile === null) return;
  // Restores a file that a killed run left here, so that it is not mistaken for a person's own.
  await ports.worktrees.restoreReplacedFiles(id);
  const root = removeTrailingSlash(place.root);
  const texts = await Promise.all(projectFile.files.map((file) => files.readText(`${root}/${file}`)));
  const there = texts.findIndex((text) => text !== null);
  const file = projectFile.files[Math.max(0, there)] ?? projectFile.files[0];
  const edit = await projectFile.extend(file, texts[there] ?? "");
  if (edit.kind === "other") {
    await log.line(`planner: "${file}" has an entry "planner" of its own: ${provider.name} uses that`);
  }
  if (edit.kind !== "added") return;
  if (place.worktree === null) await ports.worktrees.writeProjectFile(id, file, edit.text);
  else await place.worktree.writePlannerFile(file, edit.text);
}
