import { ignoreRefusal, OperationError } from "#kernel/errors.ts";
import type { Claim } from "#planner/store/remote_claims/shared_claims.ts";
import type { Worktree } from "#planner/store/worktrees/open_worktree.ts";
import type { WorktreeState } from "#planner/store/worktrees/settle.ts";
import { quoteShellWord } from "#words/quoting.ts";
import { changeSpec } from "../../operations/shared/change_spec.ts";
import { formatLostRules, readLostRules } from "../../operations/shared/held_rules.ts";
import { loadSpecWorld } from "../../operations/shared/world.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import { isDoneStatus, listMemberIds, type Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { createCommitWriter } from "../../work/commit_message.ts";
import { isMergeableStatus } from "../../work/person_need.ts";
import { type FailedCheck, listFailures } from "../../work/provenance.ts";
import { tryRunWithClaim } from "../claims.ts";
import { createMergeAdmission } from "../proof/prove_spec.ts";
import { completeIfMergedElsewhere } from "../requests/take_merged.ts";
import { describeChangedRules } from "../run/evidence.ts";
import { keepManualRecord } from "../run/keep_record.ts";
import type { RunDeps } from "../run_types.ts";
import {
  buildFinalFields,
  buildMergeRefusal,
  describeMissingClaim,
  describeOpenRequest,
  finalizeWorktreeSpec,
  findMissingEvidence,
  type MergeResult,
  type MergeSpecOptions,
  type MissingEvidence,
  recordMergeFailure,
  removeWorktreeAndBranch,
} from "./complete_spec.ts";
import { describeMissingWork } from "./waiting_work.ts";

/**
 * Merges specs one at a time, members before their drivers. A driver includes all of its members that have worktrees,
 * and is merged only after all of its members.
 *
 * @param onResult called with each result as it arrives
 */
export async function mergeSpecs(
  deps: RunDeps,
  { ids, ...options }: MergeSpecOptions & { readonly ids: readonly SpecId[] },
  onResult: (result: MergeResult) => void = () => {},
): Promise<readonly MergeResult[]> {
  const { specs } = await loadSpecWorld(deps.context);
  const wanted = await addMembersWithWorktree(deps, ids, specs);
  const results: MergeResult[] = [];
  for (const id of sortInMergeOrder(wanted, specs) as readonly SpecId[]) {
    if (options.stop.soon.aborted) break;
    const result =
      (await findOpenMemberRefusal(deps, id)) ??
      (await mergeSpec(deps, id, ids.includes(id) ? options : { ...options, as: null }));
    results.push(result);
    onResult(result);
  }
  return results;
}

/** Returns `ids` and their members with worktrees. Omits a driver without a worktree if a member is included. */
async function addMembersWithWorktree(
  { ports }: RunDeps,
  ids: readonly SpecId[],
  specs: readonly Spec[],
): Promise<readonly string[]> {
  const worked = new Set<string>(await ports.worktrees.listIds());
  const byId = new Map<string, Spec>(specs.map((spec) => [spec.id, spec]));
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (id: string, isNamed: boolean): void => {
    if (seen.has(id)) return;
    seen.add(id);
    const spec = byId.get(id);
    const members = spec === undefined ? [] : listMemberIds(spec, specs);
    for (const member of members) visit(member, false);
    // A spec that the caller named gets a result even without a worktree, except a driver that only lists its members.
    const hasMemberToMerge = members.some((member) => found.has(member));
    if (worked.has(id) || (isNamed && !hasMemberToMerge)) found.add(id);
  };
  for (const id of ids) visit(id, true);
  return [...found];
}

/** Returns outcome `refused` if a member of the spec is not done, or is done but not merged; else null. */
async function findOpenMemberRefusal({ context, ports }: RunDeps, id: SpecId): Promise<MergeResult | null> {
  const { specs } = await loadSpecWorld(context);
  const spec = specs.find((one) => one.id === id);
  if (spec === undefined) return null;
  for (const member of listMemberIds(spec, specs) as readonly SpecId[]) {
    const status = specs.find((one) => one.id === member)?.status;
    const open = status !== undefined && !isDoneStatus(status);
    if (!open && (await ports.worktrees.isMerged(member))) continue;
    const why = open ? `its status is ${status}` : "its branch is not merged";
    return { spec_id: id, outcome: "refused", reason: `member '${member}' comes first: ${why}` };
  }
  return null;
}

