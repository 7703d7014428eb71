import { OperationError } from "#kernel/errors.ts";
import type { Difference } from "#planner/run_ports/differences.ts";
import type { KeptRunRecord } from "#planner/run_ports/kept_records.ts";
import type { StoredReport } from "#planner/run_ports/process_records.ts";
import { findSpec } from "../../operations/shared/find_spec.ts";
import { refuseInsideRun } from "../../operations/shared/inside_run.ts";
import { findLiveWorker } from "../../operations/shared/live_worker.ts";
import { findPersonNeeds } from "../../operations/shared/person_needs.ts";
import { readWorktreeBody } from "../../operations/shared/worktree_body.ts";
import { loadWorld } from "../../operations/shared/world.ts";
import { parseReviews, type Review } from "../../spec/reviews.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { membersOf } from "../../work/merge_order.ts";
import type { PersonNeed } from "../../work/person_need.ts";
import { type RecordFacts, recordOf } from "../../work/records/read_record.ts";
import { type ReviewedCriterion, reviewedCriteria } from "../../work/reviewed_criteria.ts";
import { describeMissingWork } from "../merge/waiting_work.ts";
import type { RunDeps } from "../run_types.ts";

/** Everything that a person judges work by. */
export interface ReviewFacts {
  readonly spec_id: SpecId;
  readonly title: string | null;
  readonly type: string;
  readonly status: string;
  /** Why it needs a person; null if nothing does, after a pause for example. */
  readonly need: PersonNeed | null;
  /** Null for a run without a worktree, and for a group. */
  readonly branch: string | null;
  /** Absolute path; null without one. */
  readonly worktree: string | null;
  /** Changed paths that no commit holds, from the worktree's top: a merge refuses them. */
  readonly uncommitted: readonly string[];
  /** Why git there cannot be asked; null if it can. */
  readonly problem: string | null;
  readonly criteria: readonly ReviewedCriterion[];
  /** The latest run that has left a record; null without one. */
  readonly record: RecordFacts | null;
  /** Null if no commit is left to look at. */
  readonly difference: Difference | null;
  /** What people said when sending the work back before, oldest first. */
  readonly reviews: readonly Review[];
  /** Members of a group or driver, each with its need. */
  readonly members: readonly MemberWork[];
}

/** Statuses that have something to review, whatever a worktree says. */
const REVIEWABLE: readonly string[] = ["needs_attention", "failed"];

/**
 * Reads what there is to judge about the work on a spec: its branch, or the commits of a run without a worktree.
 *
 * @param text full or partial id; an archived spec has something to review only while its branch is not merged
 * @param purpose what a refusal says cannot be done with the spec
 * @throws OperationError `failed_precondition` inside a run, while a process works on the spec, and for a spec without
 *   anything to review, with what to do
 */
export async function reviewFacts(deps: RunDeps, text: string, purpose = "review"): Promise<ReviewFacts> {
  const { context, ports } = deps;
  refuseInsideRun(context, "review");
  const spec = await findSpec(context, text, { archived: true });
  const { id, title, type, status } = spec;
  await refuseUnreviewable(deps, spec, purpose);
  const [need, members, kept, reports, branch] = [
    (await findPersonNeeds(context, [spec])).get(id) ?? null,
    await membersWithWork(deps, spec),
    await keptRecord(deps, id),
    await ports.records.reports(),
    await ports.worktrees.branch(id).catch(onRefusal(null)),
  ];
  const report = reports.findLast(({ spec_id }) => spec_id === id);
  const body = spec.archived ? spec.body : await readWorktreeBody(context, id).catch(onRefusal(spec.body));
  const difference = await differenceOf(deps, { id, branch, kept, report });
  return {
    ...{ spec_id: id, title, type, status, need, branch, members },
    ...(await folderOf(deps, id)),
    criteria: reviewedCriteria(body, kept, difference?.head ?? null),
    record: kept === null ? null : recordOf(kept),
    difference,
    reviews: parseReviews(spec.body),
  };
}

/** @throws OperationError `failed_precondition` with what to do instead */
export async function refuseUnreviewable(deps: RunDeps, spec: Spec, purpose = "review"): Promise<void> {
  const { id, status } = spec;
  const refuse = (why: string): never => {
    throw new OperationError("failed_precondition", `Cannot ${purpose} spec '${id}': ${why}`);
  };
  const worker = await findLiveWorker(deps.context, id);
  if (worker !== null) refuse(`process ${worker.pid} is working on it: "planner pause ${id}" stops it`);
  const hasPlace = (await deps.ports.worktrees.ids()).includes(id);
  if (REVIEWABLE.includes(status) || hasPlace) return;
  if ((await membersWithWork(deps, spec)).some(({ need }) => need !== null)) return;
  refuse(describeMissingWork(spec));
}

interface Sources {
  readonly id: SpecId;
  readonly branch: string | null;
  readonly kept: KeptRunRecord | null;
  readonly report: StoredReport | undefined;
}

/** A branch shows its own work; without one, the commits are those between begin and end of the last run. */
async function differenceOf({ ports }: RunDeps, { id, branch, kept, report }: Sources): Promise<Difference | null> {
  try {
    if (branch !== null) return await ports.differences.ofBranch(id);
    const { base, head } = kept === null ? { base: report?.base, head: undefined } : recordOf(kept);
    if (base == null || head == null) return null;
    return await ports.differences.between(base, head);
  } catch (error) {
    return onRefusal(null)(error);
  }
}

async function folderOf(
  { ports }: RunDeps,
  id: SpecId,
): Promise<Pick<ReviewFacts, "worktree" | "uncommitted" | "problem">> {
  try {
    const worktree = await ports.worktrees.find(id);
    const uncommitted = (await worktree?.uncommitted()) ?? [];
    return { worktree: worktree?.path ?? null, uncommitted, problem: null };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return { worktree: null, uncommitted: [], problem: error.message };
  }
}

/** Null without a record, and without a repository. */
function keptRecord({ ports }: RunDeps, id: SpecId): Promise<KeptRunRecord | null> {
  return ports.worktrees.record(id, null).catch(onRefusal(null));
}

function onRefusal<Value>(instead: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof OperationError) return instead;
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

/** Returns the members of a spec, however deep, in the order of their ids, with what each needs of a person. */
export async function membersWithWork({ context }: RunDeps, spec: Spec): Promise<readonly MemberWork[]> {
  const { specs } = await loadWorld(context);
  const byId = new Map<string, Spec>(specs.map((one) => [one.id, one]));
  const found = new Map<SpecId, Spec>();
  const visit = (one: Spec): void => {
    for (const id of membersOf(one, specs)) {
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
