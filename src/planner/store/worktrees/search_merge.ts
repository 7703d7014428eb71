import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shortenHash } from "#kernel/errors.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { isPlannerFile } from "../../work/default_evidence.ts";
import type { Git } from "../git/git.ts";
import { isAncestor } from "./outside_words.ts";

/** How the work of a branch was found in the main branch, listed in the order in which the checks are tried. */
export type MergeEvidence = "forge" | "ancestor" | "cherry" | "patch" | "merge_tree" | "person";

export interface ForgeMerge {
  /** Full hash of the last commit that the request merged. */
  readonly head: string;
  /** Full hash of the commit in the base branch that contains the work; null if the forge does not report it. */
  readonly commit: string | null;
  /** Ref of the request's last commit at the remote, as in `refs/pull/7/head`. */
  readonly ref: string;
}

/** A merge that was made outside of this clone. */
export interface FoundMerge {
  readonly sign: MergeEvidence;
  /** Full hash of the commit in the main branch that contains the work. */
  readonly commit: string;
  /** Whether the main branch still contains the branch's whole change. */
  readonly stillThere: boolean;
  /** Whether the main branch still contains that commit's whole change, which may differ from the branch's. */
  readonly commitHolds: boolean;
}

export interface MergeSearchResult {
  /** The merge that was found; null if the main branch does not contain the work. */
  readonly found: FoundMerge | null;
  /** Full hash of the main branch's last commit at the time of the search. */
  readonly main: string;
  /** Full hash of the branch's last commit. */
  readonly head: string;
  /** Checks that could not be tried and facts that are missing, one sentence each. */
  readonly notes: readonly string[];
}

/** Two branches that conflict with each other, so that only one of them can be merged unchanged. */
export interface PredictedConflict {
  readonly specs: readonly [SpecId, SpecId];
  /** Conflicting files, as paths from the repository's top. */
  readonly files: readonly string[];
}

/** Maximum numbers of main branch commits compared as patches, and by merging. Chosen by planner: each takes ms. */
const MAX_COMPARED_PATCHES = 2000;
const MAX_TRIED_MERGES = 200;

/** Commits of the branch and the main branch to search, given as full hashes. */
interface MergeSearch {
  readonly head: string;
  readonly main: string;
  /** Commit where the branch left the main branch when it was pushed; null if that is not known. */
  readonly began: string | null;
  readonly forge: ForgeMerge | null;
}

/** Searches the main branch by one rule; returns a commit, or null. */
type SearchRule = (git: Git, work: BranchWork, notes: string[]) => Promise<string | null>;

interface BranchWork extends MergeSearch {
  /** Commit at which the branch and the main branch now diverge. */
  readonly base: string;
  /** Files that the branch changes, without planner's own. */
  readonly paths: ReadonlySet<string>;
}

/** Rules in the order in which they are tried; the first match counts. Source: docs/pr.md#recognition. */
const SEARCH_RULES: readonly (readonly [sign: MergeEvidence, rule: SearchRule])[] = [
  ["forge", findMergeByForge],
  ["ancestor", findMergeByAncestor],
  ["cherry", findMergeByCopies],
  ["patch", findMergeByPatch],
  ["merge_tree", findMergeByMerging],
];

/**
 * Searches the main branch for the work of a branch: its commits, copies of them, or one commit with the same change.
 * Changes nothing. A match does not prove that the main branch still contains the work.
 */
export async function searchMerge(git: Git, searched: MergeSearch): Promise<MergeSearchResult> {
  const { head, main } = searched;
  const notes: string[] = [];
  const base = (await git.tryReadOutput(["merge-base", main, head]))?.split("\n")[0] ?? null;
  if (base === null) return { found: null, main, head, notes: ["the branches have no commit in common"] };
  const paths = new Set(omitPlannerFiles(await listChangedPaths(git, base, head)));
  const work: BranchWork = { ...searched, base, paths };
  for (const [sign, rule] of SEARCH_RULES) {
    const commit = await rule(git, work, notes);
    if (commit !== null) return { found: await buildFoundMerge(git, work, sign, commit), main, head, notes };
  }
  return { found: null, main, head, notes };
}

