import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { removeFileInOpenFolder } from "#planner/store/files/open_folder.ts";
import { worktreeFiles } from "#planner/store/worktrees/worktree_files.ts";
import type { BranchCommit } from "#planner/work/records/read_record.ts";
import { quoteShellWord } from "#words/quoting.ts";
import type { Git } from "../git/git.ts";
import {
  findUnfinishedOperation,
  readGitFile,
  readGitHead,
  readReflog,
  type UnfinishedOperation,
} from "./admin_folder.ts";
import { findOutsideChanges, keepDroppedObjects, keepObjects } from "./keep_commits.ts";
import {
  buildFolderOption,
  describeOutsideChanges,
  explainMissingMainBranch,
  findAddedLines,
  formatRefName,
  isAncestor,
} from "./outside_words.ts";
import {
  listCheckouts,
  type RepositorySnapshot,
  readRefs,
  readSnapshot,
  type SnapshotChange,
  snapshotPrograms,
  takeSnapshot,
} from "./snapshot.ts";
import {
  describePlantedPrograms,
  findForeignPrograms,
  listUncommittedFiles,
  storeHidingPatterns,
} from "./worktree_commits.ts";
import { type Repository, readWorktreeOrigin, type WorktreeLocation } from "./worktree_place.ts";
import { endKilledRebase } from "./worktree_rebase.ts";

/** State of git in a worktree, see `Worktree.settle`. */
export interface WorktreeState {
  /** Fixes that were made, and other remarks for the log. */
  readonly notes: readonly string[];
  /** Notes that a person should read although they change nothing. */
  readonly warnings: readonly string[];
  /** Warnings that name changes outside of the run's branch, worktree and spec. */
  readonly outside: readonly string[];
  /** Problems that a person must solve before anything is merged or removed; each names its solution. */
  readonly problems: readonly string[];
  /**
   * False if git would run programs in the worktree that the run has installed. Planner runs no git there until a
   * person undoes that.
   */
  readonly safe: boolean;
  /** Commits of the branch, oldest first. Empty if not safe. */
  readonly commits: readonly BranchCommit[];
  /** Files that the commits change, as paths from the project's root. Empty if not safe. */
  readonly changed: readonly { readonly path: string; readonly isNew: boolean }[];
  /** Uncommitted paths, as `Worktree.listUncommittedFiles` returns them. Empty if not safe. */
  readonly uncommitted: readonly string[];
}

/** Results collected while a worktree is settled, in the form of `WorktreeState`. */
class SettleReport {
  readonly notes: string[] = [];
  readonly warnings: string[] = [];
  readonly problems: string[] = [];
  readonly outside: string[] = [];

  addWarning(text: string): void {
    this.notes.push(text);
    this.warnings.push(text);
  }
}

/**
 * Checks and fixes a worktree, see `Worktree.settle`.
 *
 * @param baseline snapshot of the repository when the run began; null outside of a run, to use the stored snapshot of a
 *   killed run
 */
export async function settleWorktree(
  place: WorktreeLocation,
  baseline: RepositorySnapshot | null,
): Promise<WorktreeState> {
  const before = baseline ?? readSnapshot(place);
  const found = new SettleReport();
  const isThere = existsSync(place.worktree.path);
  const programs = before === null ? undefined : await snapshotPrograms(place);
  const planted = isThere
    ? await describePlantedPrograms(place, before, programs)
    : await findForeignPrograms(place.repository, place);
  if (planted !== null) return buildWorktreeState(found, { problems: [planted] });
  // Without the snapshot, later changes count as a person's.
  await removeFileInOpenFolder(join(place.root, worktreeFiles.snapshot(place.id)));
  if (isThere) await endKilledRebase(place);
  const now = before === null ? await readRefs(place.repository.git) : await takeSnapshot(place, programs);
  const unfinished = isThere ? findUnfinishedOperation(place.gitFolder) : null;
  if (unfinished !== null) found.problems.push(describeUnfinishedState(place, unfinished));
  else if (isThere) await moveBranchToHead(place, now, found);
  if (before !== null) await reportOutsideChanges(place, { before, now }, found);
  if (!(`ref refs/heads/${place.worktree.mainBranch}` in now)) {
    const gone = await explainMissingMainBranch(place.repository.git, place.worktree.mainBranch, place.id);
    return buildWorktreeState(found, { problems: gone === null || found.problems.length > 0 ? [] : [gone] });
  }
  const { branch, mainBranch } = place.worktree;
  if (!isThere) {
    const problem = `its worktree was deleted: "planner work ${place.id}" makes it anew from branch "${branch}"`;
    return buildWorktreeState(found, { problems: [problem] });
  }
  const [main, own] = [`refs/heads/${mainBranch}`, `refs/heads/${branch}`];
  const changed = await readChangedFiles(place.git, place.repository.prefix, `${main}...${own}`);
  await unhideFiles(place, changed, found);
  const [commits, uncommitted] = [await readCommits(place.git, `${main}..${own}`), await listUncommittedFiles(place)];
  return { ...buildWorktreeState(found), safe: true, commits, changed, uncommitted };
}

