import { OperationError } from "#kernel/errors.ts";
import type { AgentLauncher } from "#planner/run_ports/agents.ts";
import type { StoredRunReport } from "#planner/run_ports/process_records.ts";
import type { PlannerConfig } from "../../config/config.ts";
import { changeSpec } from "../../operations/shared/change_spec.ts";
import { holdProjectRules } from "../../operations/shared/held_rules.ts";
import {
  RESUMABLE_STATUSES,
  refuseLintErrors,
  refuseMissingAgent,
  refuseUnacceptedSetup,
  refuseUnworkableSpec,
} from "../../operations/shared/start_checks.ts";
import { loadSpecWorld } from "../../operations/shared/world.ts";
import { describeNearItems } from "../../spec/criteria.ts";
import { parseReadable } from "../../spec/document.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import { isWorkSentBack } from "../../spec/reviews.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { type Provider, selectProvider } from "../../work/providers.ts";
import type { RunChoice, RunDeps, RunSettings } from "../run_types.ts";

/** Checks all of a run's conditions before it changes anything; throws OperationError that names the unmet one. */
export async function checkRunConditions(
  { context, ports }: RunDeps,
  id: SpecId,
  wishes: RunSettings,
): Promise<RunChoice> {
  const spec = await context.specs.load(id);
  refuseUnworkableSpec(spec, await loadSpecWorld(context), RESUMABLE_STATUSES);
  await refuseLintErrors(context, spec);
  const config = await context.readConfig();
  const provider = chooseProvider(config, spec, wishes);
  await refuseMissingAgent(context, provider, `start work on spec '${id}'`);
  await holdProjectRules(context, spec, `start work on spec '${id}'`);
  if (wishes.worktree) await refuseUnacceptedSetup(context, config);
  const reports = await ports.records.readReports();
  const continuesSession =
    wishes.resume || (config.defaults.resume && spec.status !== "pending") || isAnswerToReview(spec, reports);
  const known = continuesSession ? chooseSession(id, { provider, reports, wishes }) : null;
  const session = known === null ? createSession(provider, ports.agents) : { name: known, isNew: false };
  return { spec, config, provider, session };
}

function createSession({ row }: Provider, agents: AgentLauncher): RunChoice["session"] {
  return row.newSessionArgs === null ? null : { name: agents.createSessionId(), isNew: true };
}

/** Returns whether the next run answers a review: a person has sent back the work of the spec's last run. */
function isAnswerToReview({ id, body }: Spec, reports: readonly StoredRunReport[]): boolean {
  return isWorkSentBack(body, reports.findLast(({ spec_id }) => spec_id === id)?.started_at ?? null);
}

interface SessionChoice {
  readonly provider: Provider;
  readonly reports: readonly StoredRunReport[];
  readonly wishes: RunSettings;
}

/** Returns the session to continue, or null. Throws only if `wishes.resume` asks for a session that cannot continue. */
function chooseSession(id: SpecId, { provider, reports, wishes }: SessionChoice): string | null {
  try {
    return findSessionToResume(id, provider, reports);
  } catch (error) {
    if (wishes.resume || !(error instanceof OperationError)) throw error;
    return null;
  }
}

function chooseProvider(config: PlannerConfig, spec: Spec, { provider, model }: RunSettings): Provider {
  const defaults = provider === null ? config.defaults : { ...config.defaults, provider };
  return selectProvider({ ...config, defaults }, { model: model ?? spec.model, task: "work" });
}

/**
 * Sets the spec in_progress and stores its branch, in one edit, and warns of what the end will not accept. Throws if the spec's status no longer allows a run.
 *
 * @param branchPrefix null for a run without a branch
 * @returns the text after the edit
 */
export async function markSpecStarted(
  { context, ports, tell }: RunDeps,
  id: SpecId,
  branchPrefix: string | null,
): Promise<string> {
  let text = "";
  const place = branchPrefix === null ? {} : { branch: await ports.worktrees.nameBranch(id, branchPrefix) };
  await changeSpec(context, id, (before, { status }) => {
    if (!RESUMABLE_STATUSES.includes(status)) {
      throw new OperationError("failed_precondition", `Cannot start work on spec '${id}': status is now ${status}`);
    }
    text = editFields(before, { status: "in_progress", completed_at: undefined, ...place });
    return text;
  });
  const near = describeNearItems(parseReadable(text));
  if (near !== null) tell({ event: "note", spec_id: id, message: `${near}; the run does not complete it so` });
  return text;
}

/** Matches valid session ids. An id comes from an agent's output, so it must not resemble a flag or a placeholder. */
const SESSION_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$/;

/**
 * Returns the agent session that the last run of the spec recorded.
 *
 * @param reports oldest first
 * @throws OperationError `failed_precondition` that says why no session can be continued
 */
export function findSessionToResume(
  id: SpecId,
  { name, row }: Pick<Provider, "name" | "row">,
  reports: readonly StoredRunReport[],
): string {
  const throwRefusal = (why: string): never => {
    throw new OperationError("failed_precondition", `Cannot resume work on spec '${id}': ${why}`);
  };
  const advice = `"planner work ${id}" goes on in a new session`;
  if (row.resumeArgs === null) return throwRefusal(`${name} cannot continue a session: ${advice}`);
  const last = reports.findLast(({ spec_id, session }) => spec_id === id && session !== null);
  if (last === undefined || last.session === null) return throwRefusal(`no run has recorded a session: ${advice}`);
  if (last.agent !== name) return throwRefusal(`its last session is one of ${last.agent}, not of ${name}: ${advice}`);
  if (!SESSION_ID_PATTERN.test(last.session))
    return throwRefusal(`expected a session's name, got ${JSON.stringify(last.session.slice(0, 60))}`);
  return last.session;
}