/** Returns the merge that `commit` of the main branch made. @param sign rule by which the commit was found */
export async function buildFoundMerge(
  git: Git,
  searched: MergeSearch,
  sign: MergeEvidence,
  commit: string,
): Promise<FoundMerge> {
  const commitHolds = await canApplyReverse(git, { base: `${commit}^1`, head: commit, main: searched.main });
  return { sign, commit, stillThere: await isChangeInMain(git, searched), commitHolds };
}

/** Rule 1: the forge reports a merge of at least all commits of the branch. */
async function findMergeByForge(git: Git, { head, main, forge }: BranchWork, notes: string[]): Promise<string | null> {
  if (forge === null) return null;
  if (!(await isAncestor(git, head, forge.head))) {
    notes.push(
      `the forge merged ${shortenHash(forge.head)}, which does not have the branch's last commit ${shortenHash(head)}`,
    );
    return null;
  }
  const { commit } = forge;
  if (commit !== null && (await isAncestor(git, commit, main))) return commit;
  const what = commit === null ? "the forge does not say as which commit" : `it was merged as ${shortenHash(commit)}`;
  notes.push(`${what}, and your main branch does not have it yet`);
  return null;
}

/** Rule 2: the main branch contains the commits themselves. @returns the commit that merged them */
async function findMergeByAncestor(git: Git, { head, main, began }: BranchWork): Promise<string | null> {
  if (head === began || !(await isAncestor(git, head, main))) return null;
  const merge = await findMergingCommit(git, head, main);
  // After a fast-forward, the branch is part of the main branch's first parents.
  const line = merge === undefined ? null : await git.tryReadOutput(["rev-parse", `${merge}^1`]);
  return merge === undefined || line === head ? head : merge;
}

/** Returns the first commit of the main branch after which it contains `head`; undefined if that is `head` itself. */
async function findMergingCommit(git: Git, head: string, main: string): Promise<string | undefined> {
  const after = await git.run(["rev-list", "--first-parent", "--ancestry-path", `${head}..${main}`, "--"]);
  return after.split("\n").filter(Boolean).at(-1);
}

/** Rule 3: the main branch contains a copy of each commit, except of commits that change only planner's files. */
async function findMergeByCopies(git: Git, { head, main }: BranchWork): Promise<string | null> {
  // git does not compare merges, which can contain further changes besides their parents'.
  if ((await git.line(["rev-list", "--merges", "--max-count=1", `${main}..${head}`, "--"])) !== "") return null;
  const lines = (await git.run(["cherry", main, head])).split("\n").filter(Boolean);
  let copied = 0;
  for (const line of lines) {
    const changed = await git.readEntries([
      "diff-tree",
      "-r",
      "--root",
      "--no-commit-id",
      "--name-only",
      "-z",
      line.slice(2),
    ]);
    const counts = changed.length === 0 || omitPlannerFiles(changed).length > 0;
    if (counts && line.startsWith("+")) return null;
    if (counts) copied += 1;
  }
  if (copied === 0) return null;
  const marks = ["--left-only", "--cherry-mark", "--no-merges", `${main}...${head}`, "--"];
  const equal = (await git.run(["rev-list", ...marks])).split("\n").find((line) => line.startsWith("="));
  return equal?.slice(1) ?? null;
}

/** Rule 4: one commit has the change of the whole branch. */
async function findMergeByPatch(git: Git, work: BranchWork, notes: string[]): Promise<string | null> {
  const { base, head } = work;
  const own = await computePatchId(git, base, head);
  if (own === null) return null;
  for (const commit of await listCandidateCommits(git, work, { most: MAX_COMPARED_PATCHES, notes })) {
    const changed = omitPlannerFiles(await listChangedPaths(git, `${commit}^1`, commit));
    // Equal patches change the same files, in which most commits differ.
    if (changed.length !== work.paths.size || !changed.every((path) => work.paths.has(path))) continue;
    if ((await computePatchId(git, `${commit}^1`, commit)) === own) return commit;
  }
  return null;
}