function describeUnfinishedState({ id, worktree }: WorktreeLocation, { name, end }: UnfinishedOperation): string {
  return `a ${name} was begun in "${worktree.path}" and not ended: run "${end}" there, then "planner merge ${id}"`;
}

function buildWorktreeState(
  found: SettleReport,
  { problems = [] }: { readonly problems?: readonly string[] } = {},
): WorktreeState {
  const { notes, warnings, outside } = found;
  const nothing = { safe: false, commits: [], changed: [], uncommitted: [] };
  return { notes, warnings, outside, problems: [...problems, ...found.problems], ...nothing };
}

/** Moves the branch to the checked-out commit if that continues it, because that commit is the run's result. */
async function moveBranchToHead(place: WorktreeLocation, refs: RepositorySnapshot, found: SettleReport): Promise<void> {
  const { git, gitFolder, worktree } = place;
  const own = `refs/heads/${worktree.branch}`;
  const head = readGitHead(gitFolder);
  if (head === null || ("ref" in head && head.ref === own)) return restoreBranch(place, refs, found);
  const hash = "hash" in head ? head.hash : refs[`ref ${head.ref}`];
  const tip = refs[`ref ${own}`];
  const where = "hash" in head ? `commit ${head.hash.slice(0, 10)}` : `branch "${formatRefName(head.ref)}"`;
  if (hash !== undefined && (tip === undefined || (await isAncestor(git, tip, hash)))) {
    // Leaves the index and the files unchanged.
    await git.run(["update-ref", "-m", "planner: follow HEAD", own, hash, tip ?? ""]);
    await git.run(["symbolic-ref", "-m", "planner: follow HEAD", "HEAD", own]);
    found.addWarning(`the work was left on ${where}: "${worktree.branch}" has been moved up to it`);
    return;
  }
  const behind = hash === undefined || tip === undefined || (await isAncestor(git, hash, tip));
  const join = behind ? "" : ` and "git merge ${"hash" in head ? head.hash : quoteShellWord(formatRefName(head.ref))}"`;
  found.problems.push(
    `${where} is checked out, which does not continue "${worktree.branch}": in "${worktree.path}" run "git checkout ${quoteShellWord(worktree.branch)}"${join}, then "planner merge ${place.id}"`,
  );
}

/** Recreates a branch that was deleted while it was checked out, at the last commit of its worktree. */
async function restoreBranch(
  { git, gitFolder, worktree }: WorktreeLocation,
  refs: RepositorySnapshot,
  found: SettleReport,
): Promise<void> {
  const own = `refs/heads/${worktree.branch}`;
  const last = readReflog(gitFolder, "HEAD").findLast(({ to }) => !/^0+$/.test(to))?.to;
  if (`ref ${own}` in refs || last === undefined) return;
  await git.run(["update-ref", "-m", "planner: restore the branch", own, last, ""]);
  found.addWarning(`branch "${worktree.branch}" was deleted: it is back at commit ${last.slice(0, 10)}`);
}

/** Snapshots at the begin and the end of a run. */
interface SnapshotPair {
  readonly before: RepositorySnapshot;
  readonly now: RepositorySnapshot;
}