/**
 * Merges the branch of one spec, finalizes the spec, and removes worktree and branch. A completed spec is merged as it
 * is; any other needs the same evidence as at the end of a run.
 *
 * Returns an OperationError as outcome `refused`. Source: docs/decisions.md#s-24, docs/decisions.md#s-25.
 */
export async function mergeSpec(deps: RunDeps, id: SpecId, wishes: MergeSpecOptions): Promise<MergeResult> {
  try {
    const use = (claim: Claim) => mergeClaimedSpec(deps, claim, wishes);
    return await tryRunWithClaim(deps, id, use, ({ pid }) => buildMergeRefusal(id, `process ${pid} is working on it`));
  } catch (error) {
    if (error instanceof OperationError) return buildMergeRefusal(id, error.message);
    throw error;
  }
}

async function mergeClaimedSpec(deps: RunDeps, claim: Claim, options: MergeSpecOptions): Promise<MergeResult> {
  const { context, ports } = deps;
  const { stop, unproven, shared } = options;
  const { id } = claim;
  const spec = await context.specs.load(id);
  if (!(await ports.worktrees.listIds()).includes(id)) return buildMergeRefusal(id, describeMissingWork(spec));
  const worktree = await ports.worktrees.findWorktree(id);
  const state = (await worktree?.settle()) ?? null;
  const elsewhere = await completeIfMergedElsewhere(deps, claim, { spec, worktree, state, wishes: options });
  if (elsewhere !== null) return elsewhere;
  const found = await findReasonsAgainstMerge(deps, spec, { worktree, state, stop, unproven });
  if (found.reasons.length > 0) {
    return buildMergeRefusal(id, found.reasons.join("; "), found.proof === null ? [] : listFailures(found.proof));
  }
  const final = await claim.finish(shared);
  if (final.kind !== "own") return buildMergeRefusal(id, describeMissingClaim(id, final));
  const request = await describeOpenRequest(deps, id);
  // The run's record says why it did not complete, so the evidence that completes the spec gets another record.
  const proof = spec.status === "completed" || found.proof?.state == null ? null : found.proof;
  if (proof !== null) await keepManualRecord(deps, { id, proof, unproven, outputSchema: spec.outputSchema });
  const result = await mergeProvenSpec(deps, spec, { worktree, state, stop, unproven, proven: found.proven });
  return "notes" in result ? { ...result, notes: [...final.notes, ...result.notes, ...request] } : result;
}

/** Merges the branch of a spec for which all evidence is present. */
async function mergeProvenSpec(
  deps: RunDeps,
  spec: Spec,
  { worktree, state, stop, unproven, proven }: MergeState & { readonly proven: boolean },
): Promise<MergeResult> {
  const { context, ports } = deps;
  const { id } = spec;
  const fields = buildFinalFields(deps, spec, unproven);
  const message = createCommitWriter((await context.readConfig()).git.commit_template, spec);
  if (worktree !== null) await finalizeWorktreeSpec({ id, worktree, message }, fields);
  const isExcused = proven || unproven !== null;
  const failed: FailedCheck[] = [];
  const admit = isExcused ? {} : { admit: await createMergeAdmission(deps, spec, { stop, failed }) };
  const answer = await ports.worktrees.mergeBranch(id, { message, ...admit });
  if (answer.kind === "refused") return markSpecNeedsAttention(deps, spec, answer.reasons.join("; "), failed);
  if (answer.kind === "open") return markSpecNeedsAttention(deps, spec, describeOpenCriteria(id, answer.criteria));
  if (answer.kind === "conflict") return markMergeConflict(deps, spec, answer.files);
  if (!spec.archived) await changeSpec(context, id, (text) => editFields(text, { ...fields }));
  const [commits, merged] = answer.kind === "merged" ? [answer.commits, answer.notes] : [[], []];
  if (commits.length > 0) await ports.worktrees.recordMergedCommits(id, commits).catch(ignoreRefusal);
  const { kept, notes } = await removeWorktreeAndBranch(deps, id);
  const rules = describeChangedRules(state?.changed ?? [], spec.outputSchema);
  const outcome = answer.kind === "merged" ? "merged" : "nothing";
  return { spec_id: id, outcome, commits, kept, notes: [...(state?.warnings ?? []), ...rules, ...merged, ...notes] };
}

