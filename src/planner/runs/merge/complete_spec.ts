import { OperationError } from "#kernel/errors.ts";
import type { SharedClaimResult } from "#planner/store/remote_claims/remote_claims.ts";
import type { Worktree } from "#planner/store/worktrees/open_worktree.ts";
import type { WorktreeState } from "#planner/store/worktrees/settle.ts";
import type { WorktreeRemovalOptions } from "#planner/store/worktrees/worktrees.ts";
import { changeSpec } from "../../operations/shared/change_spec.ts";
import { buildSpec, parseDocument, parseReadable } from "../../spec/document.ts";
import { editFields, type FieldChanges } from "../../spec/edit/edit_fields.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { COMMIT_SUMMARIES, type CommitWriter } from "../../work/commit_message.ts";
import { decideRunEnd } from "../../work/end_of_run.ts";
import type { FailedCheck, Provenance } from "../../work/provenance.ts";
import { formatRequestName } from "../../work/requests/request_note.ts";
import { buildRunLocation, openJob } from "../job.ts";
import { collectEvidence, type LocatedWork } from "../run/evidence.ts";
import type { RunDeps, RunSettings, StopSignals } from "../run_types.ts";

/** Result for a spec whose work the main branch contains. */
export interface MergedSpec {
  readonly spec_id: SpecId;
  /** `found`: the work was merged outside of planner, in the single commit that `commits` names. */
  readonly outcome: "merged" | "nothing" | "found";
  readonly commits: readonly string[];
  /** Reason why worktree and branch were kept; null if they were removed. */
  readonly kept: string | null;
  /** Notes for a person, one sentence each. */
  readonly notes: readonly string[];
}

/** Result of merging one spec's branch. */
export type MergeResult =
  | MergedSpec
  /** Branch and worktree are unchanged, and the spec has the status needs_attention. */
  | {
      readonly spec_id: SpecId;
      readonly outcome: "conflict";
      readonly files: readonly string[];
      readonly advice: string;
    }
  /** Not merged, and nothing was changed. */
  | {
      readonly spec_id: SpecId;
      readonly outcome: "refused";
      readonly reason: string;
      /** Checks that failed, with the last lines of their output; absent if none did. */
      readonly checks?: readonly FailedCheck[];
    };

/** Returns the reason why a spec was not merged and, after a conflict, the remedy. */
export function describeMergeRefusal(
  result: Extract<MergeResult, { readonly outcome: "refused" | "conflict" }>,
): string {
  const begin = `Cannot merge spec '${result.spec_id}'`;
  if (result.outcome === "refused") return `${begin}: ${result.reason}`;
  return `${begin}: conflict in ${result.files.join(", ")}: ${result.advice}`;
}

export interface MergeSpecOptions extends Pick<RunSettings, "stop" | "unproven" | "shared"> {
  /** A commit that a person named as the merge of the work; null to search for it. */
  readonly as?: string | null;
}

export function buildMergeRefusal(id: SpecId, reason: string, checks: readonly FailedCheck[] = []): MergeResult {
  return { spec_id: id, outcome: "refused", reason, ...(checks.length === 0 ? {} : { checks }) };
}

/** Sets a spec to needs_attention, and stores the reason in its worktree's status for later commands. */
export async function recordMergeFailure(
  { context, ports: { worktrees } }: RunDeps,
  { id, archived }: Spec,
  { error, checks = [] }: { readonly error: string; readonly checks?: readonly FailedCheck[] },
  fields: FieldChanges = {},
): Promise<void> {
  if (!archived) await changeSpec(context, id, (text) => editFields(text, { status: "needs_attention", ...fields }));
  await worktrees.writeStatus({ spec_id: id, status: "failed", error, failed_checks: checks });
}

/** Returns why this clone may not merge a spec now, and what a person can do. */
export function describeMissingClaim(id: SpecId, answer: Exclude<SharedClaimResult, { readonly kind: "own" }>): string {
  if (answer.kind === "lost") return answer.reason;
  return `${answer.reason}: "planner merge ${id} --offline" merges without it`;
}

interface FinalSpecFields {
  readonly status: string;
  readonly completed_at: string;
  readonly unproven: string | undefined;
}

