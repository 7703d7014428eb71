import { existsSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { Worktree, WorktreeOptions } from "../../run_ports.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { Git } from "../git/git.ts";
import { WORKTREES } from "../project/places.ts";
import { bringFiles, ignoreWorktrees, type Place, takeAway } from "./worktree_brought.ts";
import {
  currentBranch,
  listWorktrees,
  openWorktree,
  requireRepository,
  worktreeFiles,
  writeOrigin,
} from "./worktree_place.ts";
import { endRebase } from "./worktree_rebase.ts";

/** What a worktree is made in and from. @throws OperationError `failed_precondition` where none can be made */
export async function requireMainBranch(root: string, options: WorktreeOptions) {
  const repository = await requireRepository(root);
  const { git } = repository;
  if ((await git.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])) === null) {
    throw new OperationError(
      "failed_precondition",
      "The repository has no commit yet: commit first, or work with --no-worktree",
    );
  }
  const mainBranch = options.mainBranch ?? (await currentBranch(git));
  await requireBranch(git, mainBranch);
  return { repository, mainBranch };
}

/** Makes the worktree of a spec, or takes the one that is there, and brings uncommitted planner files into it. */
export async function prepareWorktree(root: string, id: SpecId, options: WorktreeOptions): Promise<Worktree> {
  const { repository, mainBranch } = await requireMainBranch(root, options);
  const { git } = repository;
  const branch = await branchName(git, `${options.branchPrefix}${id}`);
  await ignoreWorktrees(root);
  await dropUnfinished(git, join(root, worktreeFiles.folder(id)));
  const found = await openWorktree(repository, root, id);
  if (found === null) {
    await writeOrigin(root, id, { branch, mainBranch, brought: [] });
    await addWorktree({ git, root, id }, { branch, mainBranch });
  }
  const opened = found ?? (await openWorktree(repository, root, id));
  if (opened === null) throw new OperationError("aborted", `"${worktreeFiles.folder(id)}" was removed meanwhile`);
  const worktree = { ...opened, mainBranch };
  const place: Place = { root, id, repository, worktree };
  if (found !== null) {
    await endRebase(place);
    await takeAway(place);
  }
  const reused = await catchUp(worktree);
  const brought = await bringFiles(place);
  return { ...worktree, reused, copied: brought.map(({ path }) => path) };
}

async function requireBranch(git: Git, name: string): Promise<void> {
  if ((await git.ask(["rev-parse", "--verify", "--quiet", `refs/heads/${name}^{commit}`])) !== null) return;
  throw new OperationError("failed_precondition", `Cannot find the main branch "${name}": expected a local branch`);
}

async function branchName(git: Git, name: string): Promise<string> {
  if ((await git.ask(["check-ref-format", "--branch", name])) === name) return name;
  throw new OperationError("failed_precondition", `Cannot use "${name}" as a branch: git does not allow that name`);
}

/** Nobody can have worked in a worktree that git had not finished making. */
async function dropUnfinished(git: Git, path: string): Promise<void> {
  const listed = await listedAt(git, path);
  if (listed?.unfinished !== true) return;
  await git.try(["worktree", "unlock", path]);
  await git.try(["worktree", "remove", "--force", path]);
  await rm(path, { recursive: true, force: true });
}

async function listedAt(git: Git, path: string) {
  // git tells real paths.
  const real = existsSync(dirname(path))
    ? join(realpathSync(dirname(path)), path.slice(dirname(path).length + 1))
    : path;
  return (await listWorktrees(git)).find((one) => one.path === real);
}

/** A branch that is there keeps its commits and is checked out. */
export async function addWorktree(
  { git, root, id }: { readonly git: Git; readonly root: string; readonly id: SpecId },
  { branch, mainBranch }: { readonly branch: string; readonly mainBranch: string },
): Promise<void> {
  const path = join(root, WORKTREES, id);
  const listed = await listWorktrees(git);
  const registered = await listedAt(git, path);
  const other = listed.find((one) => one.branch === branch && one.path !== registered?.path);
  if (other !== undefined) {
    throw new OperationError("failed_precondition", `Branch "${branch}" is checked out in "${other.path}"`);
  }
  const exists = (await git.ask(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`])) !== null;
  // A folder that was deleted without git's knowledge is still registered.
  const force = registered === undefined ? [] : ["--force"];
  // By itself, so that each of the two can be tried again where another git was in the way.
  if (!exists) await git.run(["branch", "--no-track", branch, `refs/heads/${mainBranch}`]);
  await git.run(["worktree", "add", "--quiet", ...force, path, branch]);
}

/** Moves a branch without work of its own up to the main branch; true when it holds work. */
async function catchUp({ path, mainBranch }: Worktree): Promise<boolean> {
  const git = new Git(path);
  const main = `refs/heads/${mainBranch}`;
  const changed = (await git.run(["status", "--porcelain", "-z"])) !== "";
  if ((await git.try(["merge-base", "--is-ancestor", "HEAD", main])).status !== 0) return true;
  if (!changed) await git.run(["merge", "--quiet", "--ff-only", main]);
  return changed;
}
