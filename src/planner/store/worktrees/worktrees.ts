import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import { OperationError } from "#kernel/errors.ts";
import type { BranchHead, CommitFacts, KeptRunRecord, LatestRunRef } from "#planner/run_ports/kept_records.ts";
import type { FolderState, SpecChanges, Worktree, WorktreeState } from "#planner/run_ports/worktree.ts";
import type {
  BranchMergeOptions,
  BranchMergeResult,
  GitProgramChange,
  NewWorktreeStatus,
  PredictedConflict,
  ProjectGuard,
  ProjectHead,
  WorktreeOptions,
  WorktreeRemovalOptions,
  Worktrees,
} from "#planner/run_ports/worktrees.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { PLAIN_COMMIT_WRITER } from "../../work/commit_message.ts";
import { removeFileInOpenFolder } from "../files/open_folder.ts";
import { replaceFile } from "../files/place_file.ts";
import { removeLeftoverFiles } from "../files/temporary_file.ts";
import { Git } from "../git/git.ts";
import { runWithMergeLock, runWithProjectLock } from "../locks/project_lock.ts";
import { WORKTREES_FOLDER } from "../project/places.ts";
import { deleteRequestNote } from "../requests/requests.ts";
import { listAdminFolders, listMirrorRemotes, resolveStoredPath } from "./admin_folder.ts";
import { requireCommitReadiness } from "./commit_check.ts";
import { forecastConflicts } from "./differences.ts";
import { readBlobHashes, readProjectState } from "./folder_state.ts";
import { runInFreshWorktree } from "./fresh_worktree.ts";
import { listGitProgramChanges, refuseForeignPrograms } from "./guard.ts";
import { describeKeptCommits, isKeptCommit, keepBranch, keepCommits } from "./keep_commits.ts";
import { findLeftoverBranches } from "./left_branches.ts";
import { readBranchCheckouts, runMainBranchQuery } from "./main_branch.ts";
import { OpenWorktree } from "./open_worktree.ts";
import { guardProject, placeProjectFile, restoreReplacedFile } from "./project_run.ts";
import { readCommitFacts } from "./record_facts.ts";
import { keepRunRecord, listLatestRuns, noteMergedRun, readRunRecord, readRunRecords } from "./run_commits.ts";
import { readChangedFiles, readCommits, settleWorktree } from "./settle.ts";
import { readSpecChanges } from "./spec_changes.ts";
import { keepSubmodules } from "./submodules.ts";
import { removeBroughtFiles, removePlacedFiles } from "./worktree_brought.ts";
import {
  branchExists,
  buildNoWorktreeError,
  isBranchMerged,
  listCommitsAhead,
  listUnsavedFiles,
  refuseUncommittedFiles,
  refuseUnmergedBranch,
  type SpecBranches,
} from "./worktree_commits.ts";
import { worktreeFiles } from "./worktree_files.ts";
import { mergeWorktree } from "./worktree_merge.ts";
import {
  listWorktreeIds,
  openWorktreePlace,
  type Repository,
  readHeadBranch,
  readOrigin,
  requireRepository,
  type WorktreePlace,
  writeOrigin,
} from "./worktree_place.ts";
import { addWorktree, prepareWorktree, requireMainBranch, requireUsableBase } from "./worktree_prepare.ts";

/** Opens the worktrees of the project in `root`, an absolute path. */
export function openWorktrees(root: string, clock: Clock): Worktrees {
  return new GitWorktrees(root, clock);
}

class GitWorktrees implements Worktrees {
  readonly #root: string;
  readonly #clock: Clock;
  #repository: Promise<Repository> | undefined;
  #writing: Promise<Repository> | undefined;

  constructor(root: string, clock: Clock) {
    this.#root = root;
    this.#clock = clock;
  }