interface MergeState extends Omit<MergeSpecOptions, "shared"> {
  readonly worktree: Worktree | null;
  readonly state: WorktreeState | null;
}

/** Returns the reasons against the merge, and whether the checks already ran on the commit that it would produce. */
async function findReasonsAgainstMerge(
  deps: RunDeps,
  spec: Spec,
  { worktree, state, stop, unproven }: MergeState,
): Promise<MissingEvidence & { readonly proven: boolean }> {
  const against = (...reasons: readonly string[]) => ({ reasons, proven: false, proof: null });
  if (state !== null && state.problems.length > 0) return against(...state.problems);
  if (spec.archived || spec.status === "completed") return against();
  if (!isMergeableStatus(spec.status)) {
    return against(`its status is ${spec.status}`);
  }
  if (worktree === null || state === null) {
    return against(`its worktree was deleted: "planner work ${spec.id}" makes it anew`);
  }
  const lost = unproven === null ? formatLostRules(await readLostRules(deps.context, spec)) : null;
  if (lost !== null) return against(lost);
  const { behind } = await worktree.holds();
  const missing = await findMissingEvidence(deps, { id: spec.id, worktree, state, stop, unproven });
  // A rebase produces another commit, so the checks must run again.
  return { ...missing, proven: !behind };
}

function describeOpenCriteria(id: SpecId, criteria: readonly string[]): string {
  const named = criteria.map((words) => `criterion "${words}" was added and is not checked`);
  return `${named.join("; ")}: see to it, check it, then run "planner merge ${id}"`;
}

async function markSpecNeedsAttention(
  deps: RunDeps,
  spec: Spec,
  error: string,
  checks: readonly FailedCheck[] = [],
): Promise<MergeResult> {
  await recordMergeFailure(deps, spec, { error, checks });
  return buildMergeRefusal(spec.id, error, checks);
}

async function markMergeConflict(deps: RunDeps, spec: Spec, files: readonly string[]): Promise<MergeResult> {
  const { id } = spec;
  // The merge has created a worktree whose folder was deleted.
  const worktree = await deps.ports.worktrees.findWorktree(id);
  const where = worktree === null ? "" : `in "${worktree.path}" `;
  const advice = `${where}run "git rebase ${quoteShellWord(worktree?.mainBranch ?? "main")}", settle the conflict and go on with "git rebase --continue"; then run "planner merge ${id}"; or let an agent settle it: "planner work ${id}"`;
  const error = `conflict in ${files.join(", ")}: ${advice}`;
  await recordMergeFailure(deps, spec, { error }, { completed_at: undefined });
  return { spec_id: id, outcome: "conflict", files, advice };
}

/**
 * Returns the wanted specs in merge order: members before their drivers, dependencies before their dependents,
 * otherwise in the given order. Each appears once. Follows the dependencies of other specs but does not return these.
 *
 * Ignores the edge that closes a cycle. Cost: O(specs x members).
 */
export function sortInMergeOrder(wanted: readonly string[], specs: readonly Spec[]): readonly string[] {
  const byId = new Map<string, Spec>(specs.map((spec) => [spec.id, spec]));
  const wantedIds = new Set(wanted);
  const seen = new Set<string>();
  const order: string[] = [];
  const visitSpec = (id: string): void => {
    if (seen.has(id)) return;
    seen.add(id);
    const spec = byId.get(id);
    if (spec !== undefined) for (const before of [...spec.dependsOn, ...listMemberIds(spec, specs)]) visitSpec(before);
    if (wantedIds.has(id)) order.push(id);
  };
  for (const id of wanted) visitSpec(id);
  return order;
}
