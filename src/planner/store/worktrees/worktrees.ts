import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import { OperationError } from "#kernel/errors.ts";
import type { SpecStore } from "../../ports.ts";
import type { MergeAnswer, NewWorktreeStatus, Worktree, WorktreeOptions, Worktrees } from "../../run_ports.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { replaceFile } from "../files/place_file.ts";
import { removeLeftovers } from "../files/temporary_file.ts";
import { Git } from "../git/git.ts";
import { withMergeLock, withProjectLock } from "../locks/project_lock.ts";
import { WORKTREES } from "../project/places.ts";
import { placeInProject, restoreProject } from "../project/project_placed.ts";
import { openSpecStore } from "../specs/spec_store.ts";
import { displaceFiles, type Place, placeFile, takeAway } from "./worktree_brought.ts";
import {
  type Branches,
  commitSpecFile,
  commitsAhead,
  exists,
  isBranchMerged,
  noWorktree,
  refuseChanges,
  uncommittedFiles,
  unsavedFiles,
} from "./worktree_commits.ts";
import { mergeWorktree } from "./worktree_merge.ts";
import { openWorktree, readOrigin, requireRepository, worktreeFiles, worktreeIds } from "./worktree_place.ts";
import { addWorktree, prepareWorktree, requireMainBranch } from "./worktree_prepare.ts";
import { endRebase } from "./worktree_rebase.ts";

/** Opens the worktrees of the project in `root`, an absolute path. */
export function openWorktrees(root: string, clock: Clock): Worktrees {
  return new GitWorktrees(root, clock);
}

class GitWorktrees implements Worktrees {
  readonly #root: string;
  readonly #clock: Clock;

  constructor(root: string, clock: Clock) {
    this.#root = root;
    this.#clock = clock;
  }

  async check(options: WorktreeOptions): Promise<void> {
    await requireMainBranch(this.#root, options);
  }

  prepare(id: SpecId, options: WorktreeOptions): Promise<Worktree> {
    return prepareWorktree(this.#root, id, options);
  }

  ids(): Promise<readonly SpecId[]> {
    return worktreeIds(this.#root);
  }

  async branch(id: SpecId): Promise<string | null> {
    return (await this.#branches(id))?.branch ?? null;
  }

  async find(id: SpecId): Promise<Worktree | null> {
    if (!existsSync(join(this.#root, worktreeFiles.folder(id)))) return null;
    return openWorktree(await requireRepository(this.#root), this.#root, id);
  }

  specs(worktree: Worktree): SpecStore {
    return openSpecStore(worktree.root, { follow: false });
  }

  async place(id: SpecId, path: string, text: string): Promise<void> {
    await placeFile(await this.#require(id), path, text);
  }

  placeInProject(id: SpecId, path: string, text: string): Promise<void> {
    return placeInProject(this.#root, id, path, text);
  }

  async displace(id: SpecId): Promise<readonly string[]> {
    const changed = await restoreProject(this.#root, id);
    const place = await this.#find(id);
    const there = place === null ? [] : await displaceFiles(place);
    return changed === null ? there : [...there, changed];
  }

  async commitSpec(id: SpecId, message: string): Promise<boolean> {
    return commitSpecFile(await this.#require(id), message);
  }

  async commits(id: SpecId): Promise<readonly string[]> {
    const branches = await this.#branches(id);
    return branches === null ? [] : commitsAhead(new Git(this.#root), branches);
  }

  async uncommitted(id: SpecId): Promise<readonly string[]> {
    const place = await this.#find(id);
    return place === null ? [] : uncommittedFiles(place);
  }

  async isMerged(id: SpecId): Promise<boolean> {
    const branches = await this.#branches(id);
    return branches === null || (await isBranchMerged(new Git(this.#root), branches));
  }

  merge(id: SpecId): Promise<MergeAnswer> {
    // Amid another merge the main checkout looks as if somebody had changed it.
    return withMergeLock(this.#root, () => this.#merge(id));
  }

  async remove(id: SpecId): Promise<void> {
    const branches = await this.#branches(id);
    const place = await this.#find(id);
    const folder = worktreeFiles.folder(id);
    if (place !== null) {
      await endRebase(place);
      refuseChanges(`Worktree "${folder}"`, await unsavedFiles(place));
    }
    if (branches !== null) await this.#refuseUnmerged(branches);
    if (place !== null) {
      await takeAway(place);
      await place.repository.git.run(["worktree", "remove", place.worktree.path]);
    }
    if (branches !== null) await this.#removeBranch(id, branches);
    const { status, origin, base, exclude } = worktreeFiles;
    for (const file of [status, base, exclude, origin]) await rm(join(this.#root, file(id)), { force: true });
  }

  writeStatus({ spec_id, status, error, commits }: NewWorktreeStatus): Promise<void> {
    const file = worktreeFiles.status(spec_id);
    const path = join(this.#root, worktreeFiles.folder(spec_id));
    const updated_at = this.#clock.now().toISOString();
    const text = `${JSON.stringify({ spec_id, path, status, updated_at, error, commits }, null, 2)}\n`;
    return withProjectLock(this.#root, async () => {
      await removeLeftovers(join(this.#root, WORKTREES));
      await replaceFile(join(this.#root, file), file, text);
    });
  }

  async #merge(id: SpecId): Promise<MergeAnswer> {
    const place = await this.#find(id);
    if (place !== null) return mergeWorktree(place);
    const branches = await this.#branches(id);
    if (branches === null || (await this.isMerged(id))) return { kind: "nothing" };
    // The folder was deleted; the commits are in the repository.
    await addWorktree({ git: new Git(this.#root), root: this.#root, id }, branches);
    return mergeWorktree(await this.#require(id));
  }

  async #find(id: SpecId): Promise<Place | null> {
    if (!existsSync(join(this.#root, worktreeFiles.folder(id)))) return null;
    const repository = await requireRepository(this.#root);
    const worktree = await openWorktree(repository, this.#root, id);
    return worktree === null ? null : { root: this.#root, id, repository, worktree };
  }

  async #require(id: SpecId): Promise<Place> {
    const place = await this.#find(id);
    if (place === null) throw noWorktree(id);
    return place;
  }

  /** Null when nothing is known of a branch. */
  async #branches(id: SpecId): Promise<Branches | null> {
    return (await this.#find(id))?.worktree ?? readOrigin(this.#root, id);
  }

  async #refuseUnmerged(branches: Branches): Promise<void> {
    const git = new Git(this.#root);
    if (await isBranchMerged(git, branches)) return;
    const { length } = await commitsAhead(git, branches);
    throw new OperationError(
      "failed_precondition",
      `Branch "${branches.branch}" has ${length} commit${length === 1 ? "" : "s"} that "${branches.mainBranch}" lacks`,
    );
  }

  async #removeBranch(id: SpecId, branches: Branches): Promise<void> {
    const git = new Git(this.#root);
    if (!(await exists(git, branches.branch))) return;
    const end = await git.line(["rev-parse", "--verify", `refs/heads/${branches.branch}`]);
    // The folder may be gone without git's knowledge, which then would keep the branch as checked out.
    await git.try(["worktree", "remove", join(this.#root, worktreeFiles.folder(id))]);
    await this.#refuseUnmerged(branches);
    await git.run(["update-ref", "-d", `refs/heads/${branches.branch}`, end]);
  }
}
