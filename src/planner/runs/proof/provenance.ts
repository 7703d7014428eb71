import type { FolderState, Worktree } from "#planner/store/worktrees/open_worktree.ts";
import type { WorktreeState } from "#planner/store/worktrees/settle.ts";
import { listSomeNames } from "#words/names.ts";
import { type AcceptableLine, isLineAccepted, type JudgedCriterion, omitAcceptedLines } from "../../work/acceptance.ts";
import { isPlannerFile } from "../../work/default_evidence.ts";
import {
  type CommandResult,
  type CriterionProof,
  type CriterionVerdict,
  deriveTickVerdict,
  hasChecks,
  isFailure,
  type JudgedState,
  NOT_RUN_PROBLEM,
  NOT_RUN_RESULT,
  type Provenance,
} from "../../work/provenance.ts";
import { type CriteriaJob, runChecks, runInFreshWorktree } from "../job.ts";
import type { LocatedJob, RunDeps, RunLocation } from "../run_types.ts";
import { type CheckOrigin, findEditedFiles, findWorktreeOrigin } from "./edited_files.ts";

/** Maximum number of uncommitted files that a message names. */
const MAX_NAMED_PATHS = 5;

/**
 * The state to judge: a folder, or a commit in a new worktree of it.
 *
 * `fresh`: whether a folder that differs from its commit only in ignored files is judged in a new worktree; a spec's
 * worktree without such files always is. A folder
 * below another checkout of the repository always is, because programs find that checkout's files above their own; with
 * uncommitted changes its checks do not run.
 */
export type JudgedLocation =
  | { readonly kind: "folder"; readonly place: RunLocation; readonly fresh: boolean }
  | {
      readonly kind: "commit";
      readonly commit: string;
      /** Worktree that has the commit checked out. */
      readonly branch?: Worktree;
      /** The state whose files decide whether checks pass, if there is no branch. */
      readonly since?: { readonly origin: CheckOrigin | null; readonly changed: WorktreeState["changed"] };
    };

/**
 * Judges the criteria of a spec: runs each accepted command once, and returns a verdict for every criterion. Runs
 * nothing for a spec without checks and commands. Source: docs/decisions.md#s-61.
 */
export async function judgeProvenance(
  deps: RunDeps,
  judging: CriteriaJob,
  judged: JudgedLocation,
): Promise<Provenance> {
  const { criteria, commands } = judging;
  if (commands.length === 0 && !hasChecks(criteria)) {
    const plain = criteria.map((one) => ({ ...one, verdict: deriveTickVerdict(one), check: null }));
    return { state: null, criteria: plain, commands: [], waiting: [], edited: [] };
  }
  if (judged.kind === "commit") {
    const { commit, branch = null, since } = judged;
    const held = (await branch?.holds()) ?? null;
    const { origin, changed } = since ?? { origin: findWorktreeOrigin(branch), changed: held?.changed ?? [] };
    return judgeFreshWorktree(deps, judging, { commit, held, origin, changed });
  }
  const { place, fresh } = judged;
  const held = (await place.worktree?.holds()) ?? (await deps.ports.worktrees.readProjectState());
  const commit = held?.commit ?? null;
  const clean = held !== null && listUncommittedFiles(held).length === 0;
  const nested = held?.nested === true;
  // What a check writes there is no change of the work.
  const isSame = place.worktree !== null && held?.ignored.length === 0;
  if (commit !== null && clean && (nested || fresh || isSame)) {
    return judgeFreshWorktree(deps, judging, {
      commit,
      held,
      origin: findWorktreeOrigin(place.worktree),
      changed: held.changed,
    });
  }
  const where = place.worktree === null ? "project" : "worktree";
  return judgeFolder(deps, { ...judging, place }, { held, origin: findWorktreeOrigin(place.worktree), where });
}

