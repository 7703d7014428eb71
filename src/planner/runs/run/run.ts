import { getErrorMessage, OperationError } from "#kernel/errors.ts";
import type { RunLog } from "#planner/store/logs/log_writer.ts";
import type { RunPorts } from "#planner/store/processes/open_runs.ts";
import type { WorktreeState } from "#planner/store/worktrees/settle.ts";
import type { NewProcessRecord, ProcessResult, RunReport } from "#planner/work/records/process_record.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { decideRunEnd, isAccountError, type RunEnd } from "../../work/end_of_run.ts";
import { explainExitStatus, type Provider } from "../../work/providers.ts";
import { formatUsage } from "../../work/usage.ts";
import { finishClaimAtEnd } from "../claims.ts";
import type { ClaimedRun, LocatedRun, RunDeps, RunResult } from "../run_types.ts";
import { type CollectedEvidence, collectEvidence, type EndedWork } from "./evidence.ts";
import { keepRunRecord, type RunRecordParts } from "./keep_record.ts";
import { type AgentRunResult, launchAgent, type PartialAgentReport } from "./run_agent.ts";
import { openRunLocation, reportMissingWork, setUpWorktree } from "./run_commands.ts";
import { markSpecStarted, mergePredecessors } from "./start.ts";
import { type BrokenRunEnd, readSpecAfterRun, recordBrokenRun, undoEmptyRun, writeRunEnd } from "./write_end.ts";

/** Phases of a run in their order; `runSpec` checks and claims the spec before the first one. */
type RunPhase = "record" | "predecessors" | "start" | "worktree" | "agent" | "settle" | "evidence" | "complete";

const ENDED_OUTSIDE_REASON = "ended from outside";

/** One agent's run on one claimed spec. An instance can be run only once. */
export class AgentSpecRun {
  readonly #deps: RunDeps;
  readonly #claimedRun: ClaimedRun;
  readonly #id: SpecId;
  #phase: RunPhase = "record";
  #log: RunLog | undefined;
  #agent: AgentRunResult | undefined;
  readonly #live: LiveRunReport;
  #startedAt = "";
  #base: string | null = null;
  /** Warnings for a person about the claim and about the agent's use of git. */
  #warnings: readonly string[];

  constructor(deps: RunDeps, start: ClaimedRun) {
    this.#deps = deps;
    this.#live = new LiveRunReport(deps.ports, start);
    this.#claimedRun = start;
    this.#id = start.spec.id;
    this.#warnings = start.notes;
  }

