import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BranchCommit, WorktreeState } from "#planner/run_ports/worktree.ts";
import type { Git } from "../git/git.ts";
import { WORKTREES } from "../project/places.ts";
import { adminFolders, readGitFile, readHead, readMoves, realPath, unfinishedIn } from "./admin_folder.ts";
import { dropNote, type GitNote, readNote, takeNote } from "./git_note.ts";
import { plantedProblem } from "./guard.ts";
import { type Refs, refsOf } from "./refs.ts";
import { uncommittedFiles } from "./worktree_commits.ts";
import { type Place, readOrigin } from "./worktree_place.ts";
import { endRebase } from "./worktree_rebase.ts";

/** State of the repository when a run began. Differences are reported when it ends. */
export interface Baseline {
  readonly note: GitNote;
  /** Branches and the stash by their full names. */
  readonly refs: Refs;
  /** Paths of linked worktrees. */
  readonly worktrees: ReadonlySet<string>;
}

/** Takes the baseline. Cost: one git. @param refs as they were before the worktree was made */
export async function takeBaseline(place: Place, refs: Refs): Promise<Baseline> {
  const [note, folders] = await Promise.all([takeNote(place), adminFolders(place.repository.commonFolder)]);
  return { note, refs, worktrees: new Set(folders.keys()) };
}

/** What was found, as `WorktreeState` has it. */
class Findings {
  readonly notes: string[] = [];
  readonly warnings: string[] = [];
  readonly problems: string[] = [];

  warn(text: string): void {
    this.notes.push(text);
    this.warnings.push(text);
  }
}

/**
 * See `Worktree.settle`.
 *
 * @param baseline null outside of a run: then only the worktree itself is checked
 */
export async function settle(place: Place, baseline: Baseline | null): Promise<WorktreeState> {
  const nothing = { notes: [], warnings: [], safe: false, commits: [], changed: [], uncommitted: [] };
  if (!existsSync(place.worktree.path)) return { ...nothing, problems: [goneProblem(place)] };
  const before = baseline?.note ?? readNote(place);
  const planted = await plantedProblem(place, before);
  if (planted !== null) return { ...nothing, problems: [planted] };
  // Attributes all later changes to a person.
  await dropNote(place);
  await endRebase(place);
  const found = new Findings();
  const refs = await refsOf(place.repository.git);
  const unfinished = unfinishedIn(place.gitFolder);
  if (unfinished === null) await follow(place, refs, found);
  else found.problems.push(unfinishedProblem(place, unfinished));
  if (baseline !== null) await reportOthers(place, { refs, baseline, found });
  await showHidden(place, found);
  const { branch, mainBranch } = place.worktree;
  const [main, own] = [`refs/heads/${mainBranch}`, `refs/heads/${branch}`];
  const [commits, uncommitted] = [await commitsIn(place.git, `${main}..${own}`), await uncommittedFiles(place)];
  const changed = await changedIn(place.git, place.repository.prefix, `${main}...${own}`);
  const { notes, warnings, problems } = found;
  return { notes, warnings, problems, safe: true, commits, changed, uncommitted };
}

function goneProblem({ id, worktree: { branch } }: Place): string {
  return `its worktree was deleted: "planner work ${id}" makes it anew from branch "${branch}"`;
}

function unfinishedProblem({ id, worktree }: Place, { name, end }: { readonly name: string; readonly end: string }) {
  return `a ${name} was begun in "${worktree.path}" and not ended: run "${end}" there, then "planner merge ${id}"`;
}