interface FreshState {
  readonly commit: string;
  readonly held: FolderState | null;
  /** State to compare with; null if only the commit is known. */
  readonly origin: CheckOrigin | null;
  /** Files that the commit changes against the origin. */
  readonly changed: WorktreeState["changed"];
}

async function judgeFreshWorktree(deps: RunDeps, judging: CriteriaJob, fresh: FreshState): Promise<Provenance> {
  const { commit, origin, changed } = fresh;
  return runInFreshWorktree(deps, judging, commit, async (placed, worktree) => {
    const held = { ...(fresh.held ?? (await worktree.holds())), changed, ignored: [], uncommitted: [], nested: false };
    return judgeFolder(deps, placed, { held, origin, where: "fresh" });
  });
}

async function judgeFolder(
  deps: RunDeps,
  judging: CriteriaJob & LocatedJob,
  folder: Pick<FreshState, "held" | "origin"> & { readonly where: JudgedState["where"] },
): Promise<Provenance> {
  const { criteria, commands } = judging;
  const { held, where } = folder;
  const accepted = await (await deps.context.openAcceptance()).read();
  const checks = criteria.flatMap(({ verify }) => (verify === null ? [] : [{ kind: "check" as const, text: verify }]));
  const lines: readonly AcceptableLine[] = [...commands.map((text) => ({ kind: "verify" as const, text })), ...checks];
  const runnable = lines.filter((line) => isLineAccepted(accepted, line)).map(({ text }) => text);
  const results =
    held?.nested === true ? refuseChecks(runnable, held) : await runChecks(deps, judging, [...new Set(runnable)]);
  const passed = new Set(results.flatMap(({ command, problem }) => (problem === null ? [command] : [])));
  const edited = await findEditedFiles(deps, judging, {
    ...folder,
    accepted,
    commands: [...new Set(checks.map(({ text }) => text))].filter((text) => passed.has(text)),
  });
  const byCommand = new Map(results.map((result) => [result.command, result]));
  const judgeCriterion = (criterion: JudgedCriterion): CriterionProof => {
    const { verify } = criterion;
    const check = verify === null ? null : (byCommand.get(verify) ?? null);
    const isEdited = edited.some(({ command }) => command === verify);
    return {
      ...criterion,
      check,
      verdict: decideVerdict(criterion, { check, isEdited, isRunnable: runnable.includes(verify ?? "") }),
    };
  };
  return {
    state: {
      ...{ commit: held?.commit ?? null, tree: held?.tree ?? null, where },
      beside: held === null ? [] : [...listUncommittedFiles(held), ...held.ignored],
    },
    criteria: criteria.map(judgeCriterion),
    commands: commands.flatMap((command) => byCommand.get(command) ?? []),
    waiting: omitAcceptedLines(accepted, lines),
    edited,
  };
}

/** Returns the results of checks that are not run in a folder below another checkout, see `JudgedLocation`. */
function refuseChecks(commands: readonly string[], held: FolderState): readonly CommandResult[] {
  const open = listSomeNames(listUncommittedFiles(held), MAX_NAMED_PATHS);
  const problem = `${NOT_RUN_PROBLEM}, since programs in a folder inside the project find the project's own files too, so that only a commit is judged: commit ${open} first`;
  return commands.map((command) => ({ ...NOT_RUN_RESULT, command, problem }));
}

function decideVerdict(
  criterion: JudgedCriterion,
  { check, isEdited, isRunnable }: { check: CommandResult | null; isEdited: boolean; isRunnable: boolean },
): CriterionVerdict {
  if (criterion.verify === null) return deriveTickVerdict(criterion);
  if (!isRunnable) return "proposed";
  if (check === null) return "not_run";
  if (check.problem !== null) return isFailure(check) ? "disproven" : "not_run";
  return isEdited ? "edited" : "proven";
}

/** Returns uncommitted files except planner's own, which change during work and on which no check depends. */
function listUncommittedFiles({ uncommitted }: FolderState): readonly string[] {
  return uncommitted.filter((path) => !isPlannerFile(path));
}
