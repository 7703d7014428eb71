import { join, resolve } from "node:path";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import { type CommitFacts, type KeptRunRecord, parseFullHash } from "#planner/work/records/read_record.ts";
import { quoteShellWord } from "#words/quoting.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { removeFileInOpenFolder, removeFolderThroughOpenParent } from "../files/open_folder.ts";
import { replaceFile } from "../files/place_file.ts";
import { getTextField, readJsonFile } from "../files/read_text.ts";
import { formatGitError, type Git } from "../git/git.ts";
import { addGitSetting } from "../git/start_git.ts";
import { buildActivePath, WORKTREES_FOLDER } from "../project/places.ts";
import { isOthersWorktree, listAdminFolders, readGitFile, readGitHead, resolveStoredPath } from "./admin_folder.ts";
import { findOutsideChanges, keepCommits, keepDroppedObjects, keepObjects, splitSnapshotName } from "./keep_commits.ts";
import { type BranchCheckouts, describeOutsideChanges, isAncestor } from "./outside_words.ts";
import { nameBranch } from "./ref_names.ts";
import { buildRunRef, computePatchIds } from "./run_commits.ts";
import { addsNoChange } from "./search_merge.ts";
import { readChangedFiles, readCommits, type WorktreeState } from "./settle.ts";
import {
  compareSnapshots,
  filterProgramChanges,
  type RepositorySnapshot,
  readSnapshot,
  type SnapshotChange,
  takeSnapshot,
} from "./snapshot.ts";
import { removeNewFile } from "./undo_merge.ts";
import { copyProjectFiles, hideProjectWorktrees, readFileBytes, removeBroughtFiles } from "./worktree_brought.ts";
import { assertNoPlantedPrograms, type SpecBranches } from "./worktree_commits.ts";
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
import { endKilledRebase, readBlobText, resolveSpecConflicts } from "./worktree_rebase.ts";

export interface WorktreeOptions {
  /** Prefix of branch names, such as `planner/`. */
  readonly branchPrefix: string;
  /** The branch that work begins from and is merged into; null means the branch checked out around the project. */
  readonly mainBranch: string | null;
  /** Commit at which a new branch begins, contained in the main branch; by default the main branch's last one. */
  readonly base?: string | null;
  /** The setting `worktree.directory`, in which new worktrees are created; null or absent for the user's state folder. */
  readonly directory?: string | null;
}

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
  throw createPreconditionError(
    empty
      ? "The repository has no commit yet: commit first, or work with --no-worktree"
      : `Cannot find the main branch "${mainBranch}": expected a local branch in "defaults.main_branch" of .planner/config.md`,
  );
}

