import { OperationError } from "#kernel/errors.ts";
import { finalizeCommand } from "../../operations/finalize.ts";
import { findSpec } from "../../operations/shared/find_spec.ts";
import { refuseInsideRun } from "../../operations/shared/inside_run.ts";
import type { Spec } from "../../spec/spec.ts";
import type { MergeResult } from "../merge/complete_spec.ts";
import { mergeSpecs } from "../merge/merge_specs.ts";
import type { RunDeps, StopSignals } from "../run_types.ts";
import { assertReviewable, listMembersWithNeeds } from "./review_facts.ts";

/**
 * Accepts work: merges the branch of the spec, and for a group or driver those of its members too, as `mergeSpecs`
 * does. Finalizes a spec without a branch, whose work is in the project's folder.
 *
 * @param id full or partial id of a spec
 * @param onResult called with each result as it arrives
 * @throws OperationError `failed_precondition` as `readReviewFacts`
 */
export async function acceptWork(
  deps: RunDeps,
  { id, stop }: { readonly id: string; readonly stop: StopSignals },
  onResult: (result: MergeResult) => void = () => {},
): Promise<readonly MergeResult[]> {
  refuseInsideRun(deps.context, "review");
  const spec = await findSpec(deps.context, id, { archived: true });
  await assertReviewable(deps, spec);
  const places = new Set<string>(await deps.ports.worktrees.listIds());
  const idsWithWorktree = [spec.id, ...(await listMembersWithNeeds(deps, spec)).map(({ spec_id }) => spec_id)].filter(
    (one) => places.has(one),
  );
  const merged =
    idsWithWorktree.length === 0
      ? []
      : await mergeSpecs(
          deps,
          { ids: [spec.id], stop, unproven: null, shared: { steal: false, offline: false } },
          onResult,
        );
  const isRefused = merged.some(({ outcome }) => outcome === "refused" || outcome === "conflict");
  if (isRefused || stop.soon.aborted || places.has(spec.id)) return merged;
  const finalized = await finalizeProjectSpec(deps, spec, stop);
  onResult(finalized);
  return [...merged, finalized];
}

async function finalizeProjectSpec({ context }: RunDeps, { id }: Spec, stop: StopSignals): Promise<MergeResult> {
  try {
    await finalizeCommand.run(context, { id }, { signal: stop.soon });
    return { spec_id: id, outcome: "nothing", commits: [], kept: null, notes: [] };
  } catch (error) {
    if (error instanceof OperationError) return { spec_id: id, outcome: "refused", reason: error.message };
    throw error;
  }
}