/** Rule 5: merging the branch into this commit changes nothing, while it would have changed the previous one. */
async function findMergeByMerging(git: Git, work: BranchWork, notes: string[]): Promise<string | null> {
  if (work.paths.size === 0) return null;
  for (const commit of await listCandidateCommits(git, work, { most: MAX_TRIED_MERGES, notes })) {
    const answer = await addsNoChange(git, commit, work.head);
    if (answer === "unknown") {
      notes.push("git before 2.38 cannot merge without a checkout: a squash with conflicts is not recognised");
      return null;
    }
    if (answer && !(await addsNoChange(git, `${commit}^1`, work.head))) return commit;
  }
  return null;
}

/** Lists commits of the main branch since the divergence that change a file of the branch, oldest first. */
async function listCandidateCommits(
  git: Git,
  { base, main, paths }: BranchWork,
  { most, notes }: { readonly most: number; readonly notes: string[] },
): Promise<readonly string[]> {
  if (paths.size === 0) return [];
  const listing = ["rev-list", "--first-parent", "--stdin", `--max-count=${most + 1}`, `${base}..${main}`];
  // Passed on standard input, because a branch may change more files than fit into a command line.
  const listed = await git.run(listing, { input: `--\n${[...paths].join("\n")}\n` });
  const found = listed.split("\n").filter(Boolean);
  if (found.length > most) notes.push(`only the last ${most} commits of the main branch were compared`);
  return found.slice(0, most).reverse();
}

/** Returns whether merging `head` into `commit` changes no file but planner's; unknown with git before 2.38. */
export async function addsNoChange(git: Git, commit: string, head: string): Promise<boolean | "unknown"> {
  const { status, stdout, stderr } = await git.try(["merge-tree", "--write-tree", "--name-only", "-z", commit, head]);
  if (MERGE_TREE_MISSING_PATTERN.test(stderr)) return "unknown";
  const [tree = "", ...rest] = stdout.toString().split("\0");
  if (status !== 0 && status !== 1) return false;
  // An empty field follows the names of files in conflict.
  const conflicts = status === 1 ? rest.slice(0, rest.indexOf("")) : [];
  if (omitPlannerFiles(conflicts).length > 0) return false;
  return omitPlannerFiles(await listChangedPaths(git, `${commit}^{tree}`, tree)).length === 0;
}

/** Returns whether the main branch has the whole change: its reverse applies, or merging the branch changes nothing. */
async function isChangeInMain(git: Git, { head, main, began }: MergeSearch): Promise<boolean> {
  const isMerged = await isAncestor(git, head, main);
  const base = isMerged
    ? await findMergedBase(git, { head, main, began })
    : await git.tryReadOutput(["merge-base", main, head]);
  if (base === null) return false;
  if (await canApplyReverse(git, { base, head, main })) return true;
  // Merging commits that the main branch contains changes nothing, even after they were reverted.
  return !isMerged && (await addsNoChange(git, main, head)) === true;
}

/** Returns the commit at which a merged branch began; null if it is unknown. */
async function findMergedBase(git: Git, { head, main, began }: Omit<MergeSearch, "forge">): Promise<string | null> {
  if (began !== null) return began;
  const merge = await findMergingCommit(git, head, main);
  const base = merge === undefined ? null : await git.tryReadOutput(["merge-base", `${merge}^1`, head]);
  return base === head ? null : base;
}

