import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import { TaskSlots } from "#kernel/slots.ts";
import type { StoredRunReport } from "#planner/work/records/process_record.ts";
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
import { loadSpecWorld, type SpecWorld } from "../../operations/shared/world.ts";
import { describeNearItems } from "../../spec/criteria.ts";
import { parseReadable } from "../../spec/document.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import { isWorkSentBack } from "../../spec/reviews.ts";
import type { Spec } from "../../spec/spec.ts";
import { parseMemberNumber, parseParentId, type SpecId } from "../../spec/spec_id.ts";
import { createCommitWriter } from "../../work/commit_message.ts";
import { type Provider, selectProvider } from "../../work/providers.ts";
import type { RequestNote } from "../../work/requests/request_note.ts";
import { describeMissingClaim } from "../merge/complete_spec.ts";
import { explainOpenRequest } from "../merge/waiting_work.ts";
import { createMergeAdmission } from "../proof/prove_spec.ts";
import type { RunChoice, RunDeps, RunSettings, StopSignals } from "../run_types.ts";

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
  const reports = await context.readRunReports();
  const continuesSession =
    wishes.resume || (config.defaults.resume && spec.status !== "pending") || isAnswerToReview(spec, reports);
  const known = continuesSession ? chooseSession(id, { provider, reports, wishes }) : null;
  const isNew = known === null && provider.row.newSessionArgs !== null;
  const name = isNew ? ports.agents.createSessionId() : known;
  const session = name === null ? null : { name, isNew };
  return { spec, config, provider, session };
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
      throw createPreconditionError(`Cannot start work on spec '${id}': status is now ${status}`);
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
function findSessionToResume(
  id: SpecId,
  { name, row }: Pick<Provider, "name" | "row">,
  reports: readonly StoredRunReport[],
): string {
  const throwRefusal = (why: string): never => {
    throw createPreconditionError(`Cannot resume work on spec '${id}': ${why}`);
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

/** Milliseconds between two attempts to claim a spec that another process is merging, `planner watch` for example. */
const CLAIM_RETRY_MS = 100;

/** Maximum number of attempts to claim a spec. */
const MAX_CLAIM_TRIES = 50;

/** Limits merges to one at a time, because runs that begin together move the same main branch. */
const mergeSlot = new TaskSlots(1);

/**
 * Merges the finished branches of the specs that a spec depends on, so that its own branch begins with their work.
 *
 * @throws OperationError `failed_precondition` that names the spec that cannot be merged
 *
 * Source: docs/decisions.md#s-24.
 */
export async function mergePredecessors(deps: RunDeps, spec: Spec, options: PredecessorOptions): Promise<void> {
  const world = await loadSpecWorld(deps.context);
  const ids = listPredecessors(spec, world);
  const unmerged: SpecId[] = [];
  const { worktrees } = deps.ports;
  const worked = new Set(ids.length === 0 ? [] : await worktrees.listIds());
  for (const id of ids) {
    if (worked.has(id) && !(await worktrees.isMerged(id))) unmerged.push(id);
  }
  const requests = unmerged.length === 0 ? new Map<SpecId, RequestNote>() : await deps.ports.requests.readNotes();
  for (const id of unmerged) {
    const why = explainOpenRequest(id, requests.get(id));
    if (why !== null) throw buildNotMergedError(id, spec.id, why);
  }
  for (const id of unmerged)
    await mergeSlot.runInSlot(() => mergePredecessor(deps, { id, wanting: spec.id, ...options }));
}

/** Returns the specs that must be done before `spec`, by the rules of readiness. */
function listPredecessors(spec: Spec, { specs }: SpecWorld): readonly SpecId[] {
  const named = new Set<string>([...spec.dependsOn, ...spec.members]);
  const parent = parseParentId(spec.id);
  const earlier = Object.hasOwn(spec.frontmatter, "depends_on") ? -1 : parseMemberNumber(spec.id);
  return specs
    .map(({ id }) => id)
    .filter((id) => {
      const above = parseParentId(id);
      if (above === spec.id) return true;
      return named.has(id) || (parent !== undefined && above === parent && parseMemberNumber(id) < earlier);
    });
}

interface PredecessorOptions {
  /** Checked between merges; once it returns false, no further spec is merged. */
  readonly stillWanted: () => Promise<boolean>;
  readonly stop: StopSignals;
  /** Whether to skip requests to the remote that stores shared claims. */
  readonly offline: boolean;
}

function buildNotMergedError(id: SpecId, wanting: SpecId, why: string): OperationError {
  return createPreconditionError(`Cannot start work on spec '${wanting}': the work of '${id}' is not merged: ${why}`);
}

interface PredecessorMerge extends PredecessorOptions {
  readonly id: SpecId;
  /** The spec that depends on the spec to merge. */
  readonly wanting: SpecId;
}

async function mergePredecessor(
  deps: RunDeps,
  { id, wanting, stillWanted, stop, offline }: PredecessorMerge,
): Promise<void> {
  const { worktrees } = deps.ports;
  const throwNotMerged = (why: string): never => {
    throw buildNotMergedError(id, wanting, why);
  };
  const claim = await claimSpecForMerge(deps, id, stillWanted);
  if (claim === null && !(await stillWanted())) return;
  if (claim === null) return throwNotMerged("another process holds it");
  try {
    if (await worktrees.isMerged(id)) return;
    const { readConfig, specs } = deps.context;
    const spec = await specs.load(id);
    const final = await claim.finish({ steal: false, offline });
    if (final.kind !== "own") return throwNotMerged(describeMissingClaim(id, final));
    const message = createCommitWriter((await readConfig()).git.commit_template, spec);
    const answer = await worktrees.mergeBranch(id, {
      message,
      admit: await createMergeAdmission(deps, spec, { stop }),
    });
    if (answer.kind === "refused") return throwNotMerged(answer.reasons.join("; "));
    if (answer.kind === "conflict") return throwNotMerged(`conflict in ${answer.files.join(", ")}`);
    if (answer.kind === "open") return throwNotMerged(`criteria were added to it: ${answer.criteria.join(", ")}`);
    deps.tell({ event: "note", spec_id: id, message: `merged, because ${wanting} builds upon it` });
  } catch (error) {
    if (!(error instanceof OperationError) || error.message.startsWith("Cannot start work")) throw error;
    throwNotMerged(error.message);
  } finally {
    await claim.release();
  }
}

async function claimSpecForMerge({ ports, pid }: RunDeps, id: SpecId, stillWanted: PredecessorMerge["stillWanted"]) {
  for (let tries = 0; tries < MAX_CLAIM_TRIES && (await stillWanted()); tries++) {
    const answer = await ports.claims.claim(id, `${id}-${pid}`);
    if ("claim" in answer) return answer.claim;
    await new Promise((resolve) => setTimeout(resolve, CLAIM_RETRY_MS));
  }
  return null;
}