/** Reports changes in the repository and the project outside of the run's own branch; reverts none of them. */
async function reportOutsideChanges(
  place: WorktreeLocation,
  { before, now }: SnapshotPair,
  found: SettleReport,
): Promise<void> {
  const { id, worktree } = place;
  const changes = findOutsideChanges(before, now, { id, branch: worktree.branch });
  const excluded = changes.find(({ name }) => name === "info exclude");
  if (excluded !== undefined)
    await storeHidingPatterns(place, findAddedLines(excluded.before ?? "", excluded.now ?? ""));
  const main = changes.find(({ name }) => name === `ref refs/heads/${worktree.mainBranch}`);
  const problem = main === undefined ? null : await describeMovedMainBranch(place, main, { before, now });
  if (problem !== null) found.problems.push(problem);
  for (const sentence of await describeOutsideChanges(place, changes)) {
    found.addWarning(sentence);
    found.outside.push(sentence);
  }
  found.notes.push(...(await keepDroppedObjects(place, before, now)));
}

/**
 * Returns what a person must do if the run has moved, renamed or deleted the main branch, because commits of the
 * worktree must not be on it before they are merged. Null if only the person's checkout did that.
 */
async function describeMovedMainBranch(
  { gitFolder, repository, worktree, id }: WorktreeLocation,
  { before: old, now: tip }: SnapshotChange,
  { before, now }: SnapshotPair,
): Promise<string | null> {
  const { mainBranch } = worktree;
  const { git } = repository;
  const main = `refs/heads/${mainBranch}`;
  if (old === undefined) return null;
  const problem = (end: string, undo: string): string =>
    `"${mainBranch}" was ${end} by the run, past every check: ${undo}, then run "planner merge ${id}"`;
  if (tip === undefined) {
    const [path, head] = Object.entries(now).find(([name]) => before[name] === main && name.startsWith("HEAD ")) ?? [];
    const isRenamed =
      head !== undefined && head !== main && before[`ref ${head}`] === undefined && `ref ${head}` in now;
    if (isRenamed) {
      const rename = `git branch -m ${quoteShellWord(formatRefName(head))} ${quoteShellWord(mainBranch)}`;
      return problem(`renamed to "${formatRefName(head)}"`, `take that back with "${rename}"`);
    }
    const switched =
      path === undefined || head === main
        ? ""
        : ` and "git ${buildFolderOption(repository.top, path.slice("HEAD ".length))}switch ${quoteShellWord(mainBranch)}"`;
    return problem("deleted", `take it back with "git update-ref ${quoteShellWord(main)} ${old}"${switched}`);
  }
  const made = new Set(
    readReflog(gitFolder, "HEAD").flatMap(({ to, message }) => (CREATED_COMMIT_PATTERN.test(message) ? [to] : [])),
  );
  const added = (await git.run(["rev-list", tip, "--not", old, "--"])).split("\n");
  const isOwn = added.some((hash) => made.has(hash));
  const checkout = await findMovingCheckout(repository, { main, tip });
  if (!isOwn && (checkout !== null || (await isAncestor(git, old, tip)))) return null;
  // The checkout's files changed with its branch, so both must be restored.
  const undo =
    checkout === null
      ? `update-ref ${quoteShellWord(main)} ${old}`
      : `${buildFolderOption(repository.top, checkout)}reset --keep ${old}`;
  const listing = ["rev-list", "--max-count=1", tip, "--not", old, `refs/heads/${worktree.branch}`, "--"];
  const others = await git.line(listing);
  const [kept] = others === "" ? [] : await keepObjects(git, id, [tip]);
  const rest = kept === undefined ? "" : ` (its other commits are kept as ${kept.ref})`;
  return problem(`moved to ${tip.slice(0, 10)}`, `take it back with "git ${undo}"${rest}`);
}

/** Returns the checkout in which a person's commit, amend or rebase moved the main branch; null if none did. */
async function findMovingCheckout(
  repository: Repository,
  { main, tip }: { readonly main: string; readonly tip: string },
): Promise<string | null> {
  for (const [path, folder] of await listCheckouts(repository)) {
    const head = readGitHead(folder);
    const isThere = head !== null && "ref" in head && head.ref === main;
    if (isThere && readReflog(folder, "HEAD").some(({ to }) => to === tip)) return path;
  }
  return null;
}

/** Matches reflog messages of commits that were created in the checkout itself. */
const CREATED_COMMIT_PATTERN =
  /^(?:commit|cherry-pick|revert|am|rebase \((?:pick|reword|squash|fixup|edit|continue)\))/;

