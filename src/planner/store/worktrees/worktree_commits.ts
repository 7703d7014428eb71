import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { createPreconditionError } from "#kernel/errors.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { quoteShellWord } from "#words/quoting.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { parseTemporaryPid } from "../files/place_file.ts";
import { formatGitError, type Git } from "../git/git.ts";
import { buildActivePath } from "../project/places.ts";
import { readGitFile } from "./admin_folder.ts";
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
import { isSpecUnchanged, listChangedBroughtFiles, readFileBytes } from "./worktree_brought.ts";
import { listWorktreeIds, worktreeFiles } from "./worktree_files.ts";
import {
  findMissingHooksFolder,
  listSubmoduleChanges,
  openWorktreeLocation,
  type Repository,
  readWorktreeOrigin,
  resolveHooksFolder,
  type WorktreeLocation,
  writeWorktreeOrigin,
} from "./worktree_place.ts";

/** One setting, hook or link of git that has changed since a run began. */
export interface GitProgramChange {
  readonly spec_id: SpecId;
  /** A clause such as `hook pre-commit was added`. */
  readonly what: string;
  /** A shell command that undoes the change, or instructions in words. */
  readonly undo: string;
  /** Path from the project's root of the snapshot to remove if the person made the change. */
  readonly note: string;
}

export interface SpecBranches {
  readonly branch: string;
  readonly mainBranch: string;
}

/** Returns full hashes of the branch's commits that the main branch lacks, oldest first; empty for a deleted branch. */
export async function listCommitsAhead(git: Git, { branch, mainBranch }: SpecBranches): Promise<readonly string[]> {
  if (!(await branchExists(git, branch))) return [];
  const range = `refs/heads/${mainBranch}..refs/heads/${branch}`;
  const listed = await git.run(["rev-list", "--reverse", "--topo-order", range, "--"]);
  return listed.split("\n").filter((line) => line !== "");
}

/** Returns whether the main branch has all changes of the branch, as commits or copies; true for a deleted branch. */
export async function isBranchMerged(git: Git, branches: SpecBranches): Promise<boolean> {
  try {
    return !(await hasOwnChange(git, `refs/heads/${branches.branch}`, branches.mainBranch));
  } catch (error) {
    if (await branchExists(git, branches.branch)) throw error;
    return true;
  }
}

/**
 * Returns whether a commit, or one of its ancestors, has a change that the main branch lacks. A merge always counts,
 * because it can contain further changes and git cannot compare merges.
 */
export async function hasOwnChange(git: Git, commit: string, mainBranch: string): Promise<boolean> {
  const range = `refs/heads/${mainBranch}...${commit}`;
  return (await git.line(["rev-list", "--right-only", "--cherry-pick", "--max-count=1", range, "--"])) !== "";
}

