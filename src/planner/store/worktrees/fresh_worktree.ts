import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { Worktree } from "#planner/run_ports/worktree.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { getErrorCode } from "../files/disk_error.ts";
import { Git } from "../git/git.ts";
import { findStateFolder } from "../project/places.ts";
import { findGitFolder } from "./admin_folder.ts";
import { isInsideCheckout } from "./folder_state.ts";
import { openWorktree } from "./open_worktree.ts";
import { FRESH_WORKTREE_PREFIX, type Repository, type WorktreeLocation } from "./worktree_place.ts";

/** Values for a worktree in which no agent works. */
const NO_RUN = { identity: {}, begunAnew: null };

interface FreshWorktreeRequest {
  readonly root: string;
  readonly id: SpecId;
  /** Full hash of the commit to check out. */
  readonly commit: string;
}

/**
 * Runs `use` with a new worktree of a commit in a temporary folder, which is removed afterwards with its contents.
 *
 * @throws OperationError `failed_precondition` if no folder outside of the repository can be written
 */
export async function runInFreshWorktree<Result>(
  repository: Repository,
  { root, id, commit }: FreshWorktreeRequest,
  use: (worktree: Worktree) => Promise<Result>,
): Promise<Result> {
  const { git, prefix } = repository;
  const home = await makeOutsideFolder(repository);
  // Git names its own folder after the last path part, and with one name for all, several gits would create and
  // remove the same folder at once.
  const path = join(home, basename(home));
  try {
    await git.run(["worktree", "add", "--quiet", "--detach", path, commit]);
    const gitFolder = findGitFolder(path);
    if (gitFolder === null) throw new OperationError("aborted", `"${path}" was removed meanwhile`);
    const facts = {
      path,
      root: join(path, prefix),
      branch: "",
      mainBranch: "",
      reused: false,
      copied: [],
      env: {},
      ...NO_RUN,
    };
    const own = new Git(path, { GIT_DIR: gitFolder, GIT_WORK_TREE: path }, git.use);
    const place: WorktreeLocation = { root, id, repository, worktree: facts, gitFolder, git: own };
    return await use(openWorktree(place));
  } finally {
    const { status } = await git.try(["worktree", "remove", "--force", path]);
    await rm(home, { recursive: true, force: true });
    // git worktree prune could remove a worktree that another git is creating, so it runs only after a failure.
    if (status !== 0) await git.try(["worktree", "prune"]);
  }
}

/** Creates a folder outside of every checkout, so that no program finds the project's own files in parent folders. */
async function makeOutsideFolder(repository: Repository): Promise<string> {
  const parents = [tmpdir(), join(findStateFolder(process.env), "planner"), dirname(repository.top)];
  for (const parent of parents) {
    if (existsSync(parent) && (await isInsideCheckout(repository, join(parent, FRESH_WORKTREE_PREFIX)))) continue;
    try {
      await mkdir(parent, { recursive: true, mode: 0o700 });
      return await realpath(await mkdtemp(join(parent, `${FRESH_WORKTREE_PREFIX}${process.pid}-`)));
    } catch (error) {
      if (getErrorCode(error) === undefined) throw error;
    }
  }
  throw new OperationError(
    "failed_precondition",
    `Cannot judge a commit: expected a folder outside of the repository that can be written, one of ${parents.map((path) => `"${path}"`).join(", ")}: set TMPDIR to one`,
  );
}
