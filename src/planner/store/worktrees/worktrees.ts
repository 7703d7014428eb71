import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import { createPreconditionError } from "#kernel/errors.ts";
import type { FailedCheck } from "#planner/work/provenance.ts";
import type { WorktreeStatus } from "#planner/work/records/process_record.ts";
import type { BranchHead, CommitFacts, KeptRunRecord, LatestRunRef } from "#planner/work/records/read_record.ts";
import { parseDocument } from "../../spec/document.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { PLAIN_COMMIT_WRITER } from "../../work/commit_message.ts";
import { isMissingError } from "../files/disk_error.ts";
import { removeFileInOpenFolder } from "../files/open_folder.ts";
import { removeLeftoverFiles, replaceFile } from "../files/place_file.ts";
import { Git } from "../git/git.ts";
import { runWithMergeLock, runWithProjectLock } from "../locks/project_lock.ts";
import { buildActivePath, SPECS_FOLDER, WORKTREES_FOLDER } from "../project/places.ts";
import { deleteRequestNote } from "../requests/requests.ts";
import { listMirrorRemotes } from "./admin_folder.ts";
import { readSpecChanges, type SpecChanges } from "./differences.ts";
import { isKeptCommit, keepBranch, keepLostCommits } from "./keep_commits.ts";
import {
  type FolderState,
  openWorktree,
  readBlobHashes,
  readProjectState,
  runInFreshWorktree,
  type Worktree,
} from "./open_worktree.ts";
import { readBranchCheckouts, runMainBranchQuery } from "./outside_words.ts";
import { nameBranch } from "./ref_names.ts";
import { keepRunRecord, listLatestRuns, readRunRecord, readRunRecords, recordMergedCommits } from "./run_commits.ts";
import { forecastConflicts, type PredictedConflict } from "./search_merge.ts";
import { readChangedFiles, readCommits, settleWorktree, type WorktreeState } from "./settle.ts";
import { readFileBytes, removeBroughtFiles, removePlannerFiles } from "./worktree_brought.ts";
import {
  assertBranchMerged,
  assertNoForeignPrograms,
  assertNoUncommittedFiles,
  branchExists,
  type GitProgramChange,
  isBranchMerged,
  listCommitsAhead,
  listGitProgramChanges,
  listUnsavedFiles,
  type SpecBranches,
} from "./worktree_commits.ts";
import {
  buildWorktreesFolder,
  listWorktreeIds,
  locateWorktree,
  requireWritableFolder,
  worktreeFiles,
} from "./worktree_files.ts";
import { type BranchMergeOptions, mergeWorktree } from "./worktree_merge.ts";
import {
  ignoreMissingRepository,
  keepSubmodules,
  openWorktreeLocation,
  type Repository,
  readHeadBranch,
  readMainBranch,
  readWorktreeOrigin,
  requireRepository,
  type WorktreeLocation,
} from "./worktree_place.ts";
import {
  addWorktree,
  guardProject,
  prepareWorktree,
  readCommitFacts,
  replaceProjectFile,
  requireMainBranch,
  requireUsableBase,
  restoreReplacedFile,
  type WorktreeOptions,
} from "./worktree_prepare.ts";
import { type BranchMergeResult, requireCommitReadiness } from "./worktree_rebase.ts";

export interface WorktreeRemovalOptions {
  /**
   * - `keep`: also keeps an unmerged branch under `refs/planner/kept/<id>/`
   * - `drop`: keeps nothing of the branch, because the main branch is known to contain its change in another form
   */
  readonly unmerged?: "refuse" | "keep" | "drop";
}

export interface ProjectHead {
  readonly hash: string;
  /** Name of the checked-out branch; null if none is checked out. */
  readonly branch: string | null;
}

export type NewWorktreeStatus = Pick<WorktreeStatus, "error"> & {
  readonly spec_id: SpecId;
  readonly status: "working" | "done" | "failed";
  /** Checks that failed at a merge. */
  readonly failed_checks?: readonly FailedCheck[];
};

/**
 * One git worktree and branch per spec in work, outside of the repository by default. No method discards uncommitted changes or
 * commits that the main branch lacks. Call the methods while holding the spec's claim. Source: docs/decisions.md#s-24.
 * Transport of specs: docs/work.md.
 */
