import type { FolderState, Worktree } from "#planner/store/worktrees/open_worktree.ts";
import { type AcceptableLine, type AcceptedCommands, buildCheckLines, isLineAccepted } from "../../work/acceptance.ts";
import { findJudgedFiles } from "../../work/judged_files.ts";
import type { EditedFile } from "../../work/provenance.ts";
import { type CriteriaJob, runChecks, runInFreshWorktree } from "../job.ts";
import type { LocatedJob, RunDeps } from "../run_types.ts";

/** The commit or branch whose version of the files decides whether a check passes. */
export interface CheckOrigin {
  /** Commit hash, or full name of a branch ref. */
  readonly from: string;
  /** Name of the commit or branch in messages. */
  readonly name: string;
}

/** Returns the main branch from which a worktree's branch began; null without a worktree. */
export function findWorktreeOrigin(worktree: Worktree | null): CheckOrigin | null {
  return worktree === null ? null : { from: `refs/heads/${worktree.mainBranch}`, name: worktree.mainBranch };
}

interface PassedChecks {
  readonly held: FolderState | null;
  /** Origin to compare with; null in the project's own folder. */
  readonly origin: CheckOrigin | null;
  readonly accepted: AcceptedCommands;
  /** Commands of the checks that succeeded with the branch's own files. */
  readonly commands: readonly string[];
}

interface CheckWithFiles {
  readonly command: string;
  readonly paths: readonly string[];
}

/**
 * Repeats each check that depends on files which the branch has changed, in a new worktree of the branch with the main
 * branch's version of these files. Only a check that passes with both versions proves something independent of the
 * branch's own changes to it.
 *
 * @returns the files without whose change a check fails
 */
export async function findEditedFiles(
  deps: RunDeps,
  judging: CriteriaJob & LocatedJob,
  { held, origin, accepted, commands }: PassedChecks,
): Promise<readonly EditedFile[]> {
  const commit = held?.commit ?? null;
  const { worktree } = judging.place;
  if (worktree === null || origin === null || held === null || commit === null) return [];
  const changed = held.changed.filter(({ isNew }) => !isNew).map(({ path }) => path);
  const touched = commands
    .map((command) => ({ command, paths: findJudgedFiles(command, changed, judging.config.verify.protect) }))
    .filter(({ paths }) => paths.length > 0);
  if (touched.length === 0) return [];
  const blobs = await worktree.readBlobHashes([...new Set(touched.flatMap(({ paths }) => paths))]);
  const createLine = (path: string): AcceptableLine => buildFileLine(path, blobs);
  const open = touched
    .map(({ command, paths }) => ({
      command,
      paths: paths.filter((path) => !isLineAccepted(accepted, createLine(path))),
    }))
    .filter(({ paths }) => paths.length > 0);
  if (open.length === 0) return [];
  const failed = await runChecksWithMainFiles(deps, judging, { origin, commit, open });
  return open.flatMap(({ command, paths }) => {
    const problem = failed.get(command);
    if (problem === undefined) return [];
    return paths.map((path) => ({ path, command, problem, line: createLine(path) }));
  });
}

/** Returns the files of a branch on which the checks of a body depend, as lines that a person can accept. */
export async function listChangedCheckFiles(
  worktree: Worktree | null,
  body: string,
  protect: readonly string[],
): Promise<readonly AcceptableLine[]> {
  if (worktree === null) return [];
  const { changed } = await worktree.holds();
  const paths = changed.filter(({ isNew }) => !isNew).map(({ path }) => path);
  const judged = [...new Set(buildCheckLines(body).flatMap(({ text }) => findJudgedFiles(text, paths, protect)))];
  const blobs = await worktree.readBlobHashes(judged);
  return judged.map((path) => buildFileLine(path, blobs));
}

/** Returns a line with the path and hash of a file, by which a person accepts this version of it. */
function buildFileLine(path: string, blobs: ReadonlyMap<string, string>): AcceptableLine {
  return { kind: "file", text: `${path} ${blobs.get(path) ?? "deleted"}` };
}

interface RepeatedChecks {
  readonly origin: CheckOrigin;
  readonly commit: string;
  readonly open: readonly CheckWithFiles[];
}

/** Runs the checks with the main branch's files. Returns the problems of failed checks, by command. */
function runChecksWithMainFiles(
  deps: RunDeps,
  judging: CriteriaJob,
  { origin, commit, open }: RepeatedChecks,
): Promise<ReadonlyMap<string, string>> {
  const paths = [...new Set(open.flatMap((one) => one.paths))];
  return runInFreshWorktree(deps, judging, commit, async (fresh, worktree) => {
    await judging.log.line(`planner: the checks run again with ${paths.join(", ")} of "${origin.name}"`);
    await worktree.checkoutFiles(origin.from, paths);
    const commands = open.map(({ command }) => command);
    const results = await runChecks(deps, fresh, commands);
    return new Map(results.flatMap(({ command, problem }) => (problem === null ? [] : [[command, problem]])));
  });
}
