import { OperationError } from "#kernel/errors.ts";
import type { PlannerConfig } from "../config/config.ts";
import { changeSpec } from "../operations/change_spec.ts";
import type { Claim, ProcessEnd, RunLog } from "../run_ports.ts";
import { criteriaOf } from "../spec/criteria.ts";
import { editFields } from "../spec/edit_fields.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { endOfRun, type RunEnd, type RunFacts, succeeded } from "../work/end_of_run.ts";
import { exitMeaning } from "../work/providers.ts";
import { launchAgent } from "./agent_launching.ts";
import { type CheckedStart, checkStart, claimSpec, markStarted } from "./begin_run.ts";
import {
  type BegunRun,
  type Gathered,
  gatherEvidence,
  gatherTraces,
  specAfter,
  writeEnd,
  writeFailure,
} from "./finish_run.ts";
import { mergePredecessors } from "./predecessors.ts";
import { reasonOf } from "./reason_of.ts";
import type { AgentEnd } from "./run_agent.ts";
import { agentEnvironment, preparePlace } from "./run_place.ts";
import type { RunDeps, RunPlace, RunResult, RunWishes } from "./run_types.ts";

const ENDED_OUTSIDE = "ended from outside";

/**
 * Works one spec, from its claim to its end: whatever happens, the record becomes terminal, the claim is given up, the
 * agent is gone, and the status says how it ended.
 *
 * @throws OperationError, nothing being touched, when the spec cannot be worked; anything else is a defect, and told
 *   after the run was brought to its end
 *
 * Source: docs/decisions.md#s-23, docs/decisions.md#s-26.
 */
export async function runSpec(deps: RunDeps, id: SpecId, wishes: RunWishes): Promise<RunResult> {
  const { config } = await checkStart(deps, id, wishes);
  if (wishes.worktree) await checkWorktree(deps, id, config);
  const processId = `${id}-${deps.pid}`;
  const claim = await claimSpec(deps, id, processId);
  try {
    // Before the claim somebody else may have begun and ended with it.
    const current = await checkStart(deps, id, wishes);
    return await recorded(deps, { ...current, processId, claim, wishes });
  } finally {
    await claim.release();
  }
}

/** Said before anything is touched: it is no fault of the spec's. */
async function checkWorktree({ ports }: RunDeps, id: SpecId, { defaults }: PlannerConfig): Promise<void> {
  try {
    const { branch_prefix: branchPrefix, main_branch: mainBranch } = defaults;
    await ports.worktrees.check({ branchPrefix, mainBranch });
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new OperationError(error.kind, `Cannot start work on spec '${id}': ${error.message}`);
  }
}

interface Claimed extends CheckedStart {
  readonly processId: string;
  readonly claim: Claim;
  readonly wishes: RunWishes;
}

async function recorded(deps: RunDeps, claimed: Claimed): Promise<RunResult> {
  const { ports, context, pid } = deps;
  const { spec, processId, wishes } = claimed;
  const started_at = deps.startedAt ?? context.clock.now().toISOString();
  await ports.records.start({ process_id: processId, spec_id: spec.id, pid, started_at, mode: wishes.mode });
  let end: ProcessEnd = { status: "failed", error: "the run broke off" };
  try {
    const result = await prepared(deps, claimed, started_at);
    const error = `${result.status}: ${result.reasons.join("; ")}`;
    end = result.status === "completed" ? { status: "completed" } : { status: "failed", error };
    return result;
  } catch (error) {
    end = { status: "failed", error: reasonOf(error) };
    throw error;
  } finally {
    await ports.records.finish(processId, end, context.clock.now());
  }
}

/** Merging takes its time: whoever has made the record terminal meanwhile says what becomes of the spec. */
async function prepared(deps: RunDeps, claimed: Claimed, startedAt: string): Promise<RunResult> {
  const { spec, processId, wishes } = claimed;
  const stillWanted = (): Promise<boolean> => isRunning(deps, processId);
  if (wishes.worktree) await mergePredecessors(deps, spec, stillWanted);
  if (await stillWanted()) return logged(deps, claimed, startedAt);
  const end = { status: "paused", reasons: [ENDED_OUTSIDE], warnings: [], commits: [] } as const;
  return told(deps, { spec_id: spec.id, process_id: processId, ...end });
}