export async function branchExists(git: Git, branch: string): Promise<boolean> {
  return (await git.tryReadOutput(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`])) !== null;
}

/** Returns uncommitted files that would be lost with the worktree, as paths from its top. */
export async function listUncommittedFiles(place: WorktreeLocation): Promise<readonly string[]> {
  const { id, repository, worktree, git } = place;
  // Settings of a submodule could name programs, so submodules are examined separately.
  const options = ["--no-renames", "--untracked-files=all", "--ignore-submodules=dirty"];
  const listing = ["status", "--porcelain", "-z", ...options];
  const listed = (await git.readEntries(listing, { env: worktree.env })).map((entry) => entry.slice(3));
  const changed = [...listed, ...(await listHiddenFiles(place)), ...(await listSubmoduleChanges(place))]
    // An incomplete temporary file of a killed writer is not work.
    .filter((path) => parseTemporaryPid(basename(path)) === null);
  const spec = repository.prefix + buildActivePath(id);
  const asBrought = changed.includes(spec) && (await isSpecUnchanged(place));
  const origin = readWorktreeOrigin(place.root, id);
  const moving = new Set(origin?.moving === true ? origin.brought.map(({ path }) => repository.prefix + path) : []);
  const brought = (await listChangedBroughtFiles(place)).map((path) => repository.prefix + path);
  const files = new Set([...changed.filter((path) => !(asBrought && path === spec)), ...brought]);
  return [...files].filter((path) => !moving.has(path)).sort();
}

/** Stores patterns that a run has added to the repository's ignore list. */
export async function storeHidingPatterns(
  { root, id, worktree }: WorktreeLocation,
  patterns: readonly string[],
): Promise<void> {
  const { branch, mainBranch } = worktree;
  const origin = readWorktreeOrigin(root, id) ?? { branch, mainBranch, brought: [] };
  await writeWorktreeOrigin(root, id, { ...origin, hiding: [...new Set([...(origin.hiding ?? []), ...patterns])] });
}

/** Returns files that git ignores only by patterns that a run has added, because these hide work. */
async function listHiddenFiles({ root, id, git, repository }: WorktreeLocation): Promise<readonly string[]> {
  const hiding = new Set(readWorktreeOrigin(root, id)?.hiding ?? []);
  if (hiding.size === 0) return [];
  const kept = splitPatternLines(readGitFile(repository.commonFolder, "info/exclude") ?? "").filter(
    (line) => !hiding.has(line),
  );
  const rules = ["--exclude-per-directory=.gitignore", `--exclude-from=${join(root, worktreeFiles.exclude(id))}`];
  return git.readEntries(["ls-files", "--others", "-z", ...rules, ...kept.map((line) => `--exclude=${line}`)]);
}

function splitPatternLines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
}

/** Returns uncommitted files, and the spec if git ignores it and its changes were not brought back into the project. */
export async function listUnsavedFiles(place: WorktreeLocation): Promise<readonly string[]> {
  const { id, repository, worktree } = place;
  const files = await listUncommittedFiles(place);
  const path = repository.prefix + buildActivePath(id);
  const listing = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", path];
  const ignored = (await place.git.readEntries(listing)).length > 0;
  const changed =
    (await readFileBytes(join(worktree.root, buildActivePath(id)))) !== null && !(await isSpecUnchanged(place));
  return ignored && changed ? [...files, path] : files;
}

/** Commits only the spec's file. Returns false when it has no change. */
export async function commitSpecFile(place: WorktreeLocation, message: string): Promise<boolean> {
  const { id, repository, git } = place;
  const path = repository.prefix + buildActivePath(id);
  const states = await git.readEntries(["status", "--porcelain", "-z", "--", path]);
  if (states.length === 0) return false;
  if (states.some((state) => state.startsWith("??"))) await git.run(["add", "--", path]);
  await commitPaths(place, message, [path]);
  return true;
}

/** Maximum characters of a rejecting hook's output in an error. Chosen by planner: its end contains the reason. */
const MAX_REFUSAL_CHARS = 2000;

/**
 * Commits these tracked paths and no others, with the repository's hooks. Repeats the commit once if a hook rejected it
 * because it reformatted the files (end of file, trailing blanks).
 *
 * @throws OperationError `failed_precondition` with the hook's message and what to do
 */
export async function commitPaths(place: WorktreeLocation, message: string, paths: readonly string[]): Promise<void> {
  const { id, git, worktree } = place;
  const hooks = await findMissingHooksFolder(place);
  const setting = hooks === null ? [] : ["-c", `core.hooksPath=${hooks}`];
  const tryCommit = async (): Promise<string | null> => {
    const args = [...setting, "commit", "--quiet", "--only", "-m", message, "--", ...paths];
    const { status, stderr } = await git.try(args, { hooks: true });
    return status === 0 ? null : formatGitError(stderr) || `status ${status}`;
  };
  const readTexts = async () =>
    String(await Promise.all(paths.map((path) => readFileBytes(join(worktree.path, path)))));
  const before = await readTexts();
  let words = await tryCommit();
  if (words !== null && (await readTexts()) !== before) words = await tryCommit();
  if (words === null) return;
  const said = words.length > MAX_REFUSAL_CHARS ? `…${words.slice(-MAX_REFUSAL_CHARS).toWellFormed()}` : words;
  throw createPreconditionError(
    `the commit "${message.split("\n", 1)[0]}" was refused: ${said}: make it pass in "${worktree.path}", then run "planner merge ${id}"`,
  );
}

/** @throws OperationError `failed_precondition` that names the first files, unless the list is empty. */
export function assertNoUncommittedFiles(what: string, files: readonly string[]): void {
  if (files.length === 0) return;
  const named = files.slice(0, 5).map((file) => `"${file}"`);
  const more = files.length > named.length ? ` and ${files.length - named.length} more` : "";
  throw createPreconditionError(`${what} has uncommitted changes: ${named.join(", ")}${more}`);
}

/** @throws OperationError `failed_precondition` if the main branch lacks a change of the branch. */
export async function assertBranchMerged(git: Git, branches: SpecBranches): Promise<void> {
  if (await isBranchMerged(git, branches)) return;
  const { length } = await listCommitsAhead(git, branches);
  throw createPreconditionError(
    `Branch "${branches.branch}" has ${formatCountWithNoun(length, "commit")} that "${branches.mainBranch}" lacks`,
  );
}

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
  if (problem !== null) throw createPreconditionError(problem);
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

/** Returns changes of git's programs since the snapshots of runs, by the runs' specs. */
async function groupChangesByRun(
  repository: Repository,
  root: string,
  {
    isAsked,
    isMeant,
  }: { readonly isAsked: (id: SpecId) => boolean; readonly isMeant: (change: SnapshotChange) => boolean },
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

/** Returns the shell commands that undo the change of a setting, in every file that contains it. */
async function buildUndoSettingCommand(
  { git, top, commonFolder }: Repository,
  { scope, key, before }: { readonly scope: string; readonly key: string; readonly before: string | undefined },
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