/** @throws OperationError `failed_precondition` if `base` has commits that the main branch lacks, or does not exist. */
export async function requireUsableBase({ git }: Repository, mainBranch: string, base: string | null): Promise<void> {
  if (base === null) return;
  const throwBaseError = (why: string): never => {
    throw createPreconditionError(`Cannot begin at "${base}" ("worktree.base"): ${why}`);
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
  const opened =
    found ?? (await addWorktree(making, { branch, mainBranch, start }, { branch, mainBranch, brought: [] }));
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
): Promise<WorktreeLocation> {
  const { repository, root, id, refs, directory = null } = making;
  const { git, commonFolder } = repository;
  const { branch, mainBranch, start = `refs/heads/${mainBranch}` } = branches;
  const old = resolveStoredPath(locateWorktree(root, id));
  const path = await makeWorktreesFolder(root, repository.top, planWorktreePath(root, id, directory));
  const other = refs.get(`refs/heads/${branch}`) ?? "";
  const copied = await findCopiedAdminFolder(commonFolder, root, other);
  if (other !== "" && copied === null && ![old, path].includes(resolve(other))) {
    throw createPreconditionError(`Branch "${branch}" is checked out in "${other}"`);
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
  const place = await openWorktreeLocation(repository, root, id);
  if (place !== null) return place;
  throw new OperationError("aborted", `"${path}" was removed meanwhile`);
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
    throw createPreconditionError(`Cannot use "${branch}" as a branch: git does not allow that name`);
  }
  throw createPreconditionError(`git branch failed: ${formatGitError(stderr)}`);
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

/** Takes a snapshot of the project before a run without a worktree. */
export async function guardProject(repository: Repository, root: string, id: SpecId) {
  const { top, git, gitFolder } = repository;
  // The checkout around the project, in the form of a run's worktree without a branch.
  const facts = { reused: true, copied: [], env: {}, identity: {}, begunAnew: null };
  const worktree = { path: top, root, branch: "", mainBranch: "", ...facts };
  const place: WorktreeLocation = { root, id, repository, git, gitFolder, worktree };
  const before = await takeSnapshot(place);
  return {
    /** Reports changes other than uncommitted files and new commits on the checked-out branch. Keeps lost commits. */
    async settle(): Promise<Pick<WorktreeState, "notes" | "warnings" | "outside">> {
      const now = await takeSnapshot(place);
      const outside = await describeOutsideChanges(place, await findOtherChanges(place, before, now));
      return { notes: [...outside, ...(await keepDroppedObjects(place, before, now))], warnings: outside, outside };
    },
  };
}

/** Returns changes other than the work, which is uncommitted files and new commits on the checked-out branch. */
async function findOtherChanges(
  { repository: { git, top }, id }: WorktreeLocation,
  before: RepositorySnapshot,
  now: RepositorySnapshot,
): Promise<readonly SnapshotChange[]> {
  const head = `HEAD ${top}`;
  const ends = [head, `ref ${before[head]}`];
  const all = [
    ...filterProgramChanges(compareSnapshots(before, now)),
    ...findOutsideChanges(before, now, { id, branch: "" }),
  ];
  const found: SnapshotChange[] = [];
  for (const change of all) {
    const isEnd = ends.includes(change.name) && change.now !== undefined && !change.now.startsWith("refs/");
    const isWork = isEnd && (change.before === undefined || (await isAncestor(git, change.before, change.now)));
    if (!isWork && splitSnapshotName(change.name)[0] !== "change") found.push(change);
  }
  return found;
}

/** Returns the path of the journal with the original of a project's file that planner replaces during a run. */
const buildJournalPath = (id: SpecId): string => `${WORKTREES_FOLDER}/${id}.placed.json`;

/** Writes a file for the duration of a run. `restoreReplacedFile` restores the original, also after a crash. */
export async function replaceProjectFile(root: string, id: SpecId, path: string, text: string): Promise<void> {
  const before = await readFileBytes(join(root, path));
  // Recorded before the file exists, so that its origin is known after a crash.
  const journal = { path, before: before?.toString("base64") ?? null, after: Buffer.from(text).toString("base64") };
  await replaceFile(join(root, buildJournalPath(id)), buildJournalPath(id), `${JSON.stringify(journal)}\n`);
  await replaceFile(join(root, path), path, text);
}

/**
 * Restores the file that `replaceProjectFile` replaced.
 *
 * @returns the file's path if someone else has changed it meanwhile, so that it stays as it is; else null
 */
export async function restoreReplacedFile(root: string, id: SpecId): Promise<string | null> {
  const read = readJsonFile(join(root, buildJournalPath(id)));
  if (read.kind !== "object") return null;
  const path = getTextField(read.object, "path") ?? "";
  const [before, after] = [getTextField(read.object, "before"), getTextField(read.object, "after")];
  const now = (await readFileBytes(join(root, path)))?.toString("base64") ?? null;
  if (now === after && before === null) await removeNewFile(root, path);
  else if (now === after && before !== null) await replaceFile(join(root, path), path, Buffer.from(before, "base64"));
  await removeFileInOpenFolder(join(root, buildJournalPath(id)));
  return now === after || now === before ? null : path;
}

/**
 * Reads which commits named by a record exist in the repository. Passes hashes to git only if they are complete,
 * because another program may have written the record.
 */
export async function readCommitFacts(
  { git, prefix }: Repository,
  id: SpecId,
  { run, record }: KeptRunRecord,
): Promise<CommitFacts> {
  const parent = await git.tryReadOutput(["rev-parse", "--verify", "--quiet", `${buildRunRef(git, id, run)}^1`]);
  const [base, head] = [parseFullHash(record["base"]), parseFullHash(record["head"])];
  const merged = listHashes(record["merged"], "commits");
  const named = [...listHashes(record, "commits"), ...merged, ...(base === null ? [] : [base])];
  const there = await findPresentCommits(git, named);
  const specText = head === null ? null : await readBlobText(git, `${head}:${prefix}${buildActivePath(id)}`);
  const known = { parent, present: there, specText };
  const nothing = { range: [], files: [], hasMerges: false };
  const ofRange =
    base === null || head === null || head !== parent || !there.has(base)
      ? nothing
      : await readCommitRange(git, { base, head, prefix });
  const patches = await computePatchIds(git, [...there]);
  const present = merged.filter((hash) => there.has(hash));
  const last = present.at(-1);
  const hasMergedWork =
    last !== undefined && head !== null && head === parent && (await addsNoChange(git, last, head)) === true;
  const inMain = await findReachableCommits(git, record["main_branch"], present);
  return { ...known, ...ofRange, patches, inMain, hasMergedWork };
}

async function readCommitRange(
  git: Git,
  { base, head, prefix }: { readonly base: string; readonly head: string; readonly prefix: string },
): Promise<Pick<CommitFacts, "range" | "files" | "hasMerges">> {
  const range = await readCommits(git, `${base}..${head}`);
  const changed = await readChangedFiles(git, prefix, `${base}...${head}`);
  const merges = await git.run(["rev-list", "--merges", "--max-count=1", `${base}..${head}`, "--"]);
  return { range, files: changed.map(({ path }) => path), hasMerges: merges.trim() !== "" };
}

/** Returns those hashes that are commits of this repository. */
async function findPresentCommits(git: Git, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const listed = await git.run(["cat-file", "--batch-check"], { input: hashes.map((hash) => `${hash}\n`).join("") });
  const lines = listed.split("\n").map((line) => line.split(" "));
  return new Set(lines.flatMap(([hash, type]) => (hash !== undefined && type === "commit" ? [hash] : [])));
}

/** Returns those commits that the main branch contains. */
async function findReachableCommits(git: Git, main: unknown, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const end = typeof main === "string" ? `refs/heads/${main}` : "HEAD";
  const listed = await git.tryReadOutput(["rev-list", "--ignore-missing", ...hashes, "--not", end, "--"]);
  const outside = new Set(listed?.split("\n"));
  return new Set(listed === null ? [] : hashes.filter((hash) => !outside.has(hash)));
}

function listHashes(value: unknown, name: string): readonly string[] {
  const list = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : null;
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: { readonly hash?: unknown } | null) => parseFullHash(one?.hash) ?? []);
}
