import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { FolderState, IgnoredFileRules, Worktree, WorktreeState } from "#planner/run_ports/worktree.ts";
import type { SpecStore } from "../../ports.ts";
import { replaceFile } from "../files/place_file.ts";
import { buildActivePath } from "../project/places.ts";
import { openSpecStore } from "../specs/spec_store.ts";
import { checkoutFiles, readBlobHashes, readWorktreeState } from "./folder_state.ts";
import { addRequiredFiles } from "./furnish.ts";
import { assertNoPlantedPrograms } from "./guard.ts";
import { mergeOrJoinSpec } from "./join_spec.ts";
import { readChangedFiles, readCommits, settleWorktree } from "./settle.ts";
import { type RepositorySnapshot, readSnapshot, storeSnapshot } from "./snapshot.ts";
import { takeSnapshot } from "./take_snapshot.ts";
import { addPlannerFile, readFileBytes } from "./worktree_brought.ts";
import { commitPaths, commitSpecFile, listUncommittedFiles } from "./worktree_commits.ts";
import { worktreeFiles } from "./worktree_files.ts";
import type { WorktreeFacts, WorktreeLocation } from "./worktree_place.ts";
import { readBlobText } from "./worktree_rebase.ts";

/** A worktree at a location that the caller has read once. */
export class OpenWorktree implements Worktree {
  readonly path: string;
  readonly root: string;
  readonly branch: string;
  readonly mainBranch: string;
  readonly reused: boolean;
  readonly copied: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly identity: Readonly<Record<string, string>>;
  readonly begunAnew: Worktree["begunAnew"];
  #place: WorktreeLocation;
  #baseline: RepositorySnapshot | null = null;

  constructor(place: WorktreeLocation) {
    const facts: WorktreeFacts = place.worktree;
    this.path = facts.path;
    this.root = facts.root;
    this.branch = facts.branch;
    this.mainBranch = facts.mainBranch;
    this.reused = facts.reused;
    this.copied = facts.copied;
    this.env = facts.env;
    this.identity = facts.identity;
    this.begunAnew = facts.begunAnew;
    this.#place = place;
  }

  openSpecs(): SpecStore {
    return openSpecStore(this.root);
  }

  writePlannerFile(path: string, text: string): Promise<void> {
    return addPlannerFile(this.#place, path, text);
  }

  addRequiredFiles(wanted: IgnoredFileRules): Promise<readonly string[]> {
    return addRequiredFiles(this.#place, wanted);
  }

  async takeBaseline(): Promise<void> {
    this.#baseline = await takeSnapshot(this.#place);
    await storeSnapshot(this.#place, this.#baseline);
  }

  settle(): Promise<WorktreeState> {
    // From here on the work is judged and merged as a person requested, so git may run the repository's programs.
    this.#place = { ...this.#place, git: this.#place.git.withWriteAccess() };
    return settleWorktree(this.#place, this.#baseline);
  }

  async listUncommittedFiles(): Promise<readonly string[]> {
    await assertNoPlantedPrograms(this.#place, this.#baseline ?? readSnapshot(this.#place));
    return listUncommittedFiles(this.#place);
  }

  async holds(): Promise<FolderState> {
    await assertNoPlantedPrograms(this.#place, this.#baseline ?? readSnapshot(this.#place));
    return readWorktreeState(this.#place);
  }

  async readBranchWork(): Promise<Pick<WorktreeState, "commits" | "changed">> {
    const { git, repository, worktree } = this.#place;
    const [main, own] = [`refs/heads/${worktree.mainBranch}`, `refs/heads/${worktree.branch}`];
    const commits = await readCommits(git, `${main}..${own}`);
    return { commits, changed: await readChangedFiles(git, repository.prefix, `${main}...${own}`) };
  }

  readMainSpec(): Promise<string | null> {
    const { git, repository, worktree, id } = this.#place;
    return readBlobText(git, `refs/heads/${worktree.mainBranch}:${repository.prefix}${buildActivePath(id)}`);
  }

  readBlobHashes(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return readBlobHashes(this.#place, paths);
  }

  checkoutFiles(from: string, paths: readonly string[]): Promise<void> {
    return checkoutFiles({ ...this.#place, git: this.#place.git.withWriteAccess() }, from, paths);
  }

  async buildJoinedSpec(): Promise<string> {
    const { root, id } = this.#place;
    const files = [
      join(root, buildActivePath(id)),
      join(root, worktreeFiles.base(id)),
      join(this.root, buildActivePath(id)),
    ];
    const [ours, base, theirs] = (await Promise.all(files.map(readFileBytes))).map((bytes) => bytes?.toString());
    if (theirs === undefined)
      throw new OperationError("not_found", `"${buildActivePath(id)}" is gone from "${this.path}"`);
    return ours === undefined || base === undefined ? theirs : mergeOrJoinSpec({ ours, base, theirs });
  }

  commitSpec(message: string): Promise<boolean> {
    return commitSpecFile(this.#place, message);
  }

  async commitFile(path: string, text: string, message: string): Promise<void> {
    const whole = join(this.root, path);
    const named = this.#place.repository.prefix + path;
    await mkdir(dirname(whole), { recursive: true });
    await replaceFile(whole, path, text);
    try {
      await this.#place.git.run(["add", "--", named]);
      await commitPaths(this.#place, message, [named]);
    } catch (error) {
      await this.#place.git.try(["rm", "--quiet", "--cached", "--ignore-unmatch", "--", named]);
      await rm(whole, { force: true });
      throw error;
    }
  }
}