  async check(options: WorktreeOptions, message: string | null): Promise<void> {
    const repository = await this.#openedToWrite();
    await refuseForeignPrograms(repository, this.#root);
    const mainBranch = await requireMainBranch(repository, options, await readBranchCheckouts(repository.git));
    await requireUsableBase(repository, mainBranch, options.base ?? null);
    if (message !== null) await requireCommitReadiness(repository, message);
  }

  async prepare(id: SpecId, options: WorktreeOptions): Promise<Worktree> {
    const repository = await this.#openedToWrite();
    const refs = await readBranchCheckouts(repository.git);
    return new OpenWorktree(await prepareWorktree({ repository, root: this.#root, id, refs }, options));
  }

  known(): Promise<readonly SpecId[]> {
    return listWorktreeIds(this.#root);
  }

  async ids(): Promise<readonly SpecId[]> {
    return [...(await this.known()), ...(await this.#left()).keys()].sort();
  }

  async branch(id: SpecId): Promise<string | null> {
    return (await this.#branches(id))?.branch ?? null;
  }

  async find(id: SpecId): Promise<Worktree | null> {
    const place = await this.#find(id);
    return place === null ? null : new OpenWorktree(place);
  }

  async planted(): Promise<readonly GitProgramChange[]> {
    // Without a repository, no run can have changed programs of git.
    const repository = await this.#opened().catch(() => null);
    return repository === null ? [] : listGitProgramChanges(repository, this.#root);
  }

  async guardProject(id: SpecId): Promise<ProjectGuard | null> {
    const repository = await this.#opened().catch(() => null);
    return repository === null ? null : guardProject(repository, this.#root, id);
  }

  async mirrors(): Promise<readonly string[]> {
    const repository = await this.#opened().catch(() => null);
    return repository === null ? [] : listMirrorRemotes(await repository.settings());
  }

  placeInProject(id: SpecId, path: string, text: string): Promise<void> {
    return placeProjectFile(this.#root, id, path, text);
  }

  async displace(id: SpecId): Promise<readonly string[]> {
    const changed = await restoreReplacedFile(this.#root, id);
    const place = await this.#find(id);
    const there = place === null ? [] : await removePlacedFiles(place);
    return changed === null ? there : [...there, changed];
  }

  async commits(id: SpecId): Promise<readonly string[]> {
    const branches = await this.#branches(id);
    if (branches === null) return [];
    const git = new Git(this.#root);
    return runMainBranchQuery(git, branches, id, () => listCommitsAhead(git, branches));
  }

  async isMerged(id: SpecId): Promise<boolean> {
    const branches = await this.#branches(id);
    if (branches === null) return true;
    const git = new Git(this.#root);
    return runMainBranchQuery(git, branches, id, () => isBranchMerged(git, branches));
  }

  async merge(id: SpecId, wishes: Partial<BranchMergeOptions> = {}): Promise<BranchMergeResult> {
    const { message = PLAIN_COMMIT_WRITER, admit = async () => [] } = wishes;
    await this.#openedToWrite();
    // The lock is needed because the main checkout has changes during another merge.
    return runWithMergeLock(this.#root, () => this.#merge(id, { message, admit }));
  }

  async remove(id: SpecId, { unmerged = "refuse" }: WorktreeRemovalOptions = {}): Promise<readonly string[]> {
    await this.#openedToWrite().catch(() => null);
    const branches = await this.#branches(id);
    const place = await this.#find(id);
    const folder = worktreeFiles.folder(id);
    if (place !== null) {
      const { problems } = await settleWorktree(place, null);
      if (problems.length > 0) throw new OperationError("failed_precondition", problems.join("; "));
      refuseUncommittedFiles(`Worktree "${folder}"`, await listUnsavedFiles(place));
    }
    if (branches !== null && unmerged === "refuse") await refuseUnmergedBranch(new Git(this.#root), branches);
    const keeps = branches !== null && unmerged === "keep";
    const branch = keeps ? await keepBranch(new Git(this.#root), id, branches) : [];
    const isDropped = unmerged === "drop";
    const kept = branches === null ? [] : await this.#keep(id, branches, isDropped);
    if (place !== null) {
      await removeBroughtFiles(place);
      const force = (await keepSubmodules(place)) ? ["--force"] : [];
      await place.repository.git.run(["worktree", "remove", ...force, place.worktree.path]);
    }
    if (branches !== null) await this.#removeBranch(id, branches, isDropped);
    const { status, origin, base, exclude, snapshot } = worktreeFiles;
    for (const file of [status, base, exclude, snapshot, origin])
      await removeFileInOpenFolder(join(this.#root, file(id)));
    await deleteRequestNote(new Git(this.#root), id);
    return [...branch, ...kept];
  }

  /** Keeps commits without another reference before the worktree and the branch are removed. */
  async #keep(id: SpecId, branches: SpecBranches, isDropped: boolean): Promise<readonly string[]> {
    const { git, commonFolder } = await this.#opened();
    const { branch, mainBranch } = branches;
    // Git keeps its data about a worktree whose folder was deleted.
    const path = resolveStoredPath(join(this.#root, worktreeFiles.folder(id)));
    const gitFolder = (await listAdminFolders(commonFolder)).get(path) ?? null;
    return describeKeptCommits(await keepCommits(git, { id, gitFolder, commonFolder, branch, mainBranch, isDropped }))
      .told;
  }

  writeStatus({ spec_id, status, error, commits }: NewWorktreeStatus): Promise<void> {
    const file = worktreeFiles.status(spec_id);
    const path = join(this.#root, worktreeFiles.folder(spec_id));
    const updated_at = this.#clock.now().toISOString();
    const text = `${JSON.stringify({ spec_id, path, status, updated_at, error, commits }, null, 2)}\n`;
    return runWithProjectLock(this.#root, async () => {
      await removeLeftoverFiles(join(this.#root, WORKTREES_FOLDER));
      await replaceFile(join(this.#root, file), file, text);
    });
  }

  async head(): Promise<ProjectHead | null> {
    const repository = await this.#opened().catch(() => null);
    const hash = await repository?.git.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
    if (repository === null || hash === undefined || hash === null) return null;
    return { hash, branch: readHeadBranch(repository.gitFolder) };
  }

  async projectState(): Promise<FolderState | null> {
    const repository = await this.#opened().catch(() => null);
    return repository === null ? null : readProjectState(repository);
  }

  async blobs(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const repository = await this.#opened();
    return readBlobHashes({ git: repository.git, repository }, paths);
  }

  async since(base: string): Promise<Pick<WorktreeState, "commits" | "changed">> {
    const { git, prefix } = await this.#opened();
    const commits = await readCommits(git, `${base}..HEAD`);
    return { commits, changed: await readChangedFiles(git, prefix, `${base}...HEAD`) };
  }

  async specChanges(since: string): Promise<SpecChanges> {
    return readSpecChanges(await this.#opened(), since);
  }

  async keepRecord(id: SpecId, branch: string | null, write: (head: BranchHead) => object): Promise<number | null> {
    return keepRunRecord((await this.#opened()).git, { id, branch }, write);
  }

  async forecast(): Promise<readonly PredictedConflict[]> {
    const branches = this.#branchesOf(await this.known());
    if (branches.length < 2) return [];
    await this.#opened();
    return forecastConflicts(new Git(this.#root), branches);
  }

  async latestRuns(): Promise<readonly LatestRunRef[]> {
    const repository = await this.#opened().catch(() => null);
    if (repository === null) return [];
    const branches = this.#branchesOf(await this.known());
    return listLatestRuns(repository.git, new Map(branches.map(({ id, branch }) => [id, branch])));
  }

  async readRuns(runs: readonly LatestRunRef[]): Promise<ReadonlyMap<SpecId, KeptRunRecord>> {
    return readRunRecords((await this.#opened()).git, runs);
  }

  #branchesOf(ids: readonly SpecId[]): readonly { readonly id: SpecId; readonly branch: string }[] {
    return ids.flatMap((id) => {
      const branch = readOrigin(this.#root, id)?.branch;
      return branch === undefined ? [] : [{ id, branch }];
    });
  }

  async record(id: SpecId, run: number | null): Promise<KeptRunRecord | null> {
    return readRunRecord((await this.#opened()).git, id, run);
  }

  async recordFacts(id: SpecId, kept: KeptRunRecord): Promise<CommitFacts> {
    return readCommitFacts(await this.#opened(), id, kept);
  }

  async withFresh<Result>(id: SpecId, commit: string, use: (worktree: Worktree) => Promise<Result>): Promise<Result> {
    const repository = await this.#openedToWrite();
    await refuseForeignPrograms(repository, this.#root);
    return runInFreshWorktree(repository, { root: this.#root, id, commit }, use);
  }

  async noteMerged(id: SpecId, commits: readonly string[]): Promise<void> {
    await noteMergedRun((await this.#opened()).git, id, { commits, at: this.#clock.now().toISOString() });
  }

  async #merge(id: SpecId, wishes: BranchMergeOptions): Promise<BranchMergeResult> {
    const place = await this.#find(id);
    if (place !== null) return mergeWorktree(place, wishes);
    const branches = await this.#branches(id);
    if (branches === null || (await this.isMerged(id))) return { kind: "nothing" };
    // The folder was deleted, but the commits are in the repository.
    const repository = await this.#opened();
    const refs = await readBranchCheckouts(repository.git);
    if (readOrigin(this.#root, id) === null) await writeOrigin(this.#root, id, { ...branches, brought: [] });
    await addWorktree({ repository, root: this.#root, id, refs }, branches);
    return mergeWorktree(await this.#require(id), wishes);
  }

  async #find(id: SpecId): Promise<WorktreePlace | null> {
    if (!existsSync(join(this.#root, worktreeFiles.folder(id)))) return null;
    return openWorktreePlace(await (this.#writing ?? this.#opened()), this.#root, id);
  }

  /** Opens the repository once; tries again if there was none. */
  #opened(): Promise<Repository> {
    this.#repository ??= requireRepository(this.#root).catch((error: unknown) => {
      this.#repository = undefined;
      throw error;
    });
    return this.#repository;
  }

  /** Opens the repository for work that a person started. From then on git uses its filters and drivers. */
  #openedToWrite(): Promise<Repository> {
    this.#writing ??= this.#opened()
      .then((repository) => ({ ...repository, git: repository.git.toWrite() }))
      .catch((error: unknown) => {
        this.#writing = undefined;
        throw error;
      });
    return this.#writing;
  }

  async #require(id: SpecId): Promise<WorktreePlace> {
    const place = await this.#find(id);
    if (place === null) throw buildNoWorktreeError(id);
    return place;
  }

  /** Returns the branches of a spec; null when none is known. */
  async #branches(id: SpecId): Promise<SpecBranches | null> {
    return (await this.#find(id))?.worktree ?? readOrigin(this.#root, id) ?? (await this.#left()).get(id) ?? null;
  }

  async #left(): Promise<ReadonlyMap<SpecId, SpecBranches>> {
    const repository = await this.#opened().catch(() => null);
    return repository === null ? new Map() : findLeftoverBranches(repository, this.#root);
  }

  async #removeBranch(id: SpecId, branches: SpecBranches, isDropped: boolean): Promise<void> {
    const git = new Git(this.#root);
    if (!(await branchExists(git, branches.branch))) return;
    const end = await git.line(["rev-parse", "--verify", `refs/heads/${branches.branch}`]);
    // If the folder was deleted without git, git would treat the branch as still checked out.
    await git.try(["worktree", "remove", join(this.#root, worktreeFiles.folder(id))]);
    if (!isDropped && !(await isKeptCommit(git, id, end))) await refuseUnmergedBranch(git, branches);
    await git.run(["update-ref", "-d", `refs/heads/${branches.branch}`, end]);
  }
}