async function logged(deps: RunDeps, claimed: Claimed, startedAt: string): Promise<RunResult> {
  const { spec, processId, config, wishes } = claimed;
  const branch = wishes.worktree ? `${config.defaults.branch_prefix}${spec.id}` : null;
  const before = await markStarted(deps, spec.id, branch);
  let log: RunLog | undefined;
  try {
    log = await deps.ports.logs.open(spec.id, processId);
    return await worked(deps, { ...claimed, log, before, startedAt });
  } catch (error) {
    const reason = reasonOf(error);
    // Of a spec that another process has taken by now nothing is ours to say.
    if (await isHeld(claimed)) await brokenOff(deps, spec.id, { reason, log });
    if (!(error instanceof OperationError)) throw error;
    return told(deps, {
      spec_id: spec.id,
      process_id: processId,
      status: "failed",
      reasons: [reason],
      warnings: [],
      commits: [],
    });
  } finally {
    await log?.end().catch(() => {});
  }
}

interface Logged extends Claimed {
  readonly log: RunLog;
  readonly before: string;
  readonly startedAt: string;
}

async function worked(deps: RunDeps, logged: Logged): Promise<RunResult> {
  const { spec, processId, config, wishes, log, before } = logged;
  const place = await preparePlace(deps, logged);
  const env = agentEnvironment(deps, spec.id, place);
  const knownCommits = new Set(await deps.files.history(place.root).commitsNaming(spec.id));
  const run: BegunRun = { id: spec.id, processId, config, place, wishes, log, before, knownCommits, env };
  await tellStart(deps, logged, place);
  const stillWanted = (): Promise<boolean> => isRunning(deps, processId);
  const agent = await launchAgent(deps, { ...logged, run, stillWanted });
  return ended(deps, run, { agent, logged });
}

async function tellStart(deps: RunDeps, logged: Logged, { worktree }: RunPlace): Promise<void> {
  const { spec, processId, wishes, provider, startedAt, log } = logged;
  const where = worktree === null ? "in the project itself" : `on branch ${worktree.branch}`;
  await log.line(`planner: ${provider.name} works ${where}`);
  deps.tell({
    event: "started",
    spec_id: spec.id,
    process_id: processId,
    pid: deps.pid,
    mode: wishes.mode,
    started_at: startedAt,
    agent: provider.name,
    branch: worktree?.branch ?? null,
    worktree: worktree?.path ?? null,
  });
}

async function ended(
  deps: RunDeps,
  run: BegunRun,
  { agent, logged }: { readonly agent: AgentEnd; readonly logged: Logged },
): Promise<RunResult> {
  const base = { spec_id: run.id, process_id: run.processId };
  if (!agent.claimed || !(await isRunning(deps, run.processId))) return endedByOthers(deps, run, agent);
  const spec = await specAfter(deps, run);
  if (typeof spec === "string") throw new OperationError("failed_precondition", spec);
  const own = agent.failure === null ? null : `it says: ${agent.failure}`;
  const meaning = agent.exit.code === null ? null : (exitMeaning(logged.provider, agent.exit.code) ?? own);
  const exit = agent.exit.code === 0 && agent.failure !== null ? { code: 1, signal: null } : agent.exit;
  const facts = { exit, exitMeaning: meaning, interrupted: agent.interrupted, status: spec.status };
  const gathered = await gather(deps, run, { facts, spec });
  // Checks take their time: whoever has taken the spec or ended the run meanwhile says what becomes of it.
  const held = await isHeld(logged);
  if (!held || !(await isRunning(deps, run.processId))) return endedByOthers(deps, run, { ...agent, claimed: held });
  const end = endOfRun({ ...facts, evidence: gathered.evidence });
  await keepEnd(deps, run, { end, gathered, output: agent.exit.code === 0 ? agent.output : "" });
  const { warnings, commits } = gathered;
  return told(deps, { ...base, status: end.status, reasons: end.reasons, warnings, commits });
}

