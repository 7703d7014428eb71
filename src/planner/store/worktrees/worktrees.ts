import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import { OperationError } from "#kernel/errors.ts";
import type { BranchHead, CommitFacts, KeptRunRecord, LatestRunRef } from "../../run_ports/kept_records.ts";
import type {
  CommittedSpec,
  CommittedState,
  FolderState,
  SpecChanges,
  Worktree,
  WorktreeState,
} from "../../run_ports/worktree.ts";
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
} from "../../run_ports/worktrees.ts";
import { parseDocument } from "../../spec/document.ts";
import { parseSpecId, type SpecId } from "../../spec/spec_id.ts";
import { PLAIN_COMMIT_WRITER } from "../../work/commit_message.ts";
import { isMissingError } from "../files/disk_error.ts";
import { removeFileInOpenFolder } from "../files/open_folder.ts";
import { removeLeftoverFiles, replaceFile } from "../files/place_file.ts";
import { Git } from "../git/git.ts";
import { runWithMergeLock, runWithProjectLock } from "../locks/project_lock.ts";
import { ARCHIVE_FOLDER, buildActivePath, SPECS_FOLDER, WORKTREES_FOLDER } from "../project/places.ts";
import { deleteRequestNote } from "../requests/requests.ts";
import { listMirrorRemotes } from "./admin_folder.ts";
import { isKeptCommit, keepBranch, keepLostCommits } from "./keep_commits.ts";
import { openWorktree, readBlobHashes, readProjectState, runInFreshWorktree } from "./open_worktree.ts";
import { readBranchCheckouts, runMainBranchQuery } from "./outside_words.ts";
import { nameBranch } from "./ref_names.ts";
import { keepRunRecord, listLatestRuns, readRunRecord, readRunRecords, recordMergedCommits } from "./run_commits.ts";
import { forecastConflicts } from "./search_merge.ts";
import { readChangedFiles, readCommits, settleWorktree } from "./settle.ts";
import { readFileBytes, removeBroughtFiles, removePlannerFiles } from "./worktree_brought.ts";
import {
  assertBranchMerged,
  assertNoForeignPrograms,
  assertNoUncommittedFiles,
  branchExists,
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
import { mergeWorktree } from "./worktree_merge.ts";
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
} from "./worktree_prepare.ts";
import { readBlobText, requireCommitReadiness } from "./worktree_rebase.ts";

/** Opens the worktrees of the project in `root`, an absolute path. */
export function openWorktrees(root: string, clock: Clock): Worktrees {
  return new GitWorktrees(root, clock);
}

class GitWorktrees implements Worktrees {
  readonly #root: string;
  readonly #clock: Clock;
  #repository: Promise<Repository> | undefined;
  #writingRepository: Promise<Repository> | undefined;

  constructor(root: string, clock: Clock) {
    this.#root = root;
    this.#clock = clock;
  }

