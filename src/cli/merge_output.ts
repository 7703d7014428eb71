import { readLostRules } from "#planner/operations/shared/held_rules.ts";
import { describeMergeRefusal, type MergedSpec, type MergeResult } from "#planner/runs/merge/complete_spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { buildCheckLines } from "#planner/work/acceptance.ts";
import { listConfigLines } from "#planner/work/config_lines.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { askToAcceptCommands } from "./accept_commands.ts";
import type { Cli } from "./declaration.ts";
import type { OpenedProject } from "./open_project.ts";
import { sanitizeLine } from "./output/print.ts";
import { printText } from "./output/wrap_text.ts";
import { formatFailedChecks } from "./review/facts_text.ts";

/** Asks before a merge whether to accept the commands that it runs, because a running merge blocks other merges. */
export async function askAboutMergeCommands(project: OpenedProject, ids: readonly SpecId[]): Promise<void> {
  const lines = [...listConfigLines(await project.context.readConfig()), ...(await readLostRules(project.context))];
  for (const id of ids) lines.push(...buildCheckLines((await project.context.specs.load(id)).body));
  await askToAcceptCommands(project, lines);
}

export function printMergeResult(result: MergeResult, cli: Cli): void {
  if (isMergeRefusal(result)) {
    const lines = formatFailedChecks("checks" in result ? (result.checks ?? []) : []).map(sanitizeLine);
    cli.warn([describeMergeRefusal(result), ...lines].join("\n"));
  } else {
    printText(`${formatMergedSpec(result)}\n`);
    for (const note of result.notes) cli.warn(`${result.spec_id}: ${note}`);
    if (result.kept !== null) cli.warn(`The worktree of ${result.spec_id} is kept: ${result.kept}`);
  }
}

function formatMergedSpec({ spec_id, outcome, commits }: MergedSpec): string {
  if (outcome === "found") return `Merged before: ${spec_id} (${commits[0]?.slice(0, 10)})`;
  const count = commits.length === 0 ? "nothing that was not there" : formatCountWithNoun(commits.length, "commit");
  return `Merged spec: ${spec_id} (${count})`;
}

export function isMergeRefusal(
  result: MergeResult,
): result is Extract<MergeResult, { readonly outcome: "refused" | "conflict" }> {
  return result.outcome === "refused" || result.outcome === "conflict";
}
