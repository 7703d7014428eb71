import type { RunLog } from "#planner/run_ports/run_ports.ts";
import type { Worktree, WorktreeBaseline } from "#planner/run_ports/worktree.ts";
import { formatCountWithNoun, listSomeNames } from "#words/names.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { isPlannerFile } from "../../work/default_evidence.ts";
import type { ClaimedRun, LocatedJob, RunDeps, RunLocation } from "../run_types.ts";

/** Maximum number of paths that the prompt names. */
const MAX_NAMED_PATHS = 20;

/** Maximum number of paths that a note before the agent's start names. */
const MAX_TOLD_PATHS = 5;

/** Maximum length of the reason in the prompt, in characters; the log contains the full text. */
const MAX_REASON_CHARS = 2000;

/**
 * Returns the prompt text about the previous run: why it did not complete, and which of its work is committed. Call it
 * before this run writes the worktree's status.
 */
export async function describeEarlierRun(
  { context, ports }: Pick<RunDeps, "context" | "ports">,
  id: SpecId,
  worktree: Worktree,
): Promise<string> {
  const status = (await context.work.worktrees()).find(({ spec_id }) => spec_id === id);
  const commits = await ports.worktrees.listCommits(id);
  const spec = `/.planner/specs/${id}.md`;
  const uncommitted = (await worktree.listUncommittedFiles()).filter((path) => !`/${path}`.endsWith(spec));
  const { begunAnew, mainBranch } = worktree;
  if (begunAnew !== null) return describeMergeConflict(begunAnew, mainBranch);
  const reason = removeAdvice(status?.error ?? "")
    .toWellFormed()
    .slice(0, MAX_REASON_CHARS);
  const lines = [
    "## An earlier run",
    "",
    "An earlier run worked on this spec in this worktree and did not complete it.",
    ...(reason === "" ? [] : [`It ended so: ${reason}`]),
    commits.length === 0
      ? "It committed nothing."
      : `Its ${commits.length === 1 ? "commit is" : `${commits.length} commits are`} on this branch: git log ${mainBranch}..HEAD`,
    ...(uncommitted.length === 0
      ? []
      : [`It left changes that are not committed: ${listSomeNames(uncommitted, MAX_NAMED_PATHS)}`]),
    "Look at that work first, and go on from there.",
  ];
  return lines.join("\n");
}

/** Returns the prompt text that asks the agent to resolve the conflicts of a merge. */
function describeMergeConflict({ commit, files }: NonNullable<Worktree["begunAnew"]>, mainBranch: string): string {
  const where =
    files.length === 0
      ? "It applies without conflict markers, as one change that is not committed."
      : `It is there as a change that is not committed, with conflict markers in: ${listSomeNames(files, MAX_NAMED_PATHS)}`;
  return [
    "## An earlier run",
    "",
    `An earlier run worked on this spec, and "${mainBranch}" has changed the same lines since. This branch begins anew at the end of "${mainBranch}", with that work on top of it.`,
    where,
    `Settle this first: keep what both sides mean, remove the markers, check that the spec's criteria still hold, and commit. The work as it was: git show ${commit.slice(0, 12)}`,
  ].join("\n");
}

/** Records the repository's state before the agent starts, and reports what its worktree lacks. */
export async function reportMissingWork({ tell }: RunDeps, { id, place, log }: LocatedJob): Promise<void> {
  if (place.worktree === null) return;
  for (const message of describeMissingWork(await place.worktree.takeBaseline(), place.worktree)) {
    await log.line(`planner: ${message}`);
    tell({ event: "note", spec_id: id, message });
  }
}

/** Returns one sentence about each part of the project's state that the worktree lacks when its agent starts. */
export function describeMissingWork(
  { uncommitted, newerCommits }: WorktreeBaseline,
  { mainBranch }: Pick<Worktree, "mainBranch">,
): readonly string[] {
  const files = uncommitted.filter((path) => !isPlannerFile(path));
  return [
    ...(files.length === 0
      ? []
      : [`the worktree lacks what is not committed in the project: ${listSomeNames(files, MAX_TOLD_PATHS)}`]),
    ...(newerCommits === 0
      ? []
      : [
          `the work goes on from where it ended: it lacks ${formatCountWithNoun(newerCommits, "newer commit")} of "${mainBranch}" until it is merged`,
        ]),
  ];
}

/** Matches the start of the advice in a reason. Prompts omit it, because it is for a person. */
const ADVICE_PATTERN =
  /(?:[:,]|\s\()\s?(?:in "[^"]*" (?:run|move)|run "|then |take (?:it|that) back|undo|see to it|make it pass|settle|commit the|make it|"(?:git|planner) )/;

function removeAdvice(reason: string): string {
  const parts = reason.split("; ").filter((part) => !/^(?:then|or) /.test(part));
  return parts.map((part) => part.slice(0, ADVICE_PATTERN.exec(part)?.index)).join("; ");
}

/** Opens the location of a run: creates or reuses the worktree and marks it as begun, or uses the project itself. */
export async function openRunLocation(
  deps: RunDeps,
  { spec, config, wishes }: ClaimedRun,
  { log, base }: { readonly log: RunLog; readonly base: RunLocation["base"] },
): Promise<RunLocation> {
  const port = config.worktree.port ? await deps.files.findFreePort() : null;
  if (!wishes.worktree) {
    const template = config.git.commit_template;
    const knownCommits = new Set(await deps.files.openHistory(deps.root).listCommitsNaming(spec.id, { template }));
    return { worktree: null, root: deps.root, port, knownCommits, base, earlier: null };
  }
  const { branch_prefix: branchPrefix, main_branch: mainBranch } = config.defaults;
  const worktree = await deps.ports.worktrees.prepareWorktree(spec.id, {
    branchPrefix,
    mainBranch,
    base: config.worktree.base,
    directory: config.worktree.directory,
  });
  if (worktree.reused) await log.line("planner: the worktree of an earlier run is used again, with what it holds");
  const earlier = worktree.reused ? await describeEarlierRun(deps, spec.id, worktree) : null;
  // A copy of the spec from an earlier run may still have that run's final status.
  const begun = { status: "in_progress", completed_at: undefined };
  await worktree.openSpecs().edit(spec.id, (text) => editFields(text, begun));
  await deps.ports.worktrees.writeStatus({ spec_id: spec.id, status: "working", error: null });
  return { worktree, root: worktree.root, port, knownCommits: new Set(), base: null, earlier };
}

/** Returns environment variables that describe the spec and its folders to an agent. Source: docs/work.md, Runs. */
export function buildAgentEnvironment(
  { root }: RunDeps,
  id: SpecId,
  place: RunLocation,
): Readonly<Record<string, string | undefined>> {
  return {
    ...place.worktree?.env,
    ...(place.port === null ? {} : { PORT: String(place.port) }),
    PLANNER_SPEC_ID: id,
    PLANNER_SPEC_FILE: `${removeTrailingSlash(place.root)}/.planner/specs/${id}.md`,
    PLANNER_PROJECT: root,
    PLANNER_WORKTREE: place.worktree?.path,
    PLANNER_BRANCH: place.worktree?.branch,
  };
}

export function removeTrailingSlash(path: string): string {
  return path.replace(/[\\/]+$/, "");
}