export class Worktrees {
  readonly #root: string;
  readonly #clock: Clock;
  #repository: Promise<Repository> | undefined;
  #writingRepository: Promise<Repository> | undefined;

  /** @param root absolute path of the project */
  constructor(root: string, clock: Clock) {
    this.#root = root;
    this.#clock = clock;
  }

  /**
   * Checks that a worktree can be created; changes nothing.
   *
   * @param message message of a commit by planner, which hooks may reject; null skips this test
   * @throws OperationError `failed_precondition` if no worktree can be created, for example without a commit
   */
  async requireCreatable(options: WorktreeOptions, message: string | null): Promise<void> {
    const repository = await this.#openForWriting();
    await assertNoForeignPrograms(repository, this.#root);
    const mainBranch = await requireMainBranch(repository, options, await readBranchCheckouts(repository.git));
    await requireUsableBase(repository, mainBranch, options.base ?? null);
    requireWritableFolder(buildWorktreesFolder(this.#root, options.directory ?? null));
    if (message !== null) await requireCommitReadiness(repository, message);
  }

  /**
   * Creates the worktree, or reuses the existing one, and copies uncommitted planner files into it.
   *
   * @throws OperationError `failed_precondition` without a git repository or a first commit
   */
  async prepareWorktree(id: SpecId, options: WorktreeOptions): Promise<Worktree> {
    const repository = await this.#openForWriting();
    const refs = await readBranchCheckouts(repository.git);
    const making = { repository, root: this.#root, id, refs, directory: options.directory };
    return openWorktree(await prepareWorktree(making, options));
  }

  /** Returns the branch for work on a spec, with the project's path if that is not the repository's top. */
  nameBranch(id: SpecId, prefix: string): Promise<string> {
    return this.#query(
      ({ git }) => nameBranch(this.#root, { id, prefix }, () => readBranchCheckouts(git)),
      prefix + id,
    );
  }

  /** Returns sorted ids of specs with a worktree, or a record of one deleted by hand. Starts no git process. */
  listKnownIds(): Promise<readonly SpecId[]> {
    return listWorktreeIds(this.#root);
  }

  /** Returns the ids of `listKnownIds`, and those of specs without a record whose branch exists. */
  async listIds(): Promise<readonly SpecId[]> {
    return [...(await this.listKnownIds()), ...(await this.#findLeftoverBranches()).keys()].sort();
  }

  /** Returns the recorded branch of a spec, even if its folder no longer exists; null without a record. */
  async findBranch(id: SpecId): Promise<string | null> {
    return (await this.#findBranches(id))?.branch ?? null;
  }

  /** Returns the worktree of a spec; null without one. */
  async findWorktree(id: SpecId): Promise<Worktree | null> {
    const place = await this.#findWorktree(id);
    return place === null ? null : openWorktree(place);
  }

  /**
   * Lists changes that runs made to programs that git runs in every checkout, see `WorktreeState.safe`. Cost: one git
   * process if runs have stored snapshots.
   */
  async listGitProgramChanges(): Promise<readonly GitProgramChange[]> {
    // Without a repository, no run can have changed programs of git.
    return this.#query((repository) => listGitProgramChanges(repository, this.#root), []);
  }

  /** Records the state of the repository around the project, for a run in its own folder; null without a repository. */
  async guardProject(id: SpecId) {
    return this.#query((repository) => guardProject(repository, this.#root, id), null);
  }

  /** Returns the names of remotes that mirror all refs, in one direction or both. */
  async listMirrorRemotes(): Promise<readonly string[]> {
    return this.#query(async ({ settings }) => listMirrorRemotes(await settings()), []);
  }

  /** Writes a file of planner into the project, for a run without a worktree. Git lists it as a change. */
  writeProjectFile(id: SpecId, path: string, text: string): Promise<void> {
    return replaceProjectFile(this.#root, id, path, text);
  }

  /**
   * Restores the files that `writeProjectFile` replaced; continues an interrupted restoration.
   *
   * @returns the files that were changed meanwhile, which stay unchanged
   */
  async restoreReplacedFiles(id: SpecId): Promise<readonly string[]> {
    const changed = await restoreReplacedFile(this.#root, id);
    const place = await this.#findWorktree(id);
    const there = place === null ? [] : await removePlannerFiles(place);
    return changed === null ? there : [...there, changed];
  }

  /** Returns full hashes of the branch's commits that the main branch lacks, oldest first. */
  async listCommits(id: SpecId): Promise<readonly string[]> {
    const [git, branches] = [new Git(this.#root), await this.#findBranches(id)];
    return branches === null ? [] : runMainBranchQuery(git, branches, id, () => listCommitsAhead(git, branches));
  }

  /** Returns whether the main branch contains every commit of the branch, or a copy with the same change. */
  async isMerged(id: SpecId): Promise<boolean> {
    const [git, branches] = [new Git(this.#root), await this.#findBranches(id)];
    return branches === null || runMainBranchQuery(git, branches, id, () => isBranchMerged(git, branches));
  }

  /**
   * Rebases the branch onto the main branch, fast-forwards the main branch, and copies the spec's file back into the
   * project.
   *
   * @throws OperationError `failed_precondition` if the worktree has uncommitted changes, or if the merge would
   *   overwrite a changed file in the checkout of the main branch
   */
  async mergeBranch(id: SpecId, wishes: Partial<BranchMergeOptions> = {}): Promise<BranchMergeResult> {
    const { message = PLAIN_COMMIT_WRITER, admit = async () => [] } = wishes;
    const { commonFolder } = await this.#openForWriting();
    // The lock is needed because the main checkout has changes during another merge.
    return runWithMergeLock(this.#root, commonFolder, () => this.#mergeSpec(id, { message, admit }));
  }

  /**
   * Removes worktree, branch and status file. Keeps commits that exist nowhere else under `refs/planner/kept/<id>/`.
   *
   * @returns remarks for a person about kept commits, one sentence each
   * @throws OperationError `failed_precondition` if that would lose uncommitted changes, or unmerged commits unless
   *   `unmerged` allows it
   */
  async removeWorktree(id: SpecId, { unmerged = "refuse" }: WorktreeRemovalOptions = {}): Promise<readonly string[]> {
    await this.#openForWriting();
    const branches = await this.#findBranches(id);
    const place = await this.#findWorktree(id);
    if (place !== null) {
      const { problems } = await settleWorktree(place, null);
      if (problems.length > 0) throw createPreconditionError(problems.join("; "));
      assertNoUncommittedFiles(`Worktree "${place.worktree.path}"`, await listUnsavedFiles(place));
    }
    if (branches !== null && unmerged === "refuse") await assertBranchMerged(new Git(this.#root), branches);
    const branch = branches !== null && unmerged === "keep" ? await keepBranch(new Git(this.#root), id, branches) : [];
    const isDropped = unmerged === "drop";
    const kept =
      branches === null
        ? []
        : await keepLostCommits(await this.#openRepository(), { root: this.#root, id, branches, isDropped });
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

  /** Writes `.planner/worktrees/<id>.status.json` atomically. `WorkStore.worktrees` reads it. */
  async writeStatus({ spec_id, status, error, failed_checks = [] }: NewWorktreeStatus): Promise<void> {
    // A spec that has no branch, or whose main branch is gone, has no commits to name.
    const commits = await this.listCommits(spec_id).catch(() => []);
    const file = worktreeFiles.status(spec_id);
    const path = locateWorktree(this.#root, spec_id);
    const updated_at = this.#clock.now().toISOString();
    const checks = failed_checks.length === 0 ? {} : { failed_checks };
    const text = JSON.stringify({ spec_id, path, status, updated_at, error, commits, ...checks }, null, 2);
    return runWithProjectLock(this.#root, async () => {
      await removeLeftoverFiles(join(this.#root, WORKTREES_FOLDER));
      await replaceFile(join(this.#root, file), file, `${text}\n`);
    });
  }

  /** Returns the checkout around the project; null without a repository or a commit. */
  async readHead(): Promise<ProjectHead | null> {
    return this.#query(async ({ git, gitFolder }) => {
      const hash = await git.tryReadHead("%H");
      return hash === null ? null : { hash, branch: readHeadBranch(gitFolder) };
    }, null);
  }

  /** Commit checked out around the project, and the folder's uncommitted files; null without a repository. */
  async readProjectState(): Promise<FolderState | null> {
    return this.#query(readProjectState, null);
  }

  /** Returns git's hashes of files in the commit checked out around the project, as `Worktree.readBlobHashes` does. */
  async readBlobHashes(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const repository = await this.#openRepository();
    return readBlobHashes({ git: repository.git, repository }, paths);
  }

  /** Returns commits and changed files of the checkout around the project since `base`, as in `WorktreeState`. */
  async readWorkSince(base: string): Promise<Pick<WorktreeState, "commits" | "changed">> {
    const { git, prefix } = await this.#openRepository();
    const commits = await readCommits(git, `${base}..HEAD`);
    return { commits, changed: await readChangedFiles(git, prefix, `${base}...HEAD`) };
  }

  /**
   * Reads the changes between commit `since` and the commit checked out around the project.
   *
   * @param since any git revision that names a commit
   * @throws OperationError `invalid_argument` if it names no commit of this repository
   */
  async readSpecChanges(since: string): Promise<SpecChanges> {
    return readSpecChanges(await this.#openRepository(), since);
  }

  /**
   * Stores the record of a run as the commit `refs/planner/runs/<id>/<n>` on top of the run's branch, outside of the
   * main branch's history.
   *
   * @param branch null for the commit that is checked out around the project
   * @param write receives the run's number and the last commit of the branch
   * @returns the number; null if the branch no longer exists
   */
  async storeRecord(id: SpecId, branch: string | null, write: (head: BranchHead) => object): Promise<number | null> {
    return keepRunRecord((await this.#openRepository()).git, { id, branch }, write);
  }

  /** Predicts files in which branches of specs will conflict, without changing any. Cost: one git process per pair. */
  async predictConflicts(): Promise<readonly PredictedConflict[]> {
    const branches = this.#listBranches(await this.listKnownIds());
    if (branches.length < 2) return [];
    await this.#openRepository();
    return forecastConflicts(new Git(this.#root), branches);
  }

  /** Lists the latest record of every spec that has one; empty outside of a repository. Cost: one git process. */
  async listLatestRuns(): Promise<readonly LatestRunRef[]> {
    const branches = this.#listBranches(await this.listKnownIds());
    const named = new Map(branches.map(({ id, branch }) => [id, branch]));
    return this.#query(({ git }) => listLatestRuns(git, named), []);
  }

  /** Reads the given records, without the numbers of other runs. Cost: one git process. */
  async readRecords(runs: readonly LatestRunRef[]): Promise<ReadonlyMap<SpecId, KeptRunRecord>> {
    return readRunRecords((await this.#openRepository()).git, runs);
  }

  #listBranches(ids: readonly SpecId[]): readonly { readonly id: SpecId; readonly branch: string }[] {
    return ids.flatMap((id) => {
      const branch = readWorktreeOrigin(this.#root, id)?.branch;
      return branch === undefined ? [] : [{ id, branch }];
    });
  }

  /** Reads a stored run record; `run` null selects the latest. Returns null without a record. */
  async readRecord(id: SpecId, run: number | null): Promise<KeptRunRecord | null> {
    return readRunRecord((await this.#openRepository()).git, id, run);
  }

  /** Reads facts about the commits that a record names. Changes nothing. */
  async readCommitFacts(id: SpecId, kept: KeptRunRecord): Promise<CommitFacts> {
    return readCommitFacts(await this.#openRepository(), id, kept);
  }

  /** Creates a temporary worktree of a commit, runs `use` with it, and removes it afterwards. */
  async runInFreshWorktree<Result>(
    id: SpecId,
    commit: string,
    use: (worktree: Worktree) => Promise<Result>,
  ): Promise<Result> {
    const repository = await this.#openForWriting();
    await assertNoForeignPrograms(repository, this.#root);
    return runInFreshWorktree(repository, { root: this.#root, id, commit }, use);
  }

  /** Adds the hashes of the merged commits to the latest record. */
  async recordMergedCommits(id: SpecId, commits: readonly string[]): Promise<void> {
    await recordMergedCommits((await this.#openRepository()).git, id, { commits, at: this.#clock.now().toISOString() });
  }

  async #mergeSpec(id: SpecId, wishes: BranchMergeOptions): Promise<BranchMergeResult> {
    const found = await this.#findWorktree(id);
    if (found !== null) return mergeWorktree(found, wishes);
    const branches = await this.#findBranches(id);
    if (branches === null || (await this.listCommits(id)).length === 0) return { kind: "nothing" };
    // The folder was deleted, but the commits are in the repository.
    const repository = await this.#openForWriting();
    const refs = await readBranchCheckouts(repository.git);
    return mergeWorktree(await addWorktree({ repository, root: this.#root, id, refs }, branches), wishes);
  }

  async #findWorktree(id: SpecId): Promise<WorktreeLocation | null> {
    if (!existsSync(locateWorktree(this.#root, id))) return null;
    return openWorktreeLocation(await (this.#writingRepository ?? this.#openRepository()), this.#root, id);
  }

  /** Opens the repository once; tries again if there was none. */
  #openRepository(): Promise<Repository> {
    this.#repository ??= requireRepository(this.#root).catch((error: unknown) => {
      this.#repository = undefined;
      throw error;
    });
    return this.#repository;
  }

  /** Returns the result of `use`; `none` without a repository. @throws OperationError with any other refusal of git */
  async #query<Result>(use: (repository: Repository) => Promise<Result>, none: Result): Promise<Result> {
    const repository = await this.#openRepository().catch(ignoreMissingRepository);
    return repository === null ? none : use(repository);
  }

  /** Opens the repository for work that a person started. From then on git uses its filters and drivers. */
  #openForWriting(): Promise<Repository> {
    this.#writingRepository ??= this.#openRepository()
      .then((repository) => ({ ...repository, git: repository.git.withWriteAccess() }))
      .catch((error: unknown) => {
        this.#writingRepository = undefined;
        throw error;
      });
    return this.#writingRepository;
  }

  /** Returns the branches of a spec; null when none is known. */
  async #findBranches(id: SpecId): Promise<SpecBranches | null> {
    return (
      (await this.#findWorktree(id))?.worktree ??
      readWorktreeOrigin(this.#root, id) ??
      (await this.#findLeftoverBranches()).get(id) ??
      null
    );
  }

  async #findLeftoverBranches(): Promise<ReadonlyMap<SpecId, SpecBranches>> {
    return this.#query((repository) => findLeftoverBranches(repository, this.#root), new Map<SpecId, SpecBranches>());
  }

  async #removeBranch(id: SpecId, branches: SpecBranches, isDropped: boolean): Promise<void> {
    const git = new Git(this.#root);
    if (!(await branchExists(git, branches.branch))) return;
    const end = await git.line(["rev-parse", "--verify", `refs/heads/${branches.branch}`]);
    // If the folder was deleted without git, git would treat the branch as still checked out.
    await git.try(["worktree", "remove", locateWorktree(this.#root, id)]);
    if (!isDropped && !(await isKeptCommit(git, id, end))) await assertBranchMerged(git, branches);
    await git.run(["update-ref", "-d", `refs/heads/${branches.branch}`, end]);
  }
}

/**
 * Returns branches that specs name, that no checkout has, and that `.planner/worktrees/` no longer records, because
 * `git clean` or a person has emptied it. Cost: one git process, and two more for each branch.
 */
async function findLeftoverBranches(repository: Repository, root: string): Promise<ReadonlyMap<SpecId, SpecBranches>> {
  const found = new Map<SpecId, SpecBranches>();
  const known = new Set<string>(await listWorktreeIds(root));
  const ids = new Set<string>((await listSpecFileIds(root)).filter((id) => !known.has(id)));
  if (ids.size === 0) return found;
  for (const [ref, checkout] of await readBranchCheckouts(repository.git)) {
    const branch = ref.slice("refs/heads/".length);
    const id = Array.from(branch, (_, at) => branch.slice(at)).find((end) => ids.has(end)) as SpecId | undefined;
    // A checkout that exists belongs to another project folder of this repository.
    if (id === undefined || (checkout !== "" && existsSync(checkout))) continue;
    const text = (await readFileBytes(join(root, buildActivePath(id))))?.toString() ?? "";
    const spec = parseDocument(text);
    if (!spec.ok || spec.frontmatter["branch"] !== branch) continue;
    const mainBranch = await readMainBranch(repository, id).catch(() => null);
    if (mainBranch !== null) found.set(id, { branch, mainBranch });
  }
  return found;
}

async function listSpecFileIds(root: string): Promise<readonly string[]> {
  const names = await readdir(join(root, SPECS_FOLDER)).catch((error: unknown) => {
    if (isMissingError(error)) return [];
    throw error;
  });
  return names.flatMap((name) => (name.endsWith(".md") ? [name.slice(0, -".md".length)] : []));
}
