import { OperationError } from "#kernel/errors.ts";
import type { Agents } from "#planner/run_ports/agents.ts";
import type { Claim, ClaimHolder, SharedClaimWishes } from "#planner/run_ports/claims.ts";
import type { RunLog } from "#planner/run_ports/logs.ts";
import type { StoredReport } from "#planner/run_ports/process_records.ts";
import type { PlannerConfig } from "../../config/config.ts";
import { changeSpec } from "../../operations/shared/change_spec.ts";
import { refuseLostRules } from "../../operations/shared/held_rules.ts";
import {
  RESUMABLE,
  refuseLintErrors,
  refuseMissingAgent,
  refuseUnacceptedSetup,
  refuseUnworkable,
} from "../../operations/shared/start_checks.ts";
import { loadWorld } from "../../operations/shared/world.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import { isSentBack } from "../../spec/reviews.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import type { AgentSession } from "../../work/agent_launch.ts";
import { type Provider, providerFor } from "../../work/providers.ts";
import { sessionToResume } from "../../work/resume.ts";
import { endLeftovers } from "../end_claim.ts";
import type { RunDeps, RunPlace, RunWishes } from "../run_types.ts";

/** A run that has passed all checks before its start. */
export interface CheckedStart {
  readonly spec: Spec;
  readonly config: PlannerConfig;
  readonly provider: Provider;
  /** The agent's own session to continue or to begin; null if the agent names a new one itself. */
  readonly session: AgentSession | null;
}

/**
 * Checks every condition of a run before it changes anything.
 *
 * @throws OperationError that names the condition that is not met
 */
export async function checkStart({ context, ports }: RunDeps, id: SpecId, wishes: RunWishes): Promise<CheckedStart> {
  const spec = await context.specs.load(id);
  refuseUnworkable(spec, await loadWorld(context), RESUMABLE);
  await refuseLintErrors(context, spec);
  const config = await context.config();
  const provider = chosenProvider(config, spec, wishes);
  await refuseMissingAgent(context, provider, `start work on spec '${id}'`);
  await refuseLostRules(context, `start work on spec '${id}'`);
  if (wishes.worktree) await refuseUnacceptedSetup(context, config);
  const reports = await ports.records.reports();
  const goesOn = wishes.resume || (config.defaults.resume && spec.status !== "pending") || isAnswer(spec, reports);
  const known = goesOn ? sessionOf(id, { provider, reports, wishes }) : null;
  const session = known === null ? newSession(provider, ports.agents) : { name: known, isNew: false };
  return { spec, config, provider, session };
}

function newSession({ row }: Provider, agents: Agents): AgentSession | null {
  return row.newSessionArgs === null ? null : { name: agents.newSession(), isNew: true };
}

/** Whether a person has sent back what the spec's last run did. */
function isAnswer({ id, body }: Spec, reports: readonly StoredReport[]): boolean {
  return isSentBack(body, reports.findLast(({ spec_id }) => spec_id === id)?.started_at ?? null);
}

interface Resuming {
  readonly provider: Provider;
  readonly reports: readonly StoredReport[];
  readonly wishes: RunWishes;
}

/** A wish of one call is refused if it cannot be met; the setting of a project is for every run that can. */
function sessionOf(id: SpecId, { provider, reports, wishes }: Resuming): string | null {
  try {
    return sessionToResume(id, provider, reports);
  } catch (error) {
    if (wishes.resume || !(error instanceof OperationError)) throw error;
    return null;
  }
}

function chosenProvider(config: PlannerConfig, spec: Spec, { provider, model }: RunWishes): Provider {
  const defaults = provider === null ? config.defaults : { ...config.defaults, provider };
  return providerFor({ ...config, defaults }, { model: model ?? spec.model, task: "work" });
}

/**
 * Takes the spec for this clone, at the remote where the settings name one.
 *
 * @returns notes for the run's record
 * @throws OperationError that names the clone that has it, or says why the remote cannot be asked
 */
export async function shareClaim(deps: RunDeps, claim: Claim, wishes: SharedClaimWishes): Promise<readonly string[]> {
  const answer = await claim.share(wishes);
  if (answer.kind === "own") {
    for (const message of answer.notes) deps.tell({ event: "note", spec_id: claim.id, message });
    return answer.notes;
  }
  const refused = `Cannot start work on spec '${claim.id}': ${answer.reason}`;
  if (answer.kind === "lost") throw new OperationError("failed_precondition", refused);
  throw new OperationError("unavailable", `${refused}: "planner work ${claim.id} --offline" works without it`);
}

/**
 * Takes the spec for this process, and ends what a dead holder left running.
 *
 * @throws OperationError that names the holder
 */
export async function claimSpec(deps: RunDeps, id: SpecId, processId: string): Promise<Claim> {
  const { ports, tell } = deps;
  const answer = await ports.claims.claim(id, processId);
  if ("heldBy" in answer) throw heldRefusal(id, answer.heldBy);
  const { claim, tookOver } = answer;
  if (tookOver === null) return claim;
  tell({ event: "note", spec_id: id, message: `took the spec over from process ${tookOver.pid}, which is gone` });
  try {
    await endLeftovers(deps, id, tookOver);
    return claim;
  } catch (error) {
    await claim.release();
    throw error;
  }
}

function heldRefusal(id: SpecId, { pid, host, started_at }: ClaimHolder): OperationError {
  return new OperationError(
    "failed_precondition",
    `Cannot start work on spec '${id}': process ${pid} on ${host} is working on it (it began ${started_at})`,
  );
}

/**
 * Sets the spec in_progress and notes its branch, in one edit; refuses if its status has changed since it was checked.
 *
 * @param branchPrefix null for a run without a branch
 * @returns the text after that
 */
export async function markStarted({ context }: RunDeps, id: SpecId, branchPrefix: string | null): Promise<string> {
  let text = "";
  await changeSpec(context, id, (before, { status }) => {
    if (!RESUMABLE.includes(status)) {
      throw new OperationError("failed_precondition", `Cannot start work on spec '${id}': status is now ${status}`);
    }
    const place = branchPrefix === null ? {} : { branch: `${branchPrefix}${id}` };
    text = editFields(before, { status: "in_progress", completed_at: undefined, ...place });
    return text;
  });
  return text;
}

/** What a run begins with. */
export interface ClaimedStart extends CheckedStart {
  readonly processId: string;
  readonly claim: Claim;
  /** Notes about the claim that other clones see. */
  readonly notes: readonly string[];
  readonly wishes: RunWishes;
}

/** A run in its place, as the phases after `worktree` see it. */
export interface PlacedRun extends Omit<ClaimedStart, "claim" | "notes"> {
  readonly id: SpecId;
  readonly place: RunPlace;
  readonly log: RunLog;
  /** The project's text of the spec when the run began. */
  readonly before: string;
}