async function gather(
  deps: RunDeps,
  run: BegunRun,
  { facts, spec }: { readonly facts: Omit<RunFacts, "evidence">; readonly spec: Parameters<typeof gatherEvidence>[2] },
): Promise<Gathered> {
  if (facts.interrupted && facts.status !== "completed") {
    const traces = await gatherTraces(deps, run);
    return { ...traces, evidence: { ...traces.evidence, criteria: criteriaOf(spec.body) } };
  }
  return succeeded(facts) ? gatherEvidence(deps, run, spec) : gatherTraces(deps, run);
}

/** Writes the end into the log, the spec and the worktree's status, in this order. */
async function keepEnd(
  deps: RunDeps,
  run: BegunRun,
  { end, gathered, output }: { readonly end: RunEnd; readonly gathered: Gathered; readonly output: string },
): Promise<void> {
  const { id, log, place } = run;
  for (const reason of end.reasons) await log.line(`planner: ${end.status}: ${reason}`);
  if (end.status === "completed") await log.line("planner: completed");
  if (end.status === "pending") return takeBack(deps, run);
  await writeEnd(deps, run, { ...end, output });
  if (place.worktree === null) return;
  await deps.ports.worktrees.writeStatus({
    spec_id: id,
    status: end.status === "completed" ? "done" : "failed",
    error: end.status === "completed" ? null : end.reasons.join("; "),
    commits: gathered.commits,
  });
}

/** Undoes a run that left nothing behind. */
async function takeBack({ context, ports }: RunDeps, { id, place }: BegunRun): Promise<void> {
  await changeSpec(context, id, (text) => editFields(text, { status: "pending" }));
  if (place.worktree === null) return;
  try {
    await ports.worktrees.remove(id);
  } catch (error) {
    // It holds something after all, an earlier run's work say: the next run goes on with that.
    if (!(error instanceof OperationError)) throw error;
    await ports.worktrees.writeStatus({ spec_id: id, status: "failed", error: "interrupted", commits: [] });
  }
}

/** Paused, taken over or cancelled: whoever did it says what becomes of the spec. */
async function endedByOthers(deps: RunDeps, run: BegunRun, agent: AgentEnd): Promise<RunResult> {
  const reason = agent.claimed ? ENDED_OUTSIDE : "another process has taken the spec over";
  if (agent.claimed) {
    await run.log.line(`planner: ${reason}`);
    if (run.place.worktree !== null) {
      const { commits } = await gatherTraces(deps, run);
      const error = `${reason}: no agent works here`;
      await deps.ports.worktrees.writeStatus({ spec_id: run.id, status: "failed", error, commits });
    }
  }
  const end = { status: "paused", reasons: [reason], warnings: [], commits: [] } as const;
  return told(deps, { spec_id: run.id, process_id: run.processId, ...end });
}

/** False once another process has the spec. A look that fails says nothing about that. */
function isHeld({ claim }: Claimed): Promise<boolean> {
  return claim.renew().catch(() => true);
}

/** False once somebody has made this run's record terminal: the way in which others end it. */
async function isRunning({ context }: RunDeps, processId: string): Promise<boolean> {
  const records = await context.work.processes();
  return records.some(({ process_id, status }) => process_id === processId && status === "running");
}

/** What the run's own ending cannot do any more: each step is tried, whatever became of the one before. */
async function brokenOff(
  deps: RunDeps,
  id: SpecId,
  { reason, log }: { readonly reason: string; readonly log: RunLog | undefined },
): Promise<void> {
  const steps = [
    async () => log?.line(`planner: failed: ${reason}`),
    async () => writeFailure(deps, id),
    async () => {
      if ((await deps.ports.worktrees.find(id)) === null) return;
      await deps.ports.worktrees.writeStatus({ spec_id: id, status: "failed", error: reason, commits: [] });
    },
  ];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      deps.tell({ event: "note", spec_id: id, message: reasonOf(error) });
    }
  }
}

function told(deps: RunDeps, result: RunResult): RunResult {
  deps.tell({ event: "ended", ...result });
  return result;
}