/** Clears git's flags that hide changes. Reports nested repositories, and links of the run out of the repository. */
async function unhideFiles(
  place: WorktreeLocation,
  changed: WorktreeState["changed"],
  found: SettleReport,
): Promise<void> {
  const { git, worktree } = place;
  const brought = new Set(
    (readWorktreeOrigin(place.root, place.id)?.brought ?? []).map(({ path }) => buildProjectPath(place, path)),
  );
  const hidden: string[] = [];
  const links: string[] = [];
  const own = new Set(changed.map(({ path }) => buildProjectPath(place, path)));
  for (const entry of await git.readEntries(["ls-files", "-v", "--stage", "-z"])) {
    const [tag = "", mode = ""] = entry.split(" ", 2);
    const path = entry.slice(entry.indexOf("\t") + 1);
    if (mode === "160000") links.push(path);
    if (mode === "120000" && own.has(path)) reportSymlink(place, path, found);
    if ((tag === "S" || tag !== tag.toUpperCase()) && !brought.has(path)) hidden.push(path);
  }
  const shown = hidden.filter((path) => !isSparseCheckout(place) || existsSync(join(worktree.path, path)));
  if (shown.length > 0) {
    const input = shown.map((path) => `${path}\0`).join("");
    for (const flag of ["--no-assume-unchanged", "--no-skip-worktree"]) {
      await git.run(["update-index", flag, "-z", "--stdin"], { input });
    }
    found.notes.push(`git was set to ignore changes of ${shown.slice(0, 5).join(", ")}: that is undone`);
  }
  if (links.length > 0) await reportNestedRepositories(place, links, found);
}

function buildProjectPath({ repository }: WorktreeLocation, path: string): string {
  return path.startsWith("../") ? path.slice("../".length) : repository.prefix + path;
}

/** Reports a symbolic link of the run's commits if it leads out of the repository. */
function reportSymlink({ worktree }: WorktreeLocation, path: string, found: SettleReport): void {
  const file = join(worktree.path, path);
  const target = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(file) : null;
  if (target === null || resolve(dirname(file), target).startsWith(worktree.path + sep)) return;
  const sentence = `"${path}" is a link that leads out of the repository, to "${target}"`;
  found.addWarning(sentence);
  found.outside.push(sentence);
}

/** Returns whether the checkout is sparse. In a sparse checkout git itself ignores missing files. */
function isSparseCheckout({ gitFolder, repository }: WorktreeLocation): boolean {
  return [gitFolder, repository.commonFolder].some((folder) => existsSync(join(folder, "info", "sparse-checkout")));
}

async function reportNestedRepositories(
  { git, worktree, id }: WorktreeLocation,
  links: readonly string[],
  found: SettleReport,
): Promise<void> {
  const modules = readGitFile(worktree.path, ".gitmodules") ?? "";
  const known = new Set([...modules.matchAll(/^\s*path\s*=\s*(.*?)\s*$/gm)].map(([, path]) => path));
  for (const path of links) {
    if (known.has(path)) continue;
    // A link that the main branch already has is not the run's.
    if ((await git.line(["ls-tree", `refs/heads/${worktree.mainBranch}`, "--", path])) !== "") continue;
    found.problems.push(
      `"${path}" is a git repository of its own and no submodule, its commits would be lost with the worktree: in "${worktree.path}" move it away, commit "git rm --cached ${path}", then run "planner merge ${id}"`,
    );
  }
}

/** Returns the commits of a range, oldest first. */
export async function readCommits(git: Git, range: string): Promise<readonly BranchCommit[]> {
  const format = ["--reverse", "--topo-order", "--no-show-signature", "--no-color", "-z", "--format=%H %P%n%B"];
  const entries = ((await git.tryReadOutput(["log", ...format, range, "--"])) ?? "").split("\0");
  return entries
    .filter((entry) => entry !== "")
    .map((entry) => {
      const end = entry.indexOf("\n");
      const [hash = "", parent = null] = entry.slice(0, end).split(" ").filter(Boolean);
      return { hash, parent, message: entry.slice(end + 1) };
    });
}

/** Returns a range's changed files as paths from the project's root; those outside of it begin with `../`. */
export async function readChangedFiles(git: Git, prefix: string, range: string) {
  const diff = ["diff", "--name-status", "--no-renames", "--no-ext-diff", "-z", range, "--"];
  const words = (await git.tryReadOutput(diff))?.split("\0") ?? [];
  return words.flatMap((path, index) => {
    if (index % 2 === 0) return [];
    const inside = path.startsWith(prefix);
    return [{ path: inside ? path.slice(prefix.length) : `../${path}`, isNew: words[index - 1] === "A" }];
  });
}
