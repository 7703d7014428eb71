import type { PlannerContext } from "#planner/context.ts";
import { readLostRules } from "#planner/operations/shared/held_rules.ts";
import { describeMergeRefusal, type MergedSpec, type MergeResult } from "#planner/runs/merge/complete_spec.ts";
import type { SyncedRequest } from "#planner/runs/requests/sync_requests.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { buildCheckLines } from "#planner/work/acceptance.ts";
import { listConfigLines } from "#planner/work/config_lines.ts";
import { formatRequestName } from "#planner/work/requests/request_note.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { askToAcceptCommands } from "./consent.ts";
import type { Cli } from "./declaration.ts";
import type { OpenedProject } from "./open_project.ts";
import { sanitizeLine } from "./output/print.ts";
import { printText } from "./output/wrap_text.ts";
import { formatFailedChecks } from "./review/facts_text.ts";

const SIGN_TEXTS: Readonly<Record<NonNullable<SyncedRequest["sign"]>, string>> = {
  forge: "as the forge says",
  ancestor: "by its commits",
  cherry: "by copies of its commits",
  patch: "by a commit with the same change",
  merge_tree: "by a commit to which it adds nothing",
  person: "as a person says",
};

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

export function isMergeRefusal(
  result: MergeResult,
): result is Extract<MergeResult, { readonly outcome: "refused" | "conflict" }> {
  return result.outcome === "refused" || result.outcome === "conflict";
}

/** A pull request as `planner status` prints it in JSON. */
export interface PrintedRequest {
  readonly spec_id: string;
  readonly name: string;
  readonly state: "open" | "closed" | "merged";
  readonly url: string;
}

/** Reads the recorded pull requests of specs with a branch. Empty without a repository. */
export async function readRecordedRequests(context: PlannerContext): Promise<readonly PrintedRequest[]> {
  const { requests, worktrees } = await context.openRuns();
  const ids = new Set<string>(await worktrees.listIds());
  if (ids.size === 0) return [];
  const noted = [...(await requests.readNotes())].filter(([id]) => ids.has(id));
  return noted.map(([spec_id, note]) => ({ spec_id, name: formatRequestName(note), state: note.state, url: note.url }));
}

/** Formats one line per request; empty without requests. */
export function formatRequests(requests: readonly PrintedRequest[]): string {
  return requests
    .map(({ spec_id, name, state, url }) => `${sanitizeLine(`${spec_id}: ${name} ${state}, ${url}`)}\n`)
    .join("");
}

/** Prints the state of one request for people. */
export function printSyncedRequest(synced: SyncedRequest, cli: Cli): void {
  const { spec_id, outcome, sign, result, url, reason, notes } = synced;
  for (const note of notes) cli.note(sanitizeLine(`${spec_id}: ${note}`));
  if (outcome === "open") printText(`Open: ${spec_id} ${url ?? ""}\n`);
  else if (outcome === "closed") cli.warn(sanitizeLine(`${spec_id}: closed without a merge: ${url}`));
  else if (result === null) cli.warn(sanitizeLine(`${spec_id}: ${reason}`));
  else {
    if (sign !== null && !isMergeRefusal(result)) cli.note(`${spec_id}: found ${SIGN_TEXTS[sign]}`);
    printMergeResult(result, cli);
  }
}

/** Returns whether a person must still act on the request. */
export function isRequestUnsettled({ outcome, result }: SyncedRequest): boolean {
  return (
    outcome === "closed" ||
    outcome === "missing" ||
    outcome === "refused" ||
    (result !== null && isMergeRefusal(result))
  );
}

function formatMergedSpec({ spec_id, outcome, commits }: MergedSpec): string {
  if (outcome === "found") return `Merged before: ${spec_id} (${commits[0]?.slice(0, 10)})`;
  const count = commits.length === 0 ? "nothing that was not there" : formatCountWithNoun(commits.length, "commit");
  return `Merged spec: ${spec_id} (${count})`;
}