async function canApplyReverse(git: Git, { base, head, main }: Record<"base" | "head" | "main", string>) {
  const patch = await readDiff(git, base, head);
  if (patch.length === 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "planner-index-"));
  const env = { GIT_INDEX_FILE: join(folder, "index") };
  try {
    await git.run(["read-tree", main], { env });
    const { status } = await git.try(["apply", "--cached", "--reverse", "--check", "-"], { env, input: patch });
    return status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the stable patch id of a change; null for an empty change, or a change of only planner's files. */
async function computePatchId(git: Git, from: string, to: string): Promise<string | null> {
  const patch = await readDiff(git, from, to);
  if (patch.length === 0) return null;
  const listed = await git.run(["patch-id", "--stable"], { input: patch });
  return listed.split(" ")[0]?.trim() || null;
}

/** Returns the difference of two commits, without planner's files. */
async function readDiff(git: Git, from: string, to: string): Promise<Buffer> {
  const paths = ["--", ":/", ":(top,exclude,glob)**/.planner/**"];
  const shown = ["diff-tree", "-r", "-p", "--binary", "--full-index", "--no-color", from, to];
  const { status, stdout } = await git.try([...shown, ...paths], { env: { GIT_LITERAL_PATHSPECS: "0" } });
  return status === 0 ? stdout : Buffer.alloc(0);
}

/** Returns the paths that differ between two commits; empty if one of them does not exist. */
async function listChangedPaths(git: Git, from: string, to: string): Promise<readonly string[]> {
  const listed = await git.tryReadOutput(["diff-tree", "-r", "--name-only", "--no-renames", "-z", from, to]);
  return (listed ?? "").split("\0").filter((path) => path !== "");
}

function omitPlannerFiles(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !isPlannerFile(path));
}

/** Maximum number of branches compared with each other. Chosen by planner: 20 mean 190 merges, a second of git. */
const MAX_BRANCHES = 20;

/** Messages of git before 2.38, which cannot merge without changing the working tree. */
const MERGE_TREE_MISSING_PATTERN = /usage: git merge-tree|unknown option|unrecognized/;

/**
 * Merges each pair of branches without a checkout, and returns the files in which both conflict. Omits specs, because
 * planner's merge joins them. Empty with git before 2.38.
 */
export async function forecastConflicts(
  git: Git,
  branches: readonly { readonly id: SpecId; readonly branch: string }[],
): Promise<readonly PredictedConflict[]> {
  const compared = branches.slice(0, MAX_BRANCHES);
  const found: PredictedConflict[] = [];
  for (const [index, one] of compared.entries()) {
    for (const other of compared.slice(index + 1)) {
      const merged = await tryMergeInMemory(git, `refs/heads/${one.branch}`, `refs/heads/${other.branch}`);
      if (merged === "missing") return [];
      const files = (merged?.conflicts ?? []).filter((path) => !isSpecPath(path));
      if (files.length > 0) found.push({ specs: [one.id, other.id], files });
    }
  }
  return found;
}

export interface MergedTree {
  /** Hash of the tree; files in conflict have conflict markers. */
  readonly tree: string;
  /** Sorted files in conflict, as paths from the repository's top. */
  readonly conflicts: readonly string[];
}

/** Merges two commits without a checkout; null if git cannot, for example before 2.38. */
export async function mergeInMemory(git: Git, ours: string, theirs: string): Promise<MergedTree | null> {
  const merged = await tryMergeInMemory(git, ours, theirs);
  return merged === "missing" ? null : merged;
}

async function tryMergeInMemory(git: Git, ours: string, theirs: string): Promise<MergedTree | "missing" | null> {
  const merge = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
  const { status, stdout, stderr } = await git.try(merge);
  if (MERGE_TREE_MISSING_PATTERN.test(stderr)) return "missing";
  if (status !== 0 && status !== 1) return null;
  const [tree = "", ...paths] = stdout.toString().split("\0").filter(Boolean);
  return { tree, conflicts: [...new Set(paths)].sort() };
}

/** Returns whether a path from the repository's top is a spec of any project. */
export function isSpecPath(path: string): boolean {
  return /(?:^|\/)\.planner\/specs\//.test(path);
}
