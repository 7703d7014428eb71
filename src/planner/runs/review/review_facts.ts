import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { WorkDifference } from "#planner/store/worktrees/differences.ts";
import type { StoredRunReport } from "#planner/work/records/process_record.ts";
import { type KeptRunRecord, parseRunRecord, type RunRecordFacts } from "#planner/work/records/read_record.ts";
import { refuseInsideRun } from "../../operations/shared/change_spec.ts";
import { findSpec } from "../../operations/shared/find_spec.ts";
import { findLiveWorker } from "../../operations/shared/live_worker.ts";
import { findPersonNeeds } from "../../operations/shared/person_needs.ts";
import { readWorktreeBody } from "../../operations/shared/spec_proof.ts";
import { loadSpecWorld } from "../../operations/shared/world.ts";
import { type DroppedCriterion, readCriteria } from "../../spec/criteria.ts";
import { parseReviews, type Review } from "../../spec/reviews.ts";
import { listMemberIds, type Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import type { PersonNeed } from "../../work/person_need.ts";
import type { FailedCheck } from "../../work/provenance.ts";
import { buildReviewedCriteria, type ReviewedCriterion } from "../../work/reviewed_criteria.ts";
import { describeMissingWork } from "../merge/waiting_work.ts";
import type { RunDeps } from "../run_types.ts";

/** All facts by which a person judges the work on a spec. */
export interface ReviewFacts {
  readonly spec_id: SpecId;
  readonly title: string | null;
  readonly type: string;
  readonly status: string;
  /** Reason why the spec needs a person; null if it needs none, for example after a pause. */
  readonly need: PersonNeed | null;
  /** Branch of the work; null for a run without a worktree, and for a group. */
  readonly branch: string | null;
  /** Absolute path of the worktree; null without one. */
  readonly worktree: string | null;
  /** Uncommitted paths from the worktree's top, which prevent a merge. */
  readonly uncommitted: readonly string[];
  /** Reason why git cannot read the worktree; null if it can. */
  readonly problem: string | null;
  readonly criteria: readonly ReviewedCriterion[];
  /** Criteria that a person dropped. */
  readonly dropped: readonly DroppedCriterion[];
  /** Latest run that has a record; null without a record. */
  readonly record: RunRecordFacts | null;
  /** Checks that failed at the last merge. */
  readonly merge_checks: readonly FailedCheck[];
  /** Changes of the work; null if none of its commits exists any more. */
  readonly difference: WorkDifference | null;
  /** Review texts that people sent back with the work earlier, oldest first. */
  readonly reviews: readonly Review[];
  /** Members of a group or driver, each with the reason why it needs a person. */
  readonly members: readonly MemberWork[];
}

/** Statuses that can be reviewed even without a worktree. */
const REVIEWABLE_STATUSES: readonly string[] = ["needs_attention", "failed"];

/**
 * Reads the facts for a review of the work on a spec: its branch, or the commits of a run without a worktree.
 *
 * @param text full or partial id; an archived spec can be reviewed only while its branch is not merged
 * @param purpose verb phrase for error messages
 * @throws OperationError `failed_precondition` inside a run, while a process works on the spec, and for a spec without
 *   anything to review, with what to do
 */
export async function readReviewFacts(deps: RunDeps, text: string, purpose = "review"): Promise<ReviewFacts> {
  const { context, ports } = deps;
  refuseInsideRun(context, "review");
  const spec = await findSpec(context, text, { archived: true });
  const { id, title, type, status } = spec;
  await assertReviewable(deps, spec, purpose);
  const [need, members, kept, reports, branch] = [
    (await findPersonNeeds(context, [spec])).get(id) ?? null,
    await listMembersWithNeeds(deps, spec),
    await ports.worktrees.readRecord(id, null).catch(createRefusalHandler(null)),
    await context.readRunReports(),
    await ports.worktrees.findBranch(id).catch(createRefusalHandler(null)),
  ];
  const report = reports.findLast(({ spec_id }) => spec_id === id);
  const body = spec.archived ? spec.body : await readWorktreeBody(context, id).catch(createRefusalHandler(spec.body));
  const difference = await readWorkDifference(deps, { id, branch, kept, report });
  return {
    ...{ spec_id: id, title, type, status, need, branch, members },
    ...(await readWorktreeFolder(deps, id)),
    dropped: readCriteria(body).dropped,
    criteria: buildReviewedCriteria({ id, body }, kept, difference?.head ?? null),
    record: kept === null ? null : parseRunRecord(kept),
    difference,
    merge_checks: (await context.work.worktrees()).find(({ spec_id }) => spec_id === id)?.failed_checks ?? [],
    reviews: parseReviews(spec.body),
  };
}

/** @throws OperationError `failed_precondition` if a process works on the spec, or if it has no work to review. */
export async function assertReviewable(deps: RunDeps, spec: Spec, purpose = "review"): Promise<void> {
  const { id, status } = spec;
  const throwRefusal = (why: string): never => {
    throw createPreconditionError(`Cannot ${purpose} spec '${id}': ${why}`);
  };
  const worker = await findLiveWorker(deps.context, id);
  if (worker !== null) throwRefusal(`process ${worker.pid} is working on it: "planner pause ${id}" stops it`);
  const hasPlace = (await deps.ports.worktrees.listIds()).includes(id);
  if (REVIEWABLE_STATUSES.includes(status) || hasPlace) return;
  if ((await listMembersWithNeeds(deps, spec)).some(({ need }) => need !== null)) return;
  throwRefusal(describeMissingWork(spec));
}

interface DifferenceSources {
  readonly id: SpecId;
  readonly branch: string | null;
  readonly kept: KeptRunRecord | null;
  readonly report: StoredRunReport | undefined;
}

/** Returns the changes of the work: those of the branch, else the commits between begin and end of the last run. */
async function readWorkDifference(
  { ports }: RunDeps,
  { id, branch, kept, report }: DifferenceSources,
): Promise<WorkDifference | null> {
  try {
    if (branch !== null) return await ports.differences.readBranchDifference(id);
    const { base, head } = kept === null ? { base: report?.base, head: undefined } : parseRunRecord(kept);
    if (base == null || head == null) return null;
    return await ports.differences.readCommitDifference(base, head);
  } catch (error) {
    return createRefusalHandler(null)(error);
  }
}

async function readWorktreeFolder(
  { ports }: RunDeps,
  id: SpecId,
): Promise<Pick<ReviewFacts, "worktree" | "uncommitted" | "problem">> {
  try {
    const worktree = await ports.worktrees.findWorktree(id);
    const uncommitted = (await worktree?.listUncommittedFiles()) ?? [];
    return { worktree: worktree?.path ?? null, uncommitted, problem: null };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return { worktree: null, uncommitted: [], problem: error.message };
  }
}

function createRefusalHandler<Value>(fallback: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof OperationError) return fallback;
    throw error;
  };
}

/** A member of a group or driver, at any depth. */
export interface MemberWork {
  readonly spec_id: SpecId;
  readonly title: string | null;
  readonly status: string;
  readonly need: PersonNeed | null;
}

/** Returns the members of a spec at any depth, sorted by id, each with the reason why it needs a person. */
export async function listMembersWithNeeds({ context }: RunDeps, spec: Spec): Promise<readonly MemberWork[]> {
  const { specs } = await loadSpecWorld(context);
  const byId = new Map<string, Spec>(specs.map((one) => [one.id, one]));
  const found = new Map<SpecId, Spec>();
  const visit = (one: Spec): void => {
    for (const id of listMemberIds(one, specs)) {
      const member = byId.get(id);
      if (member === undefined || member.id === spec.id || found.has(member.id)) continue;
      found.set(member.id, member);
      visit(member);
    }
  };
  visit(spec);
  const members = [...found.values()];
  const needs = await findPersonNeeds(context, members);
  return members.map(({ id, title, status }) => ({ spec_id: id, title, status, need: needs.get(id) ?? null }));
}
