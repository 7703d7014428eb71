import { once } from "node:events";
import type { DifferenceReader, FileChange, WorkCommit, WorkDifference } from "#planner/run_ports/differences.ts";
import type { PredictedConflict } from "#planner/run_ports/worktrees.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { Git } from "../git/git.ts";
import { startPagedGit } from "../git/start_git.ts";
import { branchExists, type SpecBranches } from "./worktree_commits.ts";
import { openWorktreeLocation, type Repository, readWorktreeOrigin, requireRepository } from "./worktree_place.ts";

/** Opens a reader of the changes that work makes in the project in `root`, an absolute path. */
export function openDifferences(root: string): DifferenceReader {
  const openRepository = async () => {
    const repository = await requireRepository(root);
    // Paths are relative to the repository's top.
    return { repository, git: new Git(repository.top) };
  };
  return {
    async readBranchDifference(id) {
      const { repository, git } = await openRepository();
      const branches = (await openWorktreeLocation(repository, root, id))?.worktree ?? readWorktreeOrigin(root, id);
      return branches === null || !(await branchExists(git, branches.branch))
        ? null
        : readBranchDifference(git, branches);
    },
    async readCommitDifference(base, head) {
      const { git } = await openRepository();
      for (const hash of [base, head]) if (!(await git.confirms(["cat-file", "-e", `${hash}^{commit}`]))) return null;
      const commits = await listCommits(git, `${base}..${head}`);
      const files = await listChangedFiles(git, { from: base, to: head }, new Set());
      return { from: base, to: head, kind: "commits", head, behind: 0, conflicts: [], commits, files };
    },
    async readPatch({ from, to }, path) {
      const { git } = await openRepository();
      return git.run(["diff", "--no-color", from, to, "--", ...(path === null ? [] : [path])]);
    },
    async showDifference({ from, to }) {
      const { repository } = await openRepository();
      await showPagedOutput(repository, ["diff", from, to, "--"]);
    },
  };
}

async function readBranchDifference(git: Git, { branch, mainBranch }: SpecBranches): Promise<WorkDifference> {
  const [main, own] = [`refs/heads/${mainBranch}`, `refs/heads/${branch}`];
  const [tip = "", head = ""] = (await git.line(["rev-parse", `${main}^{commit}`, `${own}^{commit}`])).split("\n");
  // Compares branches without a common commit directly.
  const base = (await git.tryReadOutput(["merge-base", tip, head]))?.split("\n")[0] ?? tip;
  const { tree, conflicts } = await buildMergedTree(git, tip, head);
  const ends = tree === null ? { from: base, to: head } : { from: tip, to: tree };
  const inMain = new Set(await git.readEntries(["diff", "--name-only", "--no-renames", "-z", base, tip, "--"]));
  return {
    ...ends,
    kind: tree === null ? "branch" : "merged",
    head,
    behind: Number(await git.line(["rev-list", "--count", `${head}..${tip}`, "--"])),
    conflicts,
    commits: await listCommits(git, `${tip}..${head}`),
    files: await listChangedFiles(git, ends, inMain),
  };
}

/** Merges two commits without a checkout. The tree is null if they conflict, or if git is too old. */
async function buildMergedTree(
  git: Git,
  tip: string,
  head: string,
): Promise<{ readonly tree: string | null; readonly conflicts: readonly string[] }> {
  const merged = await mergeInMemory(git, tip, head);
  if (merged === null) return { tree: null, conflicts: [] };
  const { tree, conflicts } = merged;
  return conflicts.length === 0
    ? { tree, conflicts }
    : { tree: null, conflicts: conflicts.filter((path) => !isSpecPath(path)) };
}

export interface MergedTree {
  /** Hash of the tree; files in conflict have conflict markers. */
  readonly tree: string;
  /** Sorted files in conflict, as paths from the repository's top. */
  readonly conflicts: readonly string[];
}