  /** Runs all phases and returns the result. Writes the process record first and last. */
  async runToEnd(): Promise<RunResult> {
    const { ports, context, pid, announced } = this.#deps;
    const { processId, wishes } = this.#claimedRun;
    // Further specs of a chain begin later than the process.
    const known = announced?.spec_id === this.#id ? announced.started_at : null;
    const started_at = known ?? context.clock.now().toISOString();
    this.#startedAt = started_at;
    const begun = { process_id: processId, spec_id: this.#id, pid, started_at, mode: wishes.mode };
    this.#base = wishes.worktree ? null : ((await ports.worktrees.readHead())?.hash ?? null);
    await this.#live.startRecord(begun, this.#base);
    let end: ProcessResult = { status: "failed", error: "the run broke off" };
    try {
      const result = await this.#runPhases();
      const error = `${result.status}: ${result.reasons.join("; ")}`;
      end = result.status === "completed" ? { status: "completed" } : { status: "failed", error };
      this.#deps.tell({ event: "ended", ...result });
      return result;
    } catch (error) {
      end = { status: "failed", error: this.#describeFailure(error) };
      throw error;
    } finally {
      await ports.records.finishRecord(processId, end, context.clock.now(), await this.#live.finishReport());
    }
  }

  async #runPhases(): Promise<RunResult> {
    const { config, wishes, spec } = this.#claimedRun;
    this.#phase = "predecessors";
    const { stop, shared } = wishes;
    const wanting = { stillWanted: () => this.#isWanted(), stop, offline: shared.offline };
    if (wishes.worktree) await mergePredecessors(this.#deps, spec, wanting);
    // Merging takes time. A process that ended this run meanwhile decides about the spec.
    if (!(await this.#isWanted())) return this.#buildResult("paused", [ENDED_OUTSIDE_REASON]);
    this.#phase = "start";
    const before = await markSpecStarted(this.#deps, this.#id, wishes.worktree ? config.defaults.branch_prefix : null);
    try {
      return await this.#runStartedSpec(before);
    } catch (error) {
      return await this.#endBrokenRun(error);
    } finally {
      await this.#log?.end().catch(() => {});
    }
  }

  async #endBrokenRun(error: unknown): Promise<RunResult> {
    // After the agent's end a fault is planner's own: a person decides, because another run would be paid for again.
    const hasWorked = this.#agent !== undefined;
    const end: BrokenRunEnd = hasWorked
      ? { status: "needs_attention", reason: this.#describeJudgingFault(error) }
      : { status: "failed", reason: getErrorMessage(error) };
    if (hasWorked && error instanceof Error && !(error instanceof OperationError))
      await this.#log?.line(`planner: ${error.stack ?? ""}`).catch(() => {});
    const { processId } = this.#claimedRun;
    // This run must not change a spec that another process has taken by now.
    if (await this.#isClaimHeld()) await recordBrokenRun(this.#deps, this.#id, { ...end, processId, log: this.#log });
    if (!hasWorked && !(error instanceof OperationError)) throw error;
    return this.#buildResult(end.status, [end.reason]);
  }

  async #runStartedSpec(before: string): Promise<RunResult> {
    const log = await this.#deps.ports.logs.open(
      this.#id,
      this.#claimedRun.processId,
      this.#claimedRun.config.log.max_bytes,
    );
    this.#log = log;
    this.#phase = "worktree";
    const place = await openRunLocation(this.#deps, this.#claimedRun, { log, base: this.#base });
    const run: LocatedRun = {
      ...this.#claimedRun,
      id: this.#id,
      place,
      log,
      before,
      stop: this.#claimedRun.wishes.stop,
    };
    await setUpWorktree(this.#deps, run);
    const guard = place.worktree === null ? await this.#deps.ports.worktrees.guardProject(this.#id) : null;
    await reportMissingWork(this.#deps, run);
    await this.#reportStart(run);
    this.#phase = "agent";
    const agent = await launchAgent(this.#deps, {
      job: run,
      claim: this.#claimedRun.claim,
      prompt: { template: run.wishes.prompt },
      isStillWanted: () => this.#isWanted(),
      onPromptBuilt: (hash) => this.#live.storePromptHash(hash),
      onReport: (soFar) => this.#live.updateReport(soFar),
    });
    this.#agent = agent;
    if (agent.usage !== null) await log.line(`planner: used ${formatUsage(agent.usage)}`);
    this.#phase = "settle";
    if (!agent.claimed) return this.#endByOthers(run, { claimed: false, state: null });
    const state = (await place.worktree?.settle()) ?? null;
    const found = state ?? (await guard?.settle());
    for (const note of found?.notes ?? []) await log.line(`planner: ${note}`);
    this.#live.setOutsideChanges(found?.outside ?? []);
    this.#warnings = [...this.#warnings, ...(found?.warnings ?? [])];
    if (!(await this.#isWanted())) return this.#endByOthers(run, { claimed: true, state });
    return this.#judgeRun(run, agent, state);
  }

  async #reportStart({ place: { worktree }, log }: LocatedRun): Promise<void> {
    const { provider, processId, wishes } = this.#claimedRun;
    const where = worktree === null ? "in the project itself" : `on branch ${worktree.branch} in "${worktree.path}"`;
    await log.line(`planner: ${provider.name} works ${where}`);
    this.#deps.tell({
      event: "started",
      spec_id: this.#id,
      process_id: processId,
      pid: this.#deps.pid,
      mode: wishes.mode,
      started_at: this.#startedAt,
      agent: provider.name,
      title: this.#claimedRun.spec.title,
      branch: worktree?.branch ?? null,
      worktree: worktree?.path ?? null,
    });
  }

  /** Decides how the run ends, and writes the result. */
  async #judgeRun(run: LocatedRun, agent: AgentRunResult, state: WorktreeState | null): Promise<RunResult> {
    this.#phase = "evidence";
    const spec = await readSpecAfterRun(this.#deps, run, state);
    if (typeof spec === "string") return this.#endWithoutSpec(run, state, spec);
    const left: EndedWork = { ...interpretExit(agent, run), status: spec.status, state, spec };
    const gathered = await collectEvidence(this.#deps, run, left);
    // Checks take time. A process that took the spec or ended this run meanwhile decides about the spec.
    const claimed = await this.#isClaimHeld();
    if (!claimed || !(await this.#isWanted())) return this.#endByOthers(run, { claimed, state });
    this.#phase = "complete";
    const decided = await finishClaimAtEnd(
      this.#claimedRun.claim,
      decideRunEnd({ ...left, evidence: gathered.evidence }),
    );
    this.#warnings = [...this.#warnings, ...decided.notes];
    const output = agent.exit.code === 0 ? agent.output : "";
    const end = await this.#writeEnd(run, { end: decided.end, gathered, output });
    await this.#keepRecord(run, { end, state, gathered });
    const { commits } = gathered;
    const warnings = [...this.#warnings, ...gathered.warnings];
    return { ...this.#buildResult(end.status, end.reasons), warnings, commits, halt: findHaltReason(end, agent, run) };
  }

  /** Ends the run as failed, because nothing can be judged without the spec. */
  async #endWithoutSpec(run: LocatedRun, state: WorktreeState | null, reason: string): Promise<RunResult> {
    const { processId } = this.#claimedRun;
    await this.#keepRecord(run, { end: { status: "failed", reasons: [reason] }, state, gathered: null });
    await recordBrokenRun(this.#deps, this.#id, { status: "failed", processId, reason, log: this.#log });
    return this.#buildResult("failed", [reason]);
  }

  /** Writes the end into the spec, the log and the worktree's status, in this order; returns it as it was written. */
  async #writeEnd(
    run: LocatedRun,
    {
      end: decided,
      gathered,
      output,
    }: { readonly end: RunEnd; readonly gathered: CollectedEvidence; readonly output: string },
  ): Promise<RunEnd> {
    const { log, place } = run;
    const lostCriteria = gathered.evidence.criteria.some(({ lost }) => lost);
    const ending = { ...decided, output, settled: gathered.settled, lostCriteria, unproven: gathered.unproven };
    const end = decided.status === "pending" ? decided : await writeRunEnd(this.#deps, run, ending);
    for (const reason of end.reasons) await log.line(`planner: ${end.status}: ${reason}`);
    if (end.status === "completed") await log.line("planner: completed");
    if (end.status === "pending") await undoEmptyRun(this.#deps, run);
    if (end.status === "pending" || place.worktree === null) return end;
    await this.#deps.ports.worktrees.writeStatus({
      spec_id: this.#id,
      status: end.status === "completed" ? "done" : "failed",
      error: end.status === "completed" ? null : end.reasons.join("; "),
    });
    return end;
  }

  /** Ends a run that was paused, taken over or cancelled. The command that did so decides about the spec. */
  async #endByOthers(
    run: LocatedRun,
    { claimed, state }: { readonly claimed: boolean; readonly state: WorktreeState | null },
  ): Promise<RunResult> {
    const { log, place } = run;
    if (!claimed) return this.#buildResult("paused", ["another process has taken the spec over"]);
    await log.line(`planner: ${ENDED_OUTSIDE_REASON}`);
    if (place.worktree !== null) {
      const error = `${ENDED_OUTSIDE_REASON}: no agent works here`;
      await this.#deps.ports.worktrees.writeStatus({ spec_id: this.#id, status: "failed", error });
    }
    await this.#keepRecord(run, { end: { status: "paused", reasons: [ENDED_OUTSIDE_REASON] }, state, gathered: null });
    return this.#buildResult("paused", [ENDED_OUTSIDE_REASON]);
  }

  #keepRecord(run: LocatedRun, parts: Pick<RunRecordParts, "end" | "state" | "gathered">): Promise<void> {
    const { exit, output } = this.#agent ?? {};
    // The spec contains the output of an agent that succeeded, so the record keeps only that of a failed one.
    const lastWords = exit?.code === 0 || output === undefined || output === "" ? null : output;
    const report = this.#live.report;
    const warnings = [...this.#warnings, ...(parts.gathered?.warnings ?? [])];
    return keepRunRecord(this.#deps, run, { ...parts, warnings, startedAt: this.#startedAt, report, lastWords });
  }

  /** Returns the error's message; adds the phase for unexpected errors, to help find the defect. */
  #describeFailure(error: unknown): string {
    const reason = getErrorMessage(error);
    return error instanceof OperationError ? reason : `${reason} (phase "${this.#phase}")`;
  }

  #describeJudgingFault(error: unknown): string {
    if (error instanceof OperationError) return error.message;
    const next = this.#claimedRun.wishes.worktree ? "merge" : "finalize";
    return `planner failed while it judged the work, which is kept: ${this.#describeFailure(error)}: "planner ${next} ${this.#id}" judges it again`;
  }

  #buildResult(status: RunResult["status"], reasons: readonly string[]): RunResult {
    return {
      spec_id: this.#id,
      process_id: this.#claimedRun.processId,
      status,
      reasons,
      warnings: this.#warnings,
      commits: [],
      usage: this.#agent?.usage ?? null,
      denied: this.#agent?.denied ?? [],
      halt: null,
    };
  }

  /** Returns false once another process holds the spec's claim. A check that fails counts as still held. */
  #isClaimHeld(): Promise<boolean> {
    return this.#claimedRun.claim.renew().catch(() => true);
  }

  /** Returns false once another process has ended this run, by making its record terminal. */
  #isWanted(): Promise<boolean> {
    return this.#deps.ports.records.isRunning(this.#claimedRun.processId);
  }
}

/** Returns the agent's exit for the decision about the run. An agent that reports its own failure counts as failed. */
function interpretExit({ exit, failure, interrupted, limit, lastWords }: AgentRunResult, { provider }: LocatedRun) {
  const said = failure ?? (lastWords === "" ? null : lastWords);
  const own = said === null ? null : `it says: ${said}`;
  return {
    exit: exit.code === 0 && failure !== null ? { code: 1, signal: null } : exit,
    exitMeaning: exit.code === null ? null : (explainExitStatus(provider, exit.code) ?? own),
    interrupted,
    limit,
  };
}

/** Returns why the next run of the same queue would fail in the same way; null if it may succeed. */
function findHaltReason(
  { status }: RunEnd,
  { failure, lastWords, limit }: AgentRunResult,
  { provider }: LocatedRun,
): string | null {
  if (status !== "failed") return null;
  if (limit !== null) return `${provider.name} ${limit.replace(/^it /, "")}`;
  const said = failure ?? lastWords;
  return isAccountError(said) ? `${provider.name} refused its account: ${said}` : null;
}

/** Minimum time between two writes in milliseconds, which is also the maximum age of the stored report. */
const WRITE_INTERVAL_MS = 5_000;

/**
 * Writes the agent's report to the record of its process during the run, so that other commands can show it and it
 * survives a kill. Cost: at most one write of the record every `WRITE_INTERVAL_MS`.
 */
class LiveRunReport {
  readonly #ports: Pick<RunPorts, "records" | "agents">;
  readonly #processId: string;
  readonly #provider: Provider;
  #version: string | null = null;
  #promptHash: string | null = null;
  #outside: readonly string[] = [];
  #agentReport: PartialAgentReport;
  #hasUnwrittenChanges = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    ports: Pick<RunPorts, "records" | "agents">,
    { processId, provider, session }: Pick<ClaimedRun, "processId" | "provider" | "session">,
  ) {
    this.#ports = ports;
    this.#processId = processId;
    this.#provider = provider;
    // A session id that planner assigns or continues is known before the agent reports one.
    this.#agentReport = { session: session?.name ?? null, usage: null, denied: [] };
  }

  get report(): RunReport {
    const { name, model } = this.#provider;
    const { session, usage, denied } = this.#agentReport;
    const [version, prompt_sha256] = [this.#version, this.#promptHash];
    return { agent: name, model, version, session, usage, denied, prompt_sha256, outside: this.#outside };
  }

  /** Writes the record of the process before its agent runs. */
  async startRecord(record: NewProcessRecord, base: string | null): Promise<void> {
    const { program, env } = this.#provider;
    this.#version = await this.#ports.agents.findVersion(program, env);
    await this.#ports.records.startRecord(record, { report: this.report, base });
  }

  /** Stores the hash of the prompt. Resolves after the write, because the agent that starts next may end planner. */
  storePromptHash(hash: string): Promise<void> {
    this.#promptHash = hash;
    this.#hasUnwrittenChanges = true;
    this.#writeReport();
    return this.#writing;
  }

  /** Updates the report. Writes a new session id at once, because without it a killed run could not be resumed. */
  updateReport(soFar: PartialAgentReport): void {
    const { usage, denied } = soFar;
    const session = soFar.session ?? this.#agentReport.session;
    const isBegun = session !== this.#agentReport.session;
    this.#agentReport = { session, usage, denied };
    this.#hasUnwrittenChanges = true;
    if (isBegun || this.#timer === undefined) this.#writeReport();
  }

  /** Sets the changes that were found outside of the run's branch. */
  setOutsideChanges(outside: readonly string[]): void {
    this.#outside = outside;
  }

  /** Returns the complete report after all writes have finished. */
  async finishReport(): Promise<RunReport> {
    this.#hasUnwrittenChanges = false;
    this.#writeReport();
    await this.#writing;
    return this.report;
  }

  #writeReport(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#hasUnwrittenChanges) return;
    this.#hasUnwrittenChanges = false;
    this.#timer = setTimeout(() => this.#writeReport(), WRITE_INTERVAL_MS);
    // The end of the run reports a failing disk.
    this.#writing = this.#writing
      .then(() => this.#ports.records.storeReport(this.#processId, this.report))
      .catch(() => {});
  }
}
