import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { GitProgramChange } from "#planner/run_ports/worktrees.ts";
import { quoteShellWord } from "#words/shell_word.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import {
  affectsOtherCheckouts,
  compareSnapshots,
  filterProgramChanges,
  pickSharedPrograms,
  type RepositorySnapshot,
  readSnapshot,
  type SnapshotChange,
  snapshotPrograms,
  snapshotSharedPrograms,
} from "./snapshot.ts";
import { listWorktreeIds, worktreeFiles } from "./worktree_files.ts";
import { openWorktreeLocation, type Repository, resolveHooksFolder, type WorktreeLocation } from "./worktree_place.ts";

/** Maximum number of changes that one message names. */
const MAX_NAMED_CHANGES = 5;

/**
 * Returns a problem that a person must solve before git runs in the worktree again; null without one. Either this run
 * has changed programs that git runs, or another run has changed those of every checkout.
 *
 * @param programs as `snapshotPrograms` has just returned them
 */
export async function describePlantedPrograms(
  place: WorktreeLocation,
  before: RepositorySnapshot | null,
  programs?: RepositorySnapshot,
): Promise<string | null> {
  if (before !== null) {
    const changes = filterProgramChanges(compareSnapshots(before, programs ?? (await snapshotPrograms(place))));
    if (changes.length > 0) {
      const named = await describeProgramChanges(place.repository, place.id, changes);
      return `what git runs here has changed during the run: ${named}, then run "planner merge ${place.id}"`;
    }
  }
  return findForeignPrograms(place.repository, place);
}

/** @throws OperationError `failed_precondition` if git would run programs that a run has installed. */
export async function assertNoPlantedPrograms(
  place: WorktreeLocation,
  before: RepositorySnapshot | null,
): Promise<void> {
  throwIfProblem(await describePlantedPrograms(place, before));
}

/**
 * Requires that no run has installed programs that git runs in every checkout. Cost: one git process if a run has
 * stored a snapshot.
 *
 * @throws OperationError `failed_precondition`
 */
export async function assertNoForeignPrograms(repository: Repository, root: string): Promise<void> {
  throwIfProblem(await findForeignPrograms(repository, { root, id: null }));
}

function throwIfProblem(problem: string | null): void {
  if (problem !== null) throw new OperationError("failed_precondition", problem);
}

/** Returns every change of git's programs since the snapshot of a run, with the command that undoes it. */
export async function listGitProgramChanges(
  repository: Repository,
  root: string,
): Promise<readonly GitProgramChange[]> {
  const found: GitProgramChange[] = [];
  for (const [id, changes] of await groupChangesByRun(repository, root, { isAsked: () => true, isMeant: () => true })) {
    for (const change of changes) {
      const undo = await buildUndoCommand(repository, change);
      found.push({ spec_id: id, what: describeProgramChange(change), undo, note: worktreeFiles.snapshot(id) });
    }
  }
  return found;
}

export async function findForeignPrograms(
  repository: Repository,
  { root, id }: { readonly root: string; readonly id: SpecId | null },
): Promise<string | null> {
  const [first] = await groupChangesByRun(repository, root, {
    isAsked: (other) => other !== id,
    isMeant: affectsOtherCheckouts,
  });
  if (first === undefined) return null;
  const [run, changes] = first;
  return `the run of ${run} has changed what git runs in every checkout: ${await describeProgramChanges(repository, run, changes)}`;
}

interface ChangeFilter {
  readonly isAsked: (id: SpecId) => boolean;
  readonly isMeant: (change: SnapshotChange) => boolean;
}

/** Returns changes of git's programs since the snapshots of runs, by the runs' specs. */
async function groupChangesByRun(
  repository: Repository,
  root: string,
  { isAsked, isMeant }: ChangeFilter,
): Promise<readonly (readonly [id: SpecId, changes: readonly SnapshotChange[]])[]> {
  const ids = (await listWorktreeIds(root)).filter(
    (id) => isAsked(id) && existsSync(join(root, worktreeFiles.snapshot(id))),
  );
  if (ids.length === 0) return [];
  const now = pickSharedPrograms(await snapshotSharedPrograms(repository, repository.git));
  const found: (readonly [id: SpecId, changes: readonly SnapshotChange[]])[] = [];
  for (const id of ids) {
    const note = readSnapshot({ root, id });
    if (note === null) continue;
    const before = pickSharedPrograms(note);
    const changes = filterProgramChanges(compareSnapshots(before, now)).filter(isMeant);
    if (changes.length === 0) continue;
    // A setting can be included for one checkout alone, so the run's own worktree must have it too.
    const there = await snapshotWorktreePrograms(repository, root, id);
    const agreed = there === null ? changes : changes.filter(({ name }) => before[name] !== there[name]);
    if (agreed.length > 0) found.push([id, agreed]);
  }
  return found;
}

