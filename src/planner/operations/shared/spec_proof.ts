import type { KeptRunRecord } from "#planner/work/records/read_record.ts";
import type { PlannerContext } from "../../context.ts";
import { parseCriteria } from "../../spec/criteria.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { hasChecks } from "../../work/provenance.ts";
import { buildReviewedCriteria, type ReviewedCriterion } from "../../work/reviewed_criteria.ts";

/** Returns a spec's body from its worktree, which may have more checked criteria, or from the project without one. */
export async function readWorktreeBody(context: PlannerContext, id: SpecId): Promise<string> {
  const { worktrees } = await context.openRuns();
  const there = (await worktrees.findWorktree(id))?.openSpecs();
  const specs = there !== undefined && (await there.listIds()).includes(id) ? there : context.specs;
  return (await specs.load(id)).body;
}

export interface SpecProof {
  /** Criteria of the current work with their marks. */
  readonly criteria: readonly ReviewedCriterion[];
  /** The latest record; null without one. */
  readonly kept: KeptRunRecord | null;
}

/**
 * Reads the criteria of a spec's worktree, else of the project, with their marks by the latest record.
 * @param needsRecord whether to read the record of a spec without checks too; otherwise git is not started for it
 */
export async function readSpecProof(
  context: PlannerContext,
  spec: Spec,
  { hasWorktree, needsRecord = false }: { readonly hasWorktree: boolean; readonly needsRecord?: boolean },
): Promise<SpecProof> {
  const { id } = spec;
  const body = hasWorktree && !spec.archived ? await readWorktreeBody(context, id) : spec.body;
  const isRead = needsRecord || hasChecks(parseCriteria(body));
  const { worktrees } = await context.openRuns();
  const latest = isRead ? (await worktrees.listLatestRuns()).find((one) => one.id === id) : undefined;
  const kept = latest === undefined ? null : ((await worktrees.readRecords([latest])).get(id) ?? null);
  return { criteria: buildReviewedCriteria({ id, body }, kept, latest?.head ?? null), kept };
}
