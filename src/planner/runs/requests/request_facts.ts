import { OperationError } from "#kernel/errors.ts";
import { readCriteria } from "../../spec/criteria.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { isPlannerFile } from "../../work/default_evidence.ts";
import { judgeCriteria } from "../../work/judge_criteria.ts";
import { hasChecks, listCompletionObstacles } from "../../work/provenance.ts";
import type { RequestFacts } from "../../work/requests/request_text.ts";
import {
  buildReviewedCriteria,
  markCriterion,
  markProof,
  type ReviewedCriterion,
} from "../../work/reviewed_criteria.ts";
import { isCompletedWithoutProof, proveCommit } from "../proof/prove_spec.ts";
import { type ReviewFacts, readReviewFacts } from "../review/review_facts.ts";
import type { RunDeps, StopSignals } from "../run_types.ts";

/** Content of a request, and the commit that it describes. */
export interface ProvenWork extends RequestFacts {
  readonly spec_id: SpecId;
  readonly branch: string;
  /** Full hash of the branch's last commit. */
  readonly head: string;
  /** Whether the spec is completed, so that merging the request also completes it in other clones. */
  readonly isFinished: boolean;
}

/**
 * Collects the content of a request for the work on a spec. Runs checks that have not run on the present state of the
 * work.
 *
 * @param allowsUnfinished whether to accept work that no person has accepted or whose checks fail
 * @throws OperationError `failed_precondition` for work that is unfinished or uncommitted, with what to do
 */
export async function collectRequestFacts(
  deps: RunDeps,
  text: string,
  { allowsUnfinished, stop }: { readonly allowsUnfinished: boolean; readonly stop: StopSignals },
): Promise<ProvenWork> {
  const facts = await readReviewFacts(deps, text, "make a pull request of");
  const { spec_id, title, branch, difference, record, need } = facts;
  const throwRefusal = (why: string): never => {
    throw new OperationError("failed_precondition", `Cannot make a pull request of spec '${spec_id}': ${why}`);
  };
  if (facts.problem !== null) throwRefusal(facts.problem);
  if (branch === null) return throwRefusal(describeMissingBranch(facts));
  if (facts.uncommitted.length > 0) {
    throwRefusal(`"${facts.uncommitted[0]}" is not committed in ${facts.worktree}: commit it there`);
  }
  if (difference === null || difference.commits.length === 0)
    return throwRefusal("its branch has no commit of its own");
  const isFinished = need?.kind === "finished";
  if (!isFinished && !allowsUnfinished) {
    throwRefusal(`its work is not finished (${facts.status}): "planner pr ${spec_id} --draft" shows it as a draft`);
  }
  const spec = await deps.context.specs.load(spec_id);
  const { head, commits, files } = difference;
  const criteria = await proveOpenCriteria(deps, { facts, spec, head, stop, allowsUnfinished });
  const { dropped } = readCriteria(spec.body);
  return { spec_id, title, criteria, dropped, record, branch, head, isFinished, commits, files: files.length };
}

function describeMissingBranch({ members, spec_id }: ReviewFacts): string {
  const first = members.find(({ need }) => need !== null)?.spec_id;
  if (first === undefined) return "its run had no branch";
  return `its members have the branches: "planner pr ${first}"${members.length > 1 ? " and the others" : ""}, not ${spec_id}`;
}

interface CriteriaToProve {
  readonly facts: ReviewFacts;
  readonly spec: Spec;
  readonly head: string;
  readonly stop: StopSignals;
  readonly allowsUnfinished: boolean;
}

async function proveOpenCriteria(deps: RunDeps, judged: CriteriaToProve): Promise<readonly ReviewedCriterion[]> {
  const { facts, spec, head, stop, allowsUnfinished } = judged;
  const kept = await deps.ports.worktrees.readRecord(spec.id, null);
  const recorded = facts.record?.head ?? null;
  const isSame = recorded !== null && (recorded === head || (await differOnlyInPlannerFiles(deps, recorded, head)));
  const criteria = isSame ? buildReviewedCriteria(spec, kept, recorded) : facts.criteria;
  const isProven = criteria.every(({ verify, mark }) => verify === null || mark === "proven");
  if (isProven || !hasChecks(judgeCriteria(spec.body, spec.body))) return copyTicks(criteria, facts);
  if (await isCompletedWithoutProof(deps, spec)) return copyTicks(criteria, facts);
  const proof = await proveCommit(deps, spec, { stop, commit: head });
  const reasons = listCompletionObstacles(spec.id, proof);
  if (reasons.length > 0 && !allowsUnfinished) {
    throw new OperationError(
      "failed_precondition",
      `Cannot make a pull request of spec '${spec.id}': its checks do not succeed on its last commit: ${reasons.join("; ")}`,
    );
  }
  const at = deps.context.clock.now().toISOString();
  return copyTicks(criteria, facts).map((criterion) => {
    const found = proof.criteria.find(({ label, verify }) => label === criterion.label && verify === criterion.verify);
    return found === undefined || criterion.verify === null
      ? criterion
      : markProof(criterion, found, { at, commit: head });
  });
}

/** Copies ticks from the worktree's criteria, which the project's file gets only with the merge. */
function copyTicks(
  criteria: readonly ReviewedCriterion[],
  { criteria: there }: ReviewFacts,
): readonly ReviewedCriterion[] {
  return criteria.map((one) =>
    markCriterion({
      ...one,
      checked: one.checked || there.some(({ label, checked }) => label === one.label && checked),
    }),
  );
}

/** Returns whether two commits differ only in planner's files, as after the commit that completes a spec. */
async function differOnlyInPlannerFiles(deps: RunDeps, from: string, to: string): Promise<boolean> {
  const difference = await deps.ports.differences.readCommitDifference(from, to);
  return difference?.files.every(({ path }) => isPlannerFile(path)) === true;
}
