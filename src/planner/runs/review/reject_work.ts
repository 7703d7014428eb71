import { OperationError } from "#kernel/errors.ts";
import { changeSpec } from "../../operations/shared/change_spec.ts";
import { findSpec } from "../../operations/shared/find_spec.ts";
import { refuseInsideRun } from "../../operations/shared/inside_run.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { runWithClaim } from "../claims.ts";
import { describeOpenRequest } from "../merge/complete_spec.ts";
import type { RunDeps } from "../run_types.ts";
import { assertReviewable, listMembersWithNeeds } from "./review_facts.ts";

export interface RejectedWork {
  readonly spec_id: SpecId;
  /** Ref that keeps the branch, and other notes for a person, one sentence each. */
  readonly notes: readonly string[];
  /** Reason why worktree and branch still exist; null if they were removed. */
  readonly kept: string | null;
}

const DONE_STATUSES: readonly string[] = ["completed", "cancelled"];

/**
 * Rejects work: cancels the spec, keeps its branch under `refs/planner/kept/<id>/` and removes worktree and branch,
 * unless that would lose uncommitted changes. For a group or driver, first rejects members that are not done or not
 * merged.
 *
 * @param id full or partial id of an active spec; if it is cancelled already, only its worktree is removed
 * @throws OperationError `failed_precondition` as `readReviewFacts`
 */
export async function rejectWork(deps: RunDeps, id: string): Promise<readonly RejectedWork[]> {
  refuseInsideRun(deps.context, "review");
  const spec = await findSpec(deps.context, id, { archived: false });
  await assertReviewable(deps, spec);
  const members = (await listMembersWithNeeds(deps, spec)).filter(
    ({ status, need }) => need !== null || !DONE_STATUSES.includes(status),
  );
  const results: RejectedWork[] = [];
  for (const one of [...members.map(({ spec_id }) => spec_id), spec.id]) {
    results.push(await runWithClaim(deps, one, "reject", () => rejectSpec(deps, one)));
  }
  return results;
}

/** Rejects one spec. Sets the status first, so that the spec can be rejected again after a crash. */
async function rejectSpec({ context, ports }: RunDeps, id: SpecId): Promise<RejectedWork> {
  await changeSpec(context, id, (text) =>
    editFields(text, { status: "cancelled", completed_at: undefined, unproven: undefined }),
  );
  if (!(await ports.worktrees.listIds()).includes(id)) {
    const hasRun = (await ports.records.readReports()).some(({ spec_id }) => spec_id === id);
    return { spec_id: id, notes: hasRun ? [describeWorkInProject(id)] : [], kept: null };
  }
  const request = await describeOpenRequest({ ports }, id);
  try {
    const notes = await ports.worktrees.removeWorktree(id, { unmerged: "keep" });
    return { spec_id: id, notes: [...notes, ...request], kept: null };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return { spec_id: id, notes: [], kept: error.message };
  }
}

function describeWorkInProject(id: SpecId): string {
  return `what its run changed stays in the project's folder: "planner log ${id} --run last" names it`;
}
