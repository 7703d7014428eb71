import { refuseInsideRun } from "#planner/operations/shared/change_spec.ts";
import { findSpecIds } from "#planner/operations/shared/find_spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import type { SharedClaimOptions } from "#planner/store/remote_claims/remote_claims.ts";
import { buildUnprovenLine } from "#planner/work/acceptance.ts";
import { booleanFlag, JSON_FLAG, optionalArgument, textFlag, UNPROVEN_FLAG } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { confirmClaimOptions, SHARED_CLAIM_FLAGS } from "../../consent.ts";
import type { Cli } from "../../declaration.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { askAboutMergeCommands, isMergeRefusal, printMergeResult } from "../../merge_output.ts";
import type { OpenedProject } from "../../open_project.ts";
import { printJson } from "../../output/print.ts";
import { printText } from "../../output/wrap_text.ts";
import { UsageError } from "../../usage_error.ts";

export const command = defineCommand({
  meta: {
    name: "merge",
    description: "Merge the branches of finished specs into the main branch and finalize the specs",
  },
  details:
    "Rebases each branch onto the main branch, fast-forwards the main branch and removes worktree and branch, members before their driver, dependencies before their dependants. A spec that is not completed yet must meet the conditions of a run's end. A conflict leaves the branch unchanged and sets the spec to needs_attention. --all lists the work that it skips, with the reason. Exits with 1 if a spec was not merged. --json prints `results` of `spec_id` and `outcome` (merged, found elsewhere, nothing, conflict or refused) and `left`, what is unfinished or waits for a pull request.",
  args: {
    ids: optionalArgument("Full or partial ids of specs; a driver includes its members", {
      replacedBy: ["--all"],
      completes: "archived_spec",
      repeats: true,
    }),
    all: booleanFlag("Merge all finished work", { alias: "a", excludes: ["<ids>"] }),
    as: textFlag(
      "commit",
      "Take this commit of the main branch for the work: it was merged elsewhere in another form",
      { excludes: ["--all"] },
    ),
    unproven: UNPROVEN_FLAG,
    ...SHARED_CLAIM_FLAGS,
    json: JSON_FLAG,
  },
  examples: {
    "planner merge 003": "Merge today's third spec",
    "planner merge --all": "Merge all finished work",
    "planner merge 003 --as 1a2b3c": "Complete it: commit 1a2b3c of the main branch has its work",
  },
  async run({ args: { ids, all, as = null, unproven = null, json, steal, offline }, cli }) {
    if (as !== null && ids.length > 1) throw new UsageError(`"--as" takes one of <ids>: got ${ids.length}`, null);
    const project = await cli.openProject();
    refuseInsideRun(project.context, "merge");
    const { results, left } = await runMerge(project, cli, {
      ids: all ? null : await findSpecIds(project.context, ids, { archived: true }),
      ...{ as, unproven, json },
      shared: await confirmClaimOptions({ steal, offline }, cli),
    });
    if (json) printJson({ results, ...(all && { left }) });
    else if (results.length === 0) printText("Nothing to merge\n");
    if (!json) for (const { spec_id, reason } of left) cli.note(`Left alone: ${spec_id}: ${reason}`);
    return results.some(isMergeRefusal) ? EXIT_STATUS.refused : EXIT_STATUS.ok;
  },
});

interface MergeOptions {
  /** Ids of the specs to merge; null for all finished specs. */
  readonly ids: readonly SpecId[] | null;
  readonly unproven: string | null;
  /** Commit that already contains the work of the only spec in `ids`, or null. */
  readonly as: string | null;
  readonly shared: SharedClaimOptions;
  readonly json: boolean;
}

/** Returns the results, and as `left` what `--all` did not merge, with the reasons. */
async function runMerge(project: OpenedProject, cli: Cli, { ids, as, unproven, shared, json }: MergeOptions) {
  const [{ openRunDeps }, { mergeSpecs }, { listWaitingWork: waitingWork }, { listenForSignals }] = await Promise.all([
    import("../../work/run_deps.ts"),
    import("#planner/runs/merge/merge_specs.ts"),
    import("#planner/runs/merge/waiting_work.ts"),
    import("../../work/signals.ts"),
  ]);
  const deps = await openRunDeps(project, { announced: null, tell: () => {} });
  const signals = listenForSignals((name) => cli.note(`${name}: ending after this spec`));
  try {
    const { finished, left } = ids === null ? await waitingWork(deps) : { finished: ids, left: [] };
    await askAboutMergeCommands(project, finished);
    const wanted = { ids: finished, stop: signals, as, unproven, shared };
    if (unproven !== null) {
      await (await project.context.openAcceptance()).acceptLines(finished.map((id) => buildUnprovenLine(id, unproven)));
    }
    const results = await mergeSpecs(deps, wanted, json ? undefined : (result) => printMergeResult(result, cli));
    // The results include members of merged drivers, which `left` may list too.
    const tried = new Set(results.map(({ spec_id }) => spec_id));
    return { results, left: left.filter(({ spec_id }) => !tried.has(spec_id)) };
  } finally {
    signals.close();
  }
}
