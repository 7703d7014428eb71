import { OperationError } from "#kernel/errors.ts";
import type { SharedAnswer, SharedClaimWishes } from "#planner/run_ports/claims.ts";
import type { Worktree } from "#planner/run_ports/worktree.ts";
import type { RemovalWishes } from "#planner/run_ports/worktrees.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { COMMIT_SUMMARIES, type CommitWriter } from "../../work/commit_message.ts";
import type { RunDeps, StopWishes } from "../run_types.ts";
import type { Merged, MergeResult } from "./merge_result.ts";

export interface MergingWishes {
  readonly stop: StopWishes;
  /** Why a person takes the work whatever its checks say; null if they have to succeed. */
  readonly unproven: string | null;
  /** How the claim that other clones see is made final. */
  readonly shared: SharedClaimWishes;
  /** A commit that a person named as the merge of the work; null to look for one. */
  readonly as?: string | null;
}

export function refused(id: SpecId, reason: string): MergeResult {
  return { spec_id: id, outcome: "refused", reason };
}

/** Says why this clone may not merge a spec now, and what a person can do. */
export function notFinalText(id: SpecId, answer: Exclude<SharedAnswer, { readonly kind: "own" }>): string {
  if (answer.kind === "lost") return answer.reason;
  return `${answer.reason}: "planner merge ${id} --offline" merges without it`;
}

export interface FinalFields {
  readonly status: string;
  readonly completed_at: string;
  readonly unproven: string | undefined;
}

export function finalFields(
  { context }: Pick<RunDeps, "context">,
  { frontmatter, status }: Spec,
  why: string | null,
): FinalFields {
  const isCompleted = status === "completed";
  const since = isCompleted ? frontmatter["completed_at"] : undefined;
  const known = isCompleted ? frontmatter["unproven"] : undefined;
  return {
    status: "completed",
    unproven: why ?? (typeof known === "string" ? known : undefined),
    completed_at: typeof since === "string" ? since : context.clock.now().toISOString(),
  };
}

/** Finalizes the spec in the worktree too, so that the main branch's history has its status. */
export async function finalizeThere(
  { id, worktree, message }: { readonly id: SpecId; readonly worktree: Worktree; readonly message: CommitWriter },
  fields: FinalFields,
): Promise<void> {
  const specs = worktree.specs();
  // The agent may have archived or deleted it there.
  if (!(await specs.ids()).includes(id)) return;
  await specs.edit(id, (text) => editFields(text, { ...fields }));
  await worktree.commitSpec(message(COMMIT_SUMMARIES.completed(id)));
}

/** The record says less then; the work is merged. */
export function ignoreRefusal(error: unknown): void {
  if (!(error instanceof OperationError)) throw error;
}

/** `kept` is null if the worktree is gone, else why it was kept: the merge holds all the same. */
export async function removeWork(
  { ports }: Pick<RunDeps, "ports">,
  id: SpecId,
  wishes: RemovalWishes = {},
): Promise<Pick<Merged, "kept" | "notes">> {
  try {
    return { kept: null, notes: await ports.worktrees.remove(id, wishes) };
  } catch (error) {
    if (error instanceof OperationError) return { kept: error.message, notes: [] };
    throw error;
  }
}