/** Merges two commits without a checkout; null if git cannot, for example before 2.38. */
export async function mergeInMemory(git: Git, ours: string, theirs: string): Promise<MergedTree | null> {
  const merge = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
  const { status, stdout } = await git.try(merge);
  if (status !== 0 && status !== 1) return null;
  const [tree = "", ...paths] = stdout.toString().split("\0").filter(Boolean);
  return { tree, conflicts: [...new Set(paths)].sort() };
}

function isSpecPath(path: string): boolean {
  return /(?:^|\/)\.planner\/specs\//.test(path);
}

async function listCommits(git: Git, range: string): Promise<readonly WorkCommit[]> {
  const format = ["--reverse", "--topo-order", "--no-color", "-z", "--format=%H%n%an%n%aI%n%s"];
  const entries = (await git.run(["log", ...format, range, "--"])).split("\0").filter((entry) => entry !== "");
  return entries.map((entry) => {
    const [hash = "", author = "", at = "", ...subject] = entry.split("\n");
    return { hash, author, at, subject: subject.join(" ") };
  });
}

/** Lists changed files with line counts. @param inMain paths that the main branch has changed */
async function listChangedFiles(
  git: Git,
  { from, to }: Pick<WorkDifference, "from" | "to">,
  inMain: ReadonlySet<string>,
): Promise<readonly FileChange[]> {
  const words = await git.readEntries(["diff", "--raw", "--numstat", "--no-renames", "-z", from, to, "--"]);
  const changes = new Map<string, FileChange["change"]>();
  const files: FileChange[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (word.startsWith(":")) {
      index += 1;
      changes.set(words[index] ?? "", CHANGE_KINDS[word.at(-1) ?? ""] ?? "changed");
      continue;
    }
    const [added = "", removed = ""] = word.split("\t", 2);
    const path = word.slice(added.length + removed.length + 2);
    const change = changes.get(path) ?? "changed";
    files.push({
      path,
      change,
      added: parseLineCount(added),
      removed: parseLineCount(removed),
      changed_in_main: inMain.has(path),
    });
  }
  return files;
}

const CHANGE_KINDS: Readonly<Record<string, FileChange["change"]>> = { A: "added", D: "deleted" };

function parseLineCount(count: string): number | null {
  return count === "-" ? null : Number(count);
}

async function showPagedOutput({ top }: Repository, args: readonly string[]): Promise<void> {
  // Ignores Ctrl-C, which the pager handles; if it ended this process, the pager would lose its terminal.
  const ignore = (): void => {};
  process.on("SIGINT", ignore);
  try {
    const child = await startPagedGit({ cwd: top, args });
    await once(child, "close");
  } finally {
    process.off("SIGINT", ignore);
  }
}

/** Maximum number of branches compared with each other. Chosen by planner: 20 mean 190 merges, a second of git. */
const MAX_BRANCHES = 20;

/** Messages of git before 2.38, which cannot merge without changing the working tree. */
const MERGE_TREE_MISSING_PATTERN = /usage: git merge-tree|unknown option|unrecognized/;

/** Returns whether git reports that it cannot merge without a working tree. */
export function isMergeTreeMissing(stderr: string): boolean {
  return MERGE_TREE_MISSING_PATTERN.test(stderr);
}

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
      const ends = [`refs/heads/${one.branch}`, `refs/heads/${other.branch}`];
      const merge = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ...ends];
      const { status, stdout, stderr } = await git.try(merge);
      if (isMergeTreeMissing(stderr)) return [];
      // Status 0 means a clean merge, 1 a conflict; others mean that a branch no longer exists.
      if (status !== 1) continue;
      const [, ...paths] = stdout.toString().split("\0").filter(Boolean);
      const files = [...new Set(paths)].filter((path) => !/(?:^|\/)\.planner\/specs\//.test(path));
      if (files.length > 0) found.push({ specs: [one.id, other.id], files });
    }
  }
  return found;
}
