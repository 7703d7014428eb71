import { ignoreRefusal, shortenHash } from "#kernel/errors.ts";
import type { Claim } from "#planner/store/remote_claims/shared_claims.ts";
import type { Worktree } from "#planner/store/worktrees/open_worktree.ts";
import type { FoundMerge, MergeSearchResult } from "#planner/store/worktrees/search_merge.ts";
import type { WorktreeState } from "#planner/store/worktrees/settle.ts";
import { listSomeNames } from "#words/names.ts";
import { changeSpec } from "../../operations/shared/change_spec.ts";
import { formatLostRules, readLostRules } from "../../operations/shared/held_rules.ts";
import { describeNearItems } from "../../spec/criteria.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { judgeCriteria } from "../../work/acceptance.ts";
import { isMergeableStatus } from "../../work/person_need.ts";
import {
  type FailedCheck,
  hasChecks,
  isFailure,
  listCommandResults,
  listCompletionObstacles,
  listFailures,
} from "../../work/provenance.ts";
import {
  buildFinalFields,
  buildMergeRefusal,
  describeMissingClaim,
  findMissingEvidence,
  type MergeResult,
  type MergeSpecOptions,
  recordMergeFailure,
  removeWorktreeAndBranch,
} from "../merge/complete_spec.ts";
import { isCompletedWithoutProof, proveCommit } from "../proof/prove_spec.ts";
import type { RunDeps } from "../run_types.ts";

/** Work that may have been merged elsewhere, with its claim held and its worktree settled. */
export interface SettledWork {
  readonly spec: Spec;
  readonly worktree: Worktree | null;
  readonly state: WorktreeState | null;
  readonly wishes: MergeSpecOptions;
}

/**
 * Completes a spec if git shows that its pull request was merged, or if a person names the merge commit.
 *
 * @returns null in other cases; the caller then merges the work itself
 */
export async function completeIfMergedElsewhere(
  deps: RunDeps,
  claim: Claim,
  work: SettledWork,
): Promise<MergeResult | null> {
  const { requests } = deps.ports;
  const { id } = work.spec;
  const note = (await requests.readNotes()).get(id) ?? null;
  const { as = null } = work.wishes;
  const began = note?.began ?? null;
  if (as !== null) return completeMergedSpec(deps, claim, work, await requests.judgeNamedMerge(id, as, began));
  if (note === null) return null;
  const search = await requests.searchMerge(id, { forge: null, remote: null, began });
  return search.found === null ? null : completeMergedSpec(deps, claim, work, search);
}

/**
 * Completes a spec whose work was merged outside of planner. Finding the merge is not enough: the spec's checks have to
 * succeed on the main branch as it is now, else the spec needs attention. Source: docs/pr.md#recognition.
 */
export async function completeMergedSpec(
  deps: RunDeps,
  claim: Claim,
  work: SettledWork,
  { found, main }: MergeSearchResult,
): Promise<MergeResult> {
  const { context, ports } = deps;
  const { spec, wishes } = work;
  const { id } = spec;
  if (found === null) return buildMergeRefusal(id, "nothing says that its work is in the main branch");
  const obstacle = await findCompletionObstacle(deps, work);
  if (obstacle !== null) return buildMergeRefusal(id, obstacle.why, obstacle.checks);
  const judged = await judgeMainBranch(deps, work, { found, main });
  if (wishes.stop.soon.aborted) return buildMergeRefusal(id, "it was interrupted");
  if (judged.kind === "waiting") return buildMergeRefusal(id, `${describeFoundMerge(found)}: ${judged.reason}`);
  if (judged.kind === "lost") {
    const { reason: error, checks } = judged;
    await recordMergeFailure(deps, spec, { error, checks }, { completed_at: undefined });
    return buildMergeRefusal(id, error, checks);
  }
  const final = await claim.finish(wishes.shared);
  if (final.kind !== "own") return buildMergeRefusal(id, describeMissingClaim(id, final));
  await ports.requests.bringSpecBack(id);
  if (!spec.archived) {
    const fields = buildFinalFields(deps, spec, wishes.unproven);
    await changeSpec(context, id, (text) => editFields(text, { ...fields }));
  }
  const { commit } = found;
  await ports.worktrees.recordMergedCommits(id, [commit]).catch(ignoreRefusal);
  const isSafe = ["forge", "ancestor", "cherry"].includes(found.sign) || found.stillThere;
  const { kept, notes } = await removeWorktreeAndBranch(deps, id, { unmerged: isSafe ? "drop" : "keep" });
  return { spec_id: id, outcome: "found", commits: [commit], kept, notes: [...final.notes, ...notes] };
}

