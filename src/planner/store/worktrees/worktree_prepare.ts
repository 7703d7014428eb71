import { resolve } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { WorktreeOptions } from "#planner/run_ports/worktrees.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { quoteShellWord } from "#words/shell_word.ts";
import { removeFolderThroughOpenParent } from "../files/open_folder.ts";
import { formatGitError, type Git } from "../git/git.ts";
import { addGitSetting } from "../git/start_git.ts";
import { isOthersWorktree, listAdminFolders, readGitFile, readGitHead, resolveStoredPath } from "./admin_folder.ts";
import { assertNoPlantedPrograms } from "./guard.ts";
import { keepCommits, keepObjects } from "./keep_commits.ts";
import type { BranchCheckouts } from "./main_branch.ts";
import { isAncestor } from "./outside_words.ts";
import { nameBranch } from "./ref_names.ts";
import { readSnapshot } from "./snapshot.ts";
import { copyProjectFiles, hideProjectWorktrees, removeBroughtFiles } from "./worktree_brought.ts";
import type { SpecBranches } from "./worktree_commits.ts";
import { locateWorktree, makeWorktreesFolder, planWorktreePath } from "./worktree_files.ts";
import {
  findMissingHooksFolder,
  openWorktreeLocation,
  type Repository,
  readCurrentBranch,
  readWorktreeOrigin,
  type WorktreeLocation,
  type WorktreeOrigin,
  writeWorktreeOrigin,
} from "./worktree_place.ts";
import { endKilledRebase, resolveSpecConflicts } from "./worktree_rebase.ts";

/**
 * Returns the branch from which worktrees are created.
 *
 * @throws OperationError `failed_precondition` if no worktree can be created from it, for example without a commit
 */
export async function requireMainBranch(
  repository: Repository,
  options: WorktreeOptions,
  refs: BranchCheckouts,
): Promise<string> {
  const { git } = repository;
  const mainBranch = options.mainBranch ?? (await readCurrentBranch(repository));
  if (refs.has(`refs/heads/${mainBranch}`)) return mainBranch;
  const empty = (await git.tryReadHead("%H")) === null;
  throw new OperationError(
    "failed_precondition",
    empty
      ? "The repository has no commit yet: commit first, or work with --no-worktree"
      : `Cannot find the main branch "${mainBranch}": expected a local branch in "defaults.main_branch" of .planner/config.md`,
  );
}

/** @throws OperationError `failed_precondition` if `base` has commits that the main branch lacks, or does not exist. */
export async function requireUsableBase({ git }: Repository, mainBranch: string, base: string | null): Promise<void> {
  if (base === null) return;
  const throwBaseError = (why: string): never => {
    throw new OperationError("failed_precondition", `Cannot begin at "${base}" ("worktree.base"): ${why}`);
  };
  if ((await git.tryReadOutput(["rev-parse", "--verify", "--quiet", `${base}^{commit}`])) === null) {
    throwBaseError("expected a branch, a tag or a commit of this repository: correct it in .planner/config.md");
  }
  if (!(await isAncestor(git, base, `refs/heads/${mainBranch}`))) {
    throwBaseError(`it has commits that "${mainBranch}" lacks: merge them first, "git merge ${quoteShellWord(base)}"`);
  }
}

interface BranchStart {
  /** Commit at which the branch begins; the main branch's end if absent. */
  readonly start?: string;
}

interface NewWorktreeRequest {
  readonly repository: Repository;
  readonly root: string;
  readonly id: SpecId;
  readonly refs: BranchCheckouts;
  /** The setting `worktree.directory`; null or absent for the default. */
  readonly directory?: string | null | undefined;
}

