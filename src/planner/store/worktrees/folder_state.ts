import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { FolderState } from "#planner/run_ports/worktree.ts";
import { parseTemporaryPid } from "../files/temporary_file.ts";
import type { Git } from "../git/git.ts";
import { isInsideFolder } from "../project/project_bounds.ts";
import { resolveStoredPath } from "./admin_folder.ts";
import { readChangedFiles } from "./settle.ts";
import { listCheckouts } from "./take_snapshot.ts";
import { listUncommittedFiles } from "./worktree_commits.ts";
import type { Repository, WorktreeLocation } from "./worktree_place.ts";

/** Reads the commit of a run's worktree and its uncommitted files. */
export async function readWorktreeState(place: WorktreeLocation): Promise<FolderState> {
  const { git, repository, worktree } = place;
  const main = `refs/heads/${worktree.mainBranch}`;
  return {
    ...(await readHeadCommit(git)),
    uncommitted: await listUncommittedFiles(place),
    ignored: await listIgnoredFiles(git, repository.prefix, worktree.env),
    changed: await readChangedFiles(git, repository.prefix, `${main}...HEAD`),
    behind: (await git.try(["merge-base", "--is-ancestor", main, "HEAD"])).status === 1,
    nested: await isInsideCheckout(repository, worktree.path),
  };
}

/** Reads the state of the person's own folder, whose branch is not compared with another. */
export async function readProjectState(repository: Repository): Promise<FolderState> {
  const { git, prefix, top } = repository;
  const listed = await git.readEntries(["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"]);
  return {
    ...(await readHeadCommit(git)),
    uncommitted: listed.map((entry) => entry.slice(3)),
    ignored: await listIgnoredFiles(git, prefix, {}),
    changed: [],
    behind: false,
    nested: await isInsideCheckout(repository, top),
  };
}

/** Returns git's hashes of files in the checked-out commit, by path; omits files that the commit lacks. */
export async function readBlobHashes(
  { git, repository }: Pick<WorktreeLocation, "git" | "repository">,
  paths: readonly string[],
) {
  const found = new Map<string, string>();
  if (paths.length === 0) return found;
  const named = paths.map((path) => repository.prefix + path);
  const listed = await git.readEntries(["ls-tree", "-z", "--full-tree", "HEAD", "--", ...named]);
  for (const entry of listed) {
    const [facts = "", path = ""] = entry.split("\t");
    found.set(path.slice(repository.prefix.length), facts.split(" ")[2] ?? "");
  }
  return found;
}

/** Replaces checked-out files by those of another commit. A file that the other commit lacks stays unchanged. */
export async function checkoutFiles(
  { git, repository }: WorktreeLocation,
  from: string,
  paths: readonly string[],
): Promise<void> {
  const named = paths.map((path) => repository.prefix + path);
  const there = await git.readEntries(["ls-tree", "-z", "--name-only", "--full-tree", from, "--", ...named]);
  if (there.length > 0) await git.run(["checkout", "--quiet", from, "--", ...there]);
}

/** Returns whether a folder is inside another checkout of the repository. The folder of a bare repository does not count. */
export async function isInsideCheckout(repository: Repository, path: string): Promise<boolean> {
  const { commonFolder } = repository;
  const own = resolveStoredPath(path);
  // A bare repository has no index.
  const isBare = !existsSync(join(commonFolder, "index"));
  return [...(await listCheckouts(repository)).keys()]
    .filter((top) => existsSync(join(top, ".git")) && !(isBare && top === dirname(commonFolder)))
    .map(resolveStoredPath)
    .some((top) => top !== own && isInsideFolder(top, own));
}

async function readHeadCommit(git: Git): Promise<Pick<FolderState, "commit" | "tree">> {
  const answer = await git.tryReadHead("%H%n%T");
  const [commit = null, tree = null] = answer?.split("\n") ?? [];
  return { commit, tree };
}

/** Lists ignored files and folders except planner's own, on which no check depends. */
async function listIgnoredFiles(
  git: Git,
  prefix: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const asked = ["ls-files", "--full-name", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
  const paths = await git.readEntries(asked, { env });
  return paths.filter((path) => !path.startsWith(`${prefix}.planner/`) && parseTemporaryPid(basename(path)) === null);
}