export function buildFinalFields(
  { context }: Pick<RunDeps, "context">,
  { frontmatter, status }: Spec,
  why: string | null,
): FinalSpecFields {
  const isCompleted = status === "completed";
  const since = isCompleted ? frontmatter["completed_at"] : undefined;
  const known = isCompleted ? frontmatter["unproven"] : undefined;
  return {
    status: "completed",
    unproven: why ?? (typeof known === "string" ? known : undefined),
    completed_at: typeof since === "string" ? since : context.clock.now().toISOString(),
  };
}

/** Writes the final status into the worktree's copy of the spec too, so that the main branch's history contains it. */
export async function finalizeWorktreeSpec(
  { id, worktree, message }: { readonly id: SpecId; readonly worktree: Worktree; readonly message: CommitWriter },
  fields: FinalSpecFields,
): Promise<void> {
  const specs = worktree.openSpecs();
  // The agent may have archived or deleted the spec in the worktree.
  if (!(await specs.listIds()).includes(id)) return;
  await specs.edit(id, (text) => editFields(text, { ...fields }));
  await worktree.commitSpec(message(COMMIT_SUMMARIES.completed(id)));
}

/** Removes worktree and branch after a merge. Returns an OperationError as `kept`, because the merge is done. */
export async function removeWorktreeAndBranch(
  { ports }: Pick<RunDeps, "ports">,
  id: SpecId,
  wishes: WorktreeRemovalOptions = {},
): Promise<Pick<MergedSpec, "kept" | "notes">> {
  try {
    return { kept: null, notes: await ports.worktrees.removeWorktree(id, wishes) };
  } catch (error) {
    if (error instanceof OperationError) return { kept: error.message, notes: [] };
    throw error;
  }
}

/** Returns a message about a pull request that may still be open at the forge; empty without one. */
export async function describeOpenRequest({ ports }: Pick<RunDeps, "ports">, id: SpecId): Promise<readonly string[]> {
  const note = (await ports.requests.readNotes()).get(id);
  if (note === undefined || note.state !== "open") return [];
  return [`its ${formatRequestName(note)} may still be open: ${note.url}`];
}

interface FinishedWork {
  readonly id: SpecId;
  readonly worktree: Worktree;
  readonly state: WorktreeState;
  readonly stop: StopSignals;
  /** Reason of a person for accepting the work although its checks fail; null if they have to succeed. */
  readonly unproven: string | null;
}

export interface MissingEvidence {
  /** Reasons why the spec cannot be completed, one sentence each; empty if it can. */
  readonly reasons: readonly string[];
  /** Verdicts on criteria and commands; null if nothing was judged. */
  readonly proof: Provenance | null;
}

/**
 * Returns the reasons why a spec cannot be completed, judged as at the end of a run. Runs the commands of
 * `verify.commands`. Source: docs/decisions.md#s-25.
 */
export async function findMissingEvidence(
  deps: RunDeps,
  { id, worktree, state, stop, unproven }: FinishedWork,
): Promise<MissingEvidence> {
  const spec = parseSpec(id, await worktree.buildJoinedSpec());
  if (spec.status === "cancelled") return { reasons: ["it is cancelled in its worktree"], proof: null };
  const work: LocatedWork = {
    ...(await openJob(deps, id, stop)),
    place: buildRunLocation(worktree.root, worktree),
    // The project's own text contains the criteria that people wrote.
    before: await readProjectText(deps, id),
    outputBefore: parseSpecBody(await worktree.readMainSpec()),
    wishes: { skipCriteria: unproven !== null, unproven },
  };
  const exit = { code: 0, signal: null };
  const facts = { exit, exitMeaning: null, limit: null, interrupted: false, status: "in_progress" };
  const { evidence, proof } = await collectEvidence(deps, work, { ...facts, spec, state });
  return { reasons: decideRunEnd({ ...facts, evidence }).reasons, proof };
}

function parseSpec(id: SpecId, text: string): Spec {
  return buildSpec({ id, file: `.planner/specs/${id}.md`, archived: false }, parseReadable(text));
}

function parseSpecBody(text: string | null): string | null {
  const document = text === null ? null : parseDocument(text);
  return document?.ok === true ? document.body : null;
}

/** Returns the project's text of a spec; null if the spec no longer exists or cannot be read. */
async function readProjectText({ context }: RunDeps, id: SpecId): Promise<string | null> {
  const text = await context.specs.readText(id).then(
    (read) => read.text,
    () => null,
  );
  return text !== null && parseDocument(text).ok ? text : null;
}