/** Creates the worktree of a spec, or reuses the existing one, and copies uncommitted planner files into it. */
export async function prepareWorktree(making: NewWorktreeRequest, options: WorktreeOptions): Promise<WorktreeLocation> {
  const { repository, root, id, refs } = making;
  const mainBranch = await requireMainBranch(repository, options, refs);
  await hideProjectWorktrees(root);
  await removeUnfinishedWorktree(making);
  const found = await openWorktreeLocation(repository, root, id);
  const branch = await nameBranch(root, { id, prefix: options.branchPrefix }, async () => refs);
  const isOld = refs.has(`refs/heads/${branch}`);
  const start = options.base ?? `refs/heads/${mainBranch}`;
  const opened = found ?? (await createWorktree(making, { branch, mainBranch, start }));
  const place: WorktreeLocation = { ...opened, worktree: { ...opened.worktree, mainBranch } };
  if (found !== null) {
    await makeWorktreesFolder(root, repository.top, found.worktree.path);
    await assertNoPlantedPrograms(place, readSnapshot(place));
    await endKilledRebase(place);
    await removeBroughtFiles(place);
  }
  // A worktree that was just created from the main branch contains no earlier work.
  const begunAnew = found === null ? null : await restartAfterConflict(place);
  const reused = (found !== null || isOld) && (await moveBranchToStart(place, start));
  const brought = await copyProjectFiles(place);
  const hooks = await findMissingHooksFolder(place);
  const { env } = place.worktree;
  const own = hooks === null ? env : { ...env, ...addGitSetting("core.hooksPath", hooks, { ...process.env, ...env }) };
  const identity = buildIdentity(await repository.settings(), { ...process.env, ...own });
  const copied = brought.map(({ path }) => path);
  return { ...place, worktree: { ...place.worktree, env: own, identity, reused, copied, begunAnew } };
}

/** Returns variables that name author and committer, for an agent whose shell lacks the person's settings. */
function buildIdentity(
  settings: ReadonlyMap<string, string>,
  env: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  let found: Readonly<Record<string, string>> = {};
  for (const part of ["name", "email"]) {
    const user = settings.get(`user.${part}`);
    if (user !== undefined) found = { ...found, ...addGitSetting(`user.${part}`, user, { ...env, ...found }) };
    for (const role of ["author", "committer"]) {
      const variable = `GIT_${role}_${part}`.toUpperCase();
      const value = env[variable] ?? settings.get(`${role}.${part}`) ?? user;
      if (value !== undefined) found = { ...found, [variable]: value };
    }
  }
  return found;
}

async function createWorktree(
  making: NewWorktreeRequest,
  branches: SpecBranches & BranchStart,
): Promise<WorktreeLocation> {
  const { repository, root, id } = making;
  const { branch, mainBranch } = branches;
  await addWorktree(making, branches, { branch, mainBranch, brought: [] });
  const place = await openWorktreeLocation(repository, root, id);
  if (place !== null) return place;
  throw new OperationError("aborted", `"${locateWorktree(root, id)}" was removed meanwhile`);
}

/** Removes a worktree that git had not finished creating, which contains no work. */
async function removeUnfinishedWorktree({
  repository: { git, commonFolder },
  root,
  id,
}: NewWorktreeRequest): Promise<void> {
  const path = resolveStoredPath(locateWorktree(root, id));
  const gitFolder = (await listAdminFolders(commonFolder)).get(path);
  if (gitFolder === undefined || readGitFile(gitFolder, "locked") !== "initializing") return;
  await git.try(["worktree", "unlock", path]);
  // Git itself would follow a link that replaces a parent folder.
  await removeFolderThroughOpenParent(locateWorktree(root, id));
  await git.try(["worktree", "remove", "--force", path]);
}

/**
 * Adds the worktree and records its path. An existing branch keeps its commits and is checked out.
 *
 * @param origin facts to record; by default those on record, else the branches
 */
export async function addWorktree(
  making: NewWorktreeRequest,
  branches: SpecBranches & BranchStart,
  origin?: WorktreeOrigin,
): Promise<void> {
  const { repository, root, id, refs, directory = null } = making;
  const { git, commonFolder } = repository;
  const { branch, mainBranch, start = `refs/heads/${mainBranch}` } = branches;
  const old = resolveStoredPath(locateWorktree(root, id));
  const path = await makeWorktreesFolder(root, repository.top, planWorktreePath(root, id, directory));
  const other = refs.get(`refs/heads/${branch}`) ?? "";
  const copied = await findCopiedAdminFolder(commonFolder, root, other);
  if (other !== "" && copied === null && ![old, path].includes(resolve(other))) {
    throw new OperationError("failed_precondition", `Branch "${branch}" is checked out in "${other}"`);
  }
  if (copied !== null) {
    await keepDeletedCommits(making, branches, copied);
    await removeFolderThroughOpenParent(copied);
  }
  // A folder that was deleted without git is still registered.
  const gitFolder = (await listAdminFolders(commonFolder)).get(old);
  if (gitFolder !== undefined) await keepDeletedCommits(making, branches, gitFolder);
  if (gitFolder !== undefined && old !== path) await git.try(["worktree", "remove", "--force", old]);
  const facts = origin ?? readWorktreeOrigin(root, id) ?? { branch, mainBranch, brought: [] };
  // Recorded before the folder exists, so that its path is known after a crash.
  await writeWorktreeOrigin(root, id, { ...facts, path });
  // Created separately, so that each of the two commands can be repeated if another git blocked it.
  if (!refs.has(`refs/heads/${branch}`)) await createBranch(git, branch, start);
  await git.run(["worktree", "add", "--quiet", ...(gitFolder === undefined ? [] : ["--force"]), path, branch]);
}