  async requireCreatable(options: WorktreeOptions, message: string | null): Promise<void> {
    const repository = await this.#openForWriting();
    await assertNoForeignPrograms(repository, this.#root);
    const mainBranch = await requireMainBranch(repository, options, await readBranchCheckouts(repository.git));
    await requireUsableBase(repository, mainBranch, options.base ?? null);
    requireWritableFolder(buildWorktreesFolder(this.#root, options.directory ?? null));
    if (message !== null) await requireCommitReadiness(repository, message);
  }

  async prepareWorktree(id: SpecId, options: WorktreeOptions): Promise<Worktree> {
    const repository = await this.#openForWriting();
    const refs = await readBranchCheckouts(repository.git);
    const making = { repository, root: this.#root, id, refs, directory: options.directory };
    return openWorktree(await prepareWorktree(making, options));
  }

  nameBranch(id: SpecId, prefix: string): Promise<string> {
    return this.#query(
      ({ git }) => nameBranch(this.#root, { id, prefix }, () => readBranchCheckouts(git)),
      prefix + id,
    );
  }

  listKnownIds(): Promise<readonly SpecId[]> {
    return listWorktreeIds(this.#root);
  }

  async listIds(): Promise<readonly SpecId[]> {
    return [...(await this.listKnownIds()), ...(await this.#findLeftoverBranches()).keys()].sort();
  }

  async findBranch(id: SpecId): Promise<string | null> {
    return (await this.#findBranches(id))?.branch ?? null;
  }

  async findWorktree(id: SpecId): Promise<Worktree | null> {
    const place = await this.#findWorktree(id);
    return place === null ? null : openWorktree(place);
  }

  async listGitProgramChanges(): Promise<readonly GitProgramChange[]> {
    // Without a repository, no run can have changed programs of git.
    return this.#query((repository) => listGitProgramChanges(repository, this.#root), []);
  }

  async guardProject(id: SpecId): Promise<ProjectGuard | null> {
    return this.#query((repository) => guardProject(repository, this.#root, id), null);
  }

  async listMirrorRemotes(): Promise<readonly string[]> {
    return this.#query(async ({ settings }) => listMirrorRemotes(await settings()), []);
  }

  writeProjectFile(id: SpecId, path: string, text: string): Promise<void> {
    return replaceProjectFile(this.#root, id, path, text);
  }

  async restoreReplacedFiles(id: SpecId): Promise<readonly string[]> {
    const changed = await restoreReplacedFile(this.#root, id);
    const place = await this.#findWorktree(id);
    const there = place === null ? [] : await removePlannerFiles(place);
    return changed === null ? there : [...there, changed];
  }

  async listCommits(id: SpecId): Promise<readonly string[]> {
    const [git, branches] = [new Git(this.#root), await this.#findBranches(id)];
    return branches === null ? [] : runMainBranchQuery(git, branches, id, () => listCommitsAhead(git, branches));
  }

  async isMerged(id: SpecId): Promise<boolean> {
    const [git, branches] = [new Git(this.#root), await this.#findBranches(id)];
    return branches === null || runMainBranchQuery(git, branches, id, () => isBranchMerged(git, branches));
  }

  async mergeBranch(id: SpecId, wishes: Partial<BranchMergeOptions> = {}): Promise<BranchMergeResult> {
    const { message = PLAIN_COMMIT_WRITER, admit = async () => [] } = wishes;
    const { commonFolder } = await this.#openForWriting();
    // The lock is needed because the main checkout has changes during another merge.
    return runWithMergeLock(this.#root, commonFolder, () => this.#mergeSpec(id, { message, admit }));
  }

  async removeWorktree(id: SpecId, { unmerged = "refuse" }: WorktreeRemovalOptions = {}): Promise<readonly string[]> {
    await this.#openForWriting();
    const branches = await this.#findBranches(id);
    const place = await this.#findWorktree(id);
    if (place !== null) {
      const { problems } = await settleWorktree(place, null);
      if (problems.length > 0) throw new OperationError("failed_precondition", problems.join("; "));
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

  async readHead(): Promise<ProjectHead | null> {
    return this.#query(async ({ git, gitFolder }) => {
      const hash = await git.tryReadHead("%H");
      return hash === null ? null : { hash, branch: readHeadBranch(gitFolder) };
    }, null);
  }

  async readProjectState(): Promise<FolderState | null> {
    return this.#query(readProjectState, null);
  }

  async readBlobHashes(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const repository = await this.#openRepository();
    return readBlobHashes({ git: repository.git, repository }, paths);
  }

  async readWorkSince(base: string): Promise<Pick<WorktreeState, "commits" | "changed">> {
    const { git, prefix } = await this.#openRepository();
    const commits = await readCommits(git, `${base}..HEAD`);
    return { commits, changed: await readChangedFiles(git, prefix, `${base}...HEAD`) };
  }

  async readSpecChanges(since: string): Promise<SpecChanges> {
    return readSpecChanges(await this.#openRepository(), since);
  }

  async storeRecord(id: SpecId, branch: string | null, write: (head: BranchHead) => object): Promise<number | null> {
    return keepRunRecord((await this.#openRepository()).git, { id, branch }, write);
  }

  async predictConflicts(): Promise<readonly PredictedConflict[]> {
    const branches = this.#listBranches(await this.listKnownIds());
    if (branches.length < 2) return [];
    await this.#openRepository();
    return forecastConflicts(new Git(this.#root), branches);
  }

  async listLatestRuns(): Promise<readonly LatestRunRef[]> {
    const branches = this.#listBranches(await this.listKnownIds());
    const named = new Map(branches.map(({ id, branch }) => [id, branch]));
    return this.#query(({ git }) => listLatestRuns(git, named), []);
  }

  async readRecords(runs: readonly LatestRunRef[]): Promise<ReadonlyMap<SpecId, KeptRunRecord>> {
    return readRunRecords((await this.#openRepository()).git, runs);
  }

  #listBranches(ids: readonly SpecId[]): readonly { readonly id: SpecId; readonly branch: string }[] {
    return ids.flatMap((id) => {
      const branch = readWorktreeOrigin(this.#root, id)?.branch;
      return branch === undefined ? [] : [{ id, branch }];
    });
  }

  async readRecord(id: SpecId, run: number | null): Promise<KeptRunRecord | null> {
    return readRunRecord((await this.#openRepository()).git, id, run);
  }

  async readCommitFacts(id: SpecId, kept: KeptRunRecord): Promise<CommitFacts> {
    return readCommitFacts(await this.#openRepository(), id, kept);
  }

  async runInFreshWorktree<Result>(
    id: SpecId,
    commit: string,
    use: (worktree: Worktree) => Promise<Result>,
  ): Promise<Result> {
    const repository = await this.#openForWriting();
    await assertNoForeignPrograms(repository, this.#root);
    return runInFreshWorktree(repository, { root: this.#root, id, commit }, use);
  }

  async recordMergedCommits(id: SpecId, commits: readonly string[]): Promise<void> {
    await recordMergedCommits((await this.#openRepository()).git, id, { commits, at: this.#clock.now().toISOString() });
  }

  async #mergeSpec(id: SpecId, wishes: BranchMergeOptions): Promise<BranchMergeResult> {
    const found = await this.#findWorktree(id);
    if (found !== null) return mergeWorktree(found, wishes);
    const branches = await this.#findBranches(id);
    if (branches === null || (await this.listCommits(id)).length === 0) return { kind: "nothing" };
    // The folder was deleted, but the commits are in the repository.
    const repository = await this.#openRepository();
    const refs = await readBranchCheckouts(repository.git);
    await addWorktree({ repository, root: this.#root, id, refs }, branches);
    const added = await this.#findWorktree(id);
    if (added === null) throw new OperationError("not_found", `Spec "${id}" has no worktree`);
    return mergeWorktree(added, wishes);
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

const CONFIG_FILE = ".planner/config.md";

/** Reads the spec changes between `since` and the checked-out commit. */
async function readSpecChanges({ git, prefix }: Repository, since: string): Promise<SpecChanges> {
  const [base, head] = [await resolveCommit(git, since), await resolveCommit(git, "HEAD")];
  const listed = await git.readEntries(["diff-tree", "-r", "--name-only", "--no-renames", "-z", base, head]);
  const files = listed
    .filter((path) => path.startsWith(prefix) && path.endsWith(".md"))
    .map((path) => path.slice(prefix.length))
    .filter((path) => path.startsWith(`${SPECS_FOLDER}/`) || path.startsWith(`${ARCHIVE_FOLDER}/`));
  // A shallow clone may lack the common ancestor; then every differing file counts as changed.
  const hasMergeBase = (await git.tryReadOutput(["merge-base", base, head])) !== null;
  return {
    before: await readCommittedState(git, { commit: base, prefix, files }),
    after: await readCommittedState(git, { commit: head, prefix, files }),
    changed: await readChangedFiles(git, prefix, `${base}${hasMergeBase ? "..." : ".."}${head}`),
  };
}

async function resolveCommit(git: Git, name: string): Promise<string> {
  const asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const hash = await (name === "HEAD" ? git.tryReadHead("%H") : git.tryReadOutput(asked));
  if (hash !== null) return hash;
  throw new OperationError("invalid_argument", `"${name}" is no commit of this repository`);
}

interface CommitFiles {
  readonly commit: string;
  readonly prefix: string;
  readonly files: readonly string[];
}

async function readCommittedState(git: Git, { commit, prefix, files }: CommitFiles): Promise<CommittedState> {
  const read = (file: string): Promise<string | null> => readBlobText(git, `${commit}:${prefix}${file}`);
  const texts = await Promise.all(files.map(read));
  const specs = files.flatMap((file, index): readonly (readonly [SpecId, CommittedSpec])[] => {
    const text = texts[index] ?? null;
    const id = parseSpecId(file.slice(file.lastIndexOf("/") + 1, -".md".length));
    return text === null || id === undefined ? [] : [[id, { file, text }]];
  });
  return { commit, specs: new Map(specs), config: (await read(CONFIG_FILE)) ?? "" };
}