/** The commit that is checked out is the run's result: a branch that it continues is moved up to it. */
async function follow(place: Place, refs: Refs, found: Findings): Promise<void> {
  const { git, gitFolder, worktree } = place;
  const own = `refs/heads/${worktree.branch}`;
  const head = readHead(gitFolder);
  if (head === null || ("ref" in head && head.ref === own)) return restore(place, refs, found);
  const hash = "hash" in head ? head.hash : refs.get(head.ref);
  const tip = refs.get(own);
  const where = "hash" in head ? `commit ${head.hash.slice(0, 10)}` : `branch "${shortName(head.ref)}"`;
  if (hash !== undefined && (tip === undefined || (await isAncestor(git, tip, hash)))) {
    // The index and the files stay as they are.
    await git.run(["update-ref", "-m", "planner: follow HEAD", own, hash, tip ?? ""]);
    await git.run(["symbolic-ref", "-m", "planner: follow HEAD", "HEAD", own]);
    found.warn(`the work was left on ${where}: "${worktree.branch}" has been moved up to it`);
    return;
  }
  const behind = hash === undefined || tip === undefined || (await isAncestor(git, hash, tip));
  const join = behind ? "" : ` and "git merge ${"hash" in head ? head.hash : shortName(head.ref)}"`;
  found.problems.push(
    `${where} is checked out, which does not continue "${worktree.branch}": in "${worktree.path}" run "git checkout ${worktree.branch}"${join}, then "planner merge ${place.id}"`,
  );
}

/** A branch that was deleted while it was checked out begins again where its worktree was last. */
async function restore({ git, gitFolder, worktree }: Place, refs: Refs, found: Findings): Promise<void> {
  const own = `refs/heads/${worktree.branch}`;
  const last = readMoves(gitFolder, "HEAD").findLast(({ to }) => !/^0+$/.test(to))?.to;
  if (refs.has(own) || last === undefined) return;
  await git.run(["update-ref", "-m", "planner: restore the branch", own, last, ""]);
  found.warn(`branch "${worktree.branch}" was deleted: it is back at commit ${last.slice(0, 10)}`);
}

function shortName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}

async function isAncestor(git: Git, older: string, newer: string): Promise<boolean> {
  return (await git.try(["merge-base", "--is-ancestor", older, newer])).status === 0;
}

interface Since {
  readonly refs: Refs;
  readonly baseline: Baseline;
  readonly found: Findings;
}

/** Reports what the run did to the repository beside its own branch; all of it stays. */
async function reportOthers(place: Place, since: Since): Promise<void> {
  const { refs, baseline, found } = since;
  const { worktree, repository, id } = place;
  await reportMain(place, since);
  const stash = refs.get("refs/stash");
  if (stash !== undefined && stash !== baseline.refs.get("refs/stash")) {
    found.warn('a stash was made during the run: "git stash list" shows it');
  }
  const prefix = `refs/heads/${worktree.branch.slice(0, -id.length)}`;
  for (const ref of refs.keys()) {
    const isRuns = worktree.branch.endsWith(id) && prefix !== "refs/heads/" && ref.startsWith(prefix);
    if (!baseline.refs.has(ref) && !isRuns && ref !== `refs/heads/${worktree.branch}`) {
      found.warn(`branch "${shortName(ref)}" was made during the run: it stays`);
    }
  }
  const runs = join(realPath(place.root), WORKTREES);
  for (const path of (await adminFolders(repository.commonFolder)).keys()) {
    if (baseline.worktrees.has(path) || path.startsWith(runs)) continue;
    found.warn(`worktree "${path}" was made during the run: it stays`);
  }
}

/** Commits that were made in the worktree have no business in the main branch before they are merged. */
async function reportMain(place: Place, { refs, baseline, found }: Since): Promise<void> {
  const { git, gitFolder, repository, worktree, id } = place;
  const name = worktree.mainBranch;
  const main = `refs/heads/${worktree.mainBranch}`;
  const [old, now] = [baseline.refs.get(main), refs.get(main)];
  if (old === undefined || old === now) return;
  const end = now === undefined ? "deleted" : `moved to ${now.slice(0, 10)}`;
  // The checkout of the main branch still has the files of the old commit.
  const undo = `"git update-ref ${main} ${old}"`;
  const problem = `"${name}" was ${end} by the run, past every check: take it back with ${undo}, then run "planner merge ${id}"`;
  if (now === undefined) {
    found.problems.push(problem);
    return;
  }
  const made = new Set(
    readMoves(gitFolder, "HEAD").flatMap(({ to, message }) => (MADE_HERE.test(message) ? [to] : [])),
  );
  const added = (await git.run(["rev-list", now, "--not", old, "--"])).split("\n");
  const isOwn = added.some((hash) => made.has(hash));
  if (isOwn || !((await isAncestor(git, old, now)) || isMovedByCheckout(repository.gitFolder, now))) {
    found.problems.push(problem);
  }
}