/** Returns this repository's copy of git's folder about a worktree that another repository has; null for any other. */
async function findCopiedAdminFolder(commonFolder: string, root: string, path: string): Promise<string | null> {
  if (path === "" || !isOthersWorktree(root, path)) return null;
  return (await listAdminFolders(commonFolder)).get(resolveStoredPath(path)) ?? null;
}

/** Keeps the commit that a deleted folder had checked out: git drops its record when the folder is created again. */
async function keepDeletedCommits(
  { repository, id }: NewWorktreeRequest,
  branches: SpecBranches,
  gitFolder: string,
): Promise<void> {
  const { git, commonFolder } = repository;
  const head = readGitHead(gitFolder);
  const ref = `refs/heads/${branches.branch}`;
  if (head !== null && "hash" in head) {
    const continues = await isAncestor(git, ref, head.hash);
    if (continues) await git.run(["update-ref", "-m", "planner: follow HEAD", ref, head.hash]);
  }
  await keepCommits(git, { id, gitFolder, commonFolder, ...branches });
}

async function createBranch(git: Git, branch: string, start: string): Promise<void> {
  const { status, stderr } = await git.try(["branch", "--no-track", branch, start]);
  if (status === 0) return;
  if ((await git.tryReadOutput(["check-ref-format", "--branch", branch])) !== branch) {
    throw new OperationError("failed_precondition", `Cannot use "${branch}" as a branch: git does not allow that name`);
  }
  throw new OperationError("failed_precondition", `git branch failed: ${formatGitError(stderr)}`);
}

/** Moves a branch without work to the start of new branches; returns true when it contains work. */
async function moveBranchToStart({ git, worktree: { mainBranch } }: WorktreeLocation, start: string): Promise<boolean> {
  const main = `refs/heads/${mainBranch}`;
  const tips = await git.tryReadOutput(["rev-parse", "HEAD", `${start}^{commit}`]);
  const [head, tip] = (tips ?? "").split("\n");
  const changed = (await git.run(["status", "--porcelain", "-z"])) !== "";
  if (head === tip) return changed;
  if (!(await isAncestor(git, "HEAD", main))) return true;
  // The branch may be ahead of an older base.
  const behind = await isAncestor(git, "HEAD", start);
  if (!changed && behind) await git.run(["merge", "--quiet", "--ff-only", start]);
  return changed;
}

/** Earlier work that was applied again on the main branch after a conflict. */
interface RestartedWork {
  /** Last commit of the earlier work, which stays under `refs/planner/kept/`. */
  readonly commit: string;
  /** Files with conflict markers, as paths from the repository's top. */
  readonly files: readonly string[];
}

/**
 * After a merge conflict, moves the branch to the main branch's end and applies the work as one uncommitted change with
 * conflict markers. Null without a conflict, if a person has resolved it since, or if there are uncommitted changes.
 */
async function restartAfterConflict(place: WorktreeLocation): Promise<RestartedWork | null> {
  const { git, repository, root, id, worktree } = place;
  const main = `refs/heads/${worktree.mainBranch}`;
  const commit = readWorktreeOrigin(root, id)?.conflict ?? null;
  if (commit === null || (await git.line(["status", "--porcelain"])) !== "") return null;
  const [head, tip] = (await git.line(["rev-parse", "HEAD", main])).split("\n");
  // A process that was killed between the two steps below has moved the branch but not applied the work.
  const isHalf = head === tip && !(await isAncestor(git, commit, main));
  if (!isHalf && (head !== commit || (await isAncestor(git, main, commit)))) return null;
  if (!isHalf) {
    await keepObjects(repository.git, id, [commit]);
    // "reset --keep" compares only times and inodes, so it would refuse unchanged files that were copied or touched.
    await git.try(["update-index", "--refresh"]);
    await git.run(["reset", "--quiet", "--keep", main]);
  }
  await git.try(["merge", "--quiet", "--squash", "--no-stat", commit]);
  const files = await git.readEntries(["diff", "--name-only", "-z", "--diff-filter=U"]);
  return { commit, files: await resolveSpecConflicts(place, git, files) };
}
