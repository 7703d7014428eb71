import { basename, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { parseTemporaryPid } from "../files/temporary_file.ts";
import { formatGitError, type Git } from "../git/git.ts";
import { buildActivePath } from "../project/places.ts";
import { readGitFile } from "./admin_folder.ts";
import { listSubmoduleChanges } from "./submodules.ts";
import { isSpecUnchanged, listChangedBroughtFiles, readFileBytes } from "./worktree_brought.ts";
import { worktreeFiles } from "./worktree_files.ts";
import {
  findMissingHooksFolder,
  readWorktreeOrigin,
  type WorktreeLocation,
  writeWorktreeOrigin,
} from "./worktree_place.ts";

export interface SpecBranches {
  readonly branch: string;
  readonly mainBranch: string;
}

/** Returns full hashes of the branch's commits that the main branch lacks, oldest first; empty for a deleted branch. */
export async function listCommitsAhead(git: Git, { branch, mainBranch }: SpecBranches): Promise<readonly string[]> {
  if (!(await branchExists(git, branch))) return [];
  const range = `refs/heads/${mainBranch}..refs/heads/${branch}`;
  const listed = await git.run(["rev-list", "--reverse", "--topo-order", range, "--"]);
  return listed.split("\n").filter((line) => line !== "");
}

/** Returns whether the main branch has all changes of the branch, as commits or copies; true for a deleted branch. */
export async function isBranchMerged(git: Git, branches: SpecBranches): Promise<boolean> {
  try {
    return !(await hasOwnChange(git, `refs/heads/${branches.branch}`, branches.mainBranch));
  } catch (error) {
    if (await branchExists(git, branches.branch)) throw error;
    return true;
  }
}

/**
 * Returns whether a commit, or one of its ancestors, has a change that the main branch lacks. A merge always counts,
 * because it can contain further changes and git cannot compare merges.
 */
export async function hasOwnChange(git: Git, commit: string, mainBranch: string): Promise<boolean> {
  const range = `refs/heads/${mainBranch}...${commit}`;
  return (await git.line(["rev-list", "--right-only", "--cherry-pick", "--max-count=1", range, "--"])) !== "";
}

export async function branchExists(git: Git, branch: string): Promise<boolean> {
  return (await git.tryReadOutput(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`])) !== null;
}

/** Returns uncommitted files that would be lost with the worktree, as paths from its top. */
export async function listUncommittedFiles(place: WorktreeLocation): Promise<readonly string[]> {
  const { id, repository, worktree, git } = place;
  // Settings of a submodule could name programs, so submodules are examined separately.
  const options = ["--no-renames", "--untracked-files=all", "--ignore-submodules=dirty"];
  const listing = ["status", "--porcelain", "-z", ...options];
  const listed = (await git.readEntries(listing, { env: worktree.env })).map((entry) => entry.slice(3));
  const changed = [...listed, ...(await listHiddenFiles(place)), ...(await listSubmoduleChanges(place))]
    // An incomplete temporary file of a killed writer is not work.
    .filter((path) => parseTemporaryPid(basename(path)) === null);
  const spec = repository.prefix + buildActivePath(id);
  const asBrought = changed.includes(spec) && (await isSpecUnchanged(place));
  const origin = readWorktreeOrigin(place.root, id);
  const moving = new Set(origin?.moving === true ? origin.brought.map(({ path }) => repository.prefix + path) : []);
  const brought = (await listChangedBroughtFiles(place)).map((path) => repository.prefix + path);
  const files = new Set([...changed.filter((path) => !(asBrought && path === spec)), ...brought]);
  return [...files].filter((path) => !moving.has(path)).sort();
}

/** Stores patterns that a run has added to the repository's ignore list. */
export async function storeHidingPatterns(
  { root, id, worktree }: WorktreeLocation,
  patterns: readonly string[],
): Promise<void> {
  const { branch, mainBranch } = worktree;
  const origin = readWorktreeOrigin(root, id) ?? { branch, mainBranch, brought: [] };
  await writeWorktreeOrigin(root, id, { ...origin, hiding: [...new Set([...(origin.hiding ?? []), ...patterns])] });
}

/** Returns files that git ignores only by patterns that a run has added, because these hide work. */
async function listHiddenFiles({ root, id, git, repository }: WorktreeLocation): Promise<readonly string[]> {
  const hiding = new Set(readWorktreeOrigin(root, id)?.hiding ?? []);
  if (hiding.size === 0) return [];
  const kept = splitPatternLines(readGitFile(repository.commonFolder, "info/exclude") ?? "").filter(
    (line) => !hiding.has(line),
  );
  const rules = ["--exclude-per-directory=.gitignore", `--exclude-from=${join(root, worktreeFiles.exclude(id))}`];
  return git.readEntries(["ls-files", "--others", "-z", ...rules, ...kept.map((line) => `--exclude=${line}`)]);
}

function splitPatternLines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
}

/** Returns uncommitted files, and the spec if git ignores it and its changes were not brought back into the project. */
export async function listUnsavedFiles(place: WorktreeLocation): Promise<readonly string[]> {
  const { id, repository, worktree } = place;
  const files = await listUncommittedFiles(place);
  const path = repository.prefix + buildActivePath(id);
  const ignored = await isIgnoredPath(place.git, path);
  const changed =
    (await readFileBytes(join(worktree.root, buildActivePath(id)))) !== null && !(await isSpecUnchanged(place));
  return ignored && changed ? [...files, path] : files;
}

async function isIgnoredPath(git: Git, path: string): Promise<boolean> {
  return (
    (await git.readEntries(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", path])).length > 0
  );
}

/** Commits only the spec's file. Returns false when it has no change. */
export async function commitSpecFile(place: WorktreeLocation, message: string): Promise<boolean> {
  const { id, repository, git } = place;
  const path = repository.prefix + buildActivePath(id);
  const states = await git.readEntries(["status", "--porcelain", "-z", "--", path]);
  if (states.length === 0) return false;
  if (states.some((state) => state.startsWith("??"))) await git.run(["add", "--", path]);
  await commitPaths(place, message, [path]);
  return true;
}

/** Maximum characters of a rejecting hook's output in an error. Chosen by planner: its end contains the reason. */
const MAX_REFUSAL_CHARS = 2000;

/**
 * Commits these tracked paths and no others, with the repository's hooks. Repeats the commit once if a hook rejected it
 * because it reformatted the files (end of file, trailing blanks).
 *
 * @throws OperationError `failed_precondition` with the hook's message and what to do
 */
export async function commitPaths(place: WorktreeLocation, message: string, paths: readonly string[]): Promise<void> {
  const { id, git, worktree } = place;
  const hooks = await findMissingHooksFolder(place);
  const setting = hooks === null ? [] : ["-c", `core.hooksPath=${hooks}`];
  const tryCommit = async (): Promise<string | null> => {
    const args = [...setting, "commit", "--quiet", "--only", "-m", message, "--", ...paths];
    const { status, stderr } = await git.try(args, { hooks: true });
    return status === 0 ? null : formatGitError(stderr) || `status ${status}`;
  };
  const readTexts = async () =>
    String(await Promise.all(paths.map((path) => readFileBytes(join(worktree.path, path)))));
  const before = await readTexts();
  let words = await tryCommit();
  if (words !== null && (await readTexts()) !== before) words = await tryCommit();
  if (words === null) return;
  const said = words.length > MAX_REFUSAL_CHARS ? `…${words.slice(-MAX_REFUSAL_CHARS).toWellFormed()}` : words;
  throw new OperationError(
    "failed_precondition",
    `the commit "${message.split("\n", 1)[0]}" was refused: ${said}: make it pass in "${worktree.path}", then run "planner merge ${id}"`,
  );
}

/** @throws OperationError `failed_precondition` that names the first files, unless the list is empty. */
export function assertNoUncommittedFiles(what: string, files: readonly string[]): void {
  if (files.length === 0) return;
  const named = files.slice(0, 5).map((file) => `"${file}"`);
  const more = files.length > named.length ? ` and ${files.length - named.length} more` : "";
  throw new OperationError("failed_precondition", `${what} has uncommitted changes: ${named.join(", ")}${more}`);
}

/** @throws OperationError `failed_precondition` if the main branch lacks a change of the branch. */
export async function assertBranchMerged(git: Git, branches: SpecBranches): Promise<void> {
  if (await isBranchMerged(git, branches)) return;
  const { length } = await listCommitsAhead(git, branches);
  throw new OperationError(
    "failed_precondition",
    `Branch "${branches.branch}" has ${formatCountWithNoun(length, "commit")} that "${branches.mainBranch}" lacks`,
  );
}