/** Messages of a reflog for a commit that came into being there. */
const MADE_HERE = /^(?:commit|cherry-pick|revert|am|rebase \((?:pick|reword|squash|fixup|edit|continue)\))/;

/** Whether that happened where the project is checked out, by a person's amend or rebase. */
function isMovedByCheckout(gitFolder: string, hash: string): boolean {
  return readMoves(gitFolder, "HEAD").some(({ to }) => to === hash);
}

/** Files that git was made to overlook, and repositories inside the worktree that a commit only points to. */
async function showHidden(place: Place, found: Findings): Promise<void> {
  const { git, worktree } = place;
  const brought = new Set((readOrigin(place.root, place.id)?.brought ?? []).map(({ path }) => pathOf(place, path)));
  const hidden: string[] = [];
  const links: string[] = [];
  for (const entry of await git.list(["ls-files", "-v", "--stage", "-z"])) {
    const [tag = "", mode = ""] = entry.split(" ", 2);
    const path = entry.slice(entry.indexOf("\t") + 1);
    if (mode === "160000") links.push(path);
    if ((tag === "S" || tag !== tag.toUpperCase()) && !brought.has(path)) hidden.push(path);
  }
  const shown = hidden.filter((path) => !isSparse(place) || existsSync(join(worktree.path, path)));
  if (shown.length > 0) {
    const input = shown.map((path) => `${path}\0`).join("");
    for (const flag of ["--no-assume-unchanged", "--no-skip-worktree"]) {
      await git.run(["update-index", flag, "-z", "--stdin"], { input });
    }
    found.notes.push(`git was set to ignore changes of ${shown.slice(0, 5).join(", ")}: that is undone`);
  }
  if (links.length > 0) await reportLinks(place, links, found);
}

function pathOf({ repository }: Place, path: string): string {
  return repository.prefix + path;
}

/** In a sparse checkout git itself overlooks the files that are not there. */
function isSparse({ gitFolder, repository }: Place): boolean {
  return [gitFolder, repository.commonFolder].some((folder) => existsSync(join(folder, "info", "sparse-checkout")));
}

async function reportLinks({ git, worktree, id }: Place, links: readonly string[], found: Findings): Promise<void> {
  const modules = readGitFile(worktree.path, ".gitmodules") ?? "";
  const known = new Set([...modules.matchAll(/^\s*path\s*=\s*(.*?)\s*$/gm)].map(([, path]) => path));
  for (const path of links) {
    if (known.has(path)) continue;
    // One that the main branch has already is not the run's.
    if ((await git.line(["ls-tree", `refs/heads/${worktree.mainBranch}`, "--", path])) !== "") continue;
    found.problems.push(
      `"${path}" is a git repository of its own and no submodule, its commits would be lost with the worktree: in "${worktree.path}" move it away, commit "git rm --cached ${path}", then run "planner merge ${id}"`,
    );
  }
}

/** The commits of a range, oldest first. */
export async function commitsIn(git: Git, range: string): Promise<readonly BranchCommit[]> {
  const format = ["--reverse", "--topo-order", "--no-show-signature", "--no-color", "-z", "--format=%H %P%n%B"];
  const { status, stdout } = await git.try(["log", ...format, range, "--"]);
  if (status !== 0) return [];
  const entries = stdout.toString().split("\0");
  return entries
    .filter((entry) => entry !== "")
    .map((entry) => {
      const end = entry.indexOf("\n");
      const [hash = "", parent = null] = entry.slice(0, end).split(" ").filter(Boolean);
      return { hash, parent, message: entry.slice(end + 1) };
    });
}

/** What the commits of a range change, from the project's root; paths outside of the project begin with `../`. */
export async function changedIn(git: Git, prefix: string, range: string) {
  const { status, stdout } = await git.try([
    "diff",
    "--name-status",
    "--no-renames",
    "--no-ext-diff",
    "-z",
    range,
    "--",
  ]);
  const words = status === 0 ? stdout.toString().split("\0") : [];
  return words.flatMap((path, index) => {
    if (index % 2 === 0) return [];
    const inside = path.startsWith(prefix);
    return [{ path: inside ? path.slice(prefix.length) : `../${path}`, isNew: words[index - 1] === "A" }];
  });
}