/** Returns why the spec may not be completed or removed now; null if nothing prevents it. */
async function findCompletionObstacle(
  deps: RunDeps,
  { spec, worktree, state, wishes }: SettledWork,
): Promise<{ readonly why: string; readonly checks: readonly FailedCheck[] } | null> {
  const { id, status, archived } = spec;
  const { problems = [], uncommitted = [] } = state ?? {};
  const against = (why: string | null) => (why === null ? null : { why, checks: [] });
  if (problems.length > 0) return against(problems.join("; "));
  if (uncommitted.length > 0)
    return against(`its worktree has uncommitted changes: ${listSomeNames(uncommitted, MAX_NAMED_FILES)}`);
  if (archived || status === "completed") return null;
  if (!isMergeableStatus(status)) return against(`its status is ${status}`);
  const { stop, unproven } = wishes;
  if (worktree === null || state === null) return against(unproven === null ? describeNearItems(spec) : null);
  if (await isCompletedInWorktree(worktree, id)) return null;
  const lost = unproven === null ? formatLostRules(await readLostRules(deps.context, spec)) : null;
  if (lost !== null) return against(lost);
  const { reasons, proof } = await findMissingEvidence(deps, { id, worktree, state, stop, unproven });
  if (reasons.length === 0) return null;
  return { why: reasons.join("; "), checks: proof === null ? [] : listFailures(proof) };
}

/** Returns whether the worktree's spec is completed. A pull request commits that status only with complete evidence. */
async function isCompletedInWorktree(worktree: Worktree, id: SpecId): Promise<boolean> {
  const specs = worktree.openSpecs();
  if (!(await specs.listIds()).includes(id)) return false;
  return (await specs.load(id)).status === "completed";
}

/** Maximum number of uncommitted files named in a message. */
const MAX_NAMED_FILES = 5;

type MainBranchVerdict =
  | { readonly kind: "done" }
  /** A check could not run, for example because a person has to accept its command. */
  | { readonly kind: "waiting"; readonly reason: string }
  /** The main branch lacks what the spec requires, or has lost it since. */
  | { readonly kind: "lost"; readonly reason: string; readonly checks: readonly FailedCheck[] };

async function judgeMainBranch(
  deps: RunDeps,
  { spec, worktree, wishes }: SettledWork,
  { found, main }: { readonly found: FoundMerge; readonly main: string },
): Promise<MainBranchVerdict> {
  const { id, body } = spec;
  if (wishes.unproven !== null || (await isCompletedWithoutProof(deps, spec))) return { kind: "done" };
  const name = worktree?.mainBranch ?? "the main branch";
  if (!hasChecks(judgeCriteria(body, body))) {
    // Without checks, one of these suffices: a person named the commit, the main branch still has the change, or the
    // forge's merge commit has it.
    const holds = found.sign === "person" || found.stillThere || (found.sign === "forge" && found.commitHolds);
    if (holds) return { kind: "done" };
    const reason = `${describeFoundMerge(found)}, and ${name} no longer has all of its change: reverted or changed since? "planner merge ${id} --as ${shortenHash(found.commit)}" takes it as done`;
    return { kind: "lost", reason, checks: [] };
  }
  const proof = await proveCommit(deps, spec, { stop: wishes.stop, commit: main });
  const reasons = listCompletionObstacles(id, proof);
  if (reasons.length === 0) return { kind: "done" };
  if (!listCommandResults(proof).some(isFailure)) return { kind: "waiting", reason: reasons.join("; ") };
  const text = `${describeFoundMerge(found)}, its checks fail on ${name}: reverted or changed since? (${reasons.join("; ")})`;
  return { kind: "lost", reason: text, checks: listFailures(proof) };
}

function describeFoundMerge({ commit }: FoundMerge): string {
  return `merged in ${shortenHash(commit)}`;
}