/** Returns the programs that git runs in a run's worktree now; null if the worktree no longer exists. */
async function snapshotWorktreePrograms(
  repository: Repository,
  root: string,
  id: SpecId,
): Promise<RepositorySnapshot | null> {
  const place = await openWorktreeLocation(repository, root, id).catch(() => null);
  return place === null ? null : snapshotSharedPrograms(repository, place.git);
}

function describeProgramChange(change: SnapshotChange): string {
  return `${change.name} was ${getChangeVerb(change)}`;
}

export function getChangeVerb({ before, now }: SnapshotChange): string {
  if (before === undefined) return "added";
  return now === undefined ? "removed" : "changed";
}

async function describeProgramChanges(
  repository: Repository,
  id: SpecId,
  changes: readonly SnapshotChange[],
): Promise<string> {
  const shown: string[] = [];
  for (const change of changes.slice(0, MAX_NAMED_CHANGES)) {
    shown.push(`${describeProgramChange(change)} (undo it with: ${await buildUndoCommand(repository, change)})`);
  }
  const more = changes.length > MAX_NAMED_CHANGES ? ` and ${changes.length - MAX_NAMED_CHANGES} more` : "";
  return `${shown.join(", ")}${more}: undo it, or remove ${worktreeFiles.snapshot(id)} if it is yours`;
}

/** Returns a shell command for the project's folder that undoes the change, or instructions if planner has no copy. */
export async function buildUndoCommand(repository: Repository, { name, before }: SnapshotChange): Promise<string> {
  const setting = /^(?:(global|worktree) )?setting (.+)$/.exec(name);
  if (setting !== null)
    return buildUndoSettingCommand(repository, { scope: setting[1] ?? "local", key: setting[2] ?? "", before });
  if (name === "alternates") {
    const file = join(repository.commonFolder, "objects/info/alternates");
    return before === undefined
      ? `rm ${quoteShellWord(file)}`
      : `printf '%s\\n' ${quoteShellWord(before)} > ${quoteShellWord(file)}`;
  }
  if (!name.startsWith("hook ")) return "git worktree repair";
  const folder = resolveHooksFolder(repository, (await repository.settings()).get("core.hookspath"));
  const file = quoteShellWord(join(folder, name.slice("hook ".length)));
  return before === undefined ? `rm ${file}` : `bring back ${file}`;
}

interface ChangedSetting {
  readonly scope: string;
  readonly key: string;
  readonly before: string | undefined;
}

/** Returns the shell commands that undo the change of a setting, in every file that contains it. */
async function buildUndoSettingCommand(
  { git, top, commonFolder }: Repository,
  { scope, key, before }: ChangedSetting,
): Promise<string> {
  const listed = await git.readEntries(["config", "--list", "--show-scope", "--show-origin", "-z"]);
  const files = new Set<string>();
  for (let index = 0; index + 2 < listed.length; index += 3) {
    const [where = "", origin = "", entry = ""] = listed.slice(index, index + 3);
    const isIt = where === scope && entry.split("\n", 1)[0] === key;
    if (isIt) files.add(resolve(top, origin.replace(/^file:/, "")));
  }
  const config = join(commonFolder, "config");
  const commands = [...files].map((file) => {
    return `git config ${file === config ? "" : `--file ${quoteShellWord(file)} `}--unset-all ${quoteShellWord(key)}`;
  });
  const values = before === undefined ? [] : before.split("\n");
  for (const value of values) {
    commands.push(
      `git config ${scope === "local" ? "" : `--${scope} `}--add ${quoteShellWord(key)} ${quoteShellWord(value)}`,
    );
  }
  return commands.join(" && ");
}
