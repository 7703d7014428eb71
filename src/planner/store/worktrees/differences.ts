import { once } from "node:events";
import { OperationError } from "#kernel/errors.ts";
import { CONFIG_FILE } from "../../config/config.ts";
import { parseSpecId, type SpecId } from "../../spec/spec_id.ts";
import { Git } from "../git/git.ts";
import { startPagedGit } from "../git/start_git.ts";
import { ARCHIVE_FOLDER, SPECS_FOLDER } from "../project/places.ts";
import { isSpecPath, mergeInMemory } from "./search_merge.ts";
import { readChangedFiles, type WorktreeState } from "./settle.ts";
import { branchExists, type SpecBranches } from "./worktree_commits.ts";
import { openWorktreeLocation, type Repository, readWorktreeOrigin, requireRepository } from "./worktree_place.ts";
import { readBlobText } from "./worktree_rebase.ts";

/** Commits and changed files of the work on a spec. */
export interface WorkDifference {
  /** Full hash of the commit or tree before the change. */
  readonly from: string;
  /** Full hash of the commit or tree after the change. */
  readonly to: string;
  /**
   * - `merged`: from the main branch as it is now to the result of merging the branch
   * - `branch`: from the commit where the branch left the main branch to the branch's last one, if the two conflict or
   *   git is older than 2.38
   * - `commits`: the commits of a run without a worktree
   */
  readonly kind: "merged" | "branch" | "commits";
  /** Full hash of the branch's last commit. */
  readonly head: string;
  /** Number of commits that the main branch gained since the branch left it. */
  readonly behind: number;
  /** Files left in conflict by a merge, as paths from the repository's top. Excludes specs, which the merge joins. */
  readonly conflicts: readonly string[];
  /** Oldest first. */
  readonly commits: readonly WorkCommit[];
  /** Sorted by path. */
  readonly files: readonly FileChange[];
}

interface WorkCommit {
  readonly hash: string;
  readonly subject: string;
  readonly author: string;
  /** ISO 8601 with the author's offset. */
  readonly at: string;
}

export interface FileChange {
  /** Path from the repository's top. */
  readonly path: string;
  readonly change: "added" | "changed" | "deleted";
  /** Number of added lines; null for a file that git treats as binary. */
  readonly added: number | null;
  readonly removed: number | null;
  /** Whether the main branch has also changed the file since the branch left it. */
  readonly changed_in_main: boolean;
}

type DifferenceEnds = Pick<WorkDifference, "from" | "to">;

/**
 * Opens a reader of the changes that work makes in the project in `root`, an absolute path. It changes nothing and runs
 * no program that the repository names.
 */
export function openDifferences(root: string) {
  const openRepository = async () => {
    const repository = await requireRepository(root);
    // Paths are relative to the repository's top.
    return { repository, git: new Git(repository.top) };
  };
  return {
    /** Returns the difference of a spec's branch; null without a branch. Cost: about eight git processes. */
    async readBranchDifference(id: SpecId): Promise<WorkDifference | null> {
      const { repository, git } = await openRepository();
      const branches = (await openWorktreeLocation(repository, root, id))?.worktree ?? readWorktreeOrigin(root, id);
      return branches === null || !(await branchExists(git, branches.branch))
        ? null
        : readBranchDifference(git, branches);
    },
    /** Returns the difference between two commits, given by full hashes; null if one no longer exists. */
    async readCommitDifference(base: string, head: string): Promise<WorkDifference | null> {
      const { git } = await openRepository();
      for (const hash of [base, head]) if (!(await git.confirms(["cat-file", "-e", `${hash}^{commit}`]))) return null;
      const commits = await listCommits(git, `${base}..${head}`);
      const files = await listChangedFiles(git, { from: base, to: head }, new Set());
      return { from: base, to: head, kind: "commits", head, behind: 0, conflicts: [], commits, files };
    },
    /** Returns git's difference without colours, of the file at `path` from the repository's top; null selects all. */
    async readPatch({ from, to }: DifferenceEnds, path: string | null): Promise<string> {
      const { git } = await openRepository();
      return git.run(["diff", "--no-color", from, to, "--", ...(path === null ? [] : [path])]);
    },
    /** Shows the difference in the user's pager on this process's terminal, and resolves when the pager ends. */
    async showDifference({ from, to }: DifferenceEnds): Promise<void> {
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
  { from, to }: DifferenceEnds,
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

export interface CommittedState {
  /** Full hash of the commit. */
  readonly commit: string;
  /** Text of each spec, active or archived, whose file differs between the two states. */
  readonly specs: ReadonlyMap<SpecId, CommittedSpec>;
  /** Text of `.planner/config.md`; empty without that file. */
  readonly config: string;
}

interface CommittedSpec {
  /** Path of the spec's file from the project's root. */
  readonly file: string;
  readonly text: string;
}

export interface SpecChanges {
  readonly before: CommittedState;
  readonly after: CommittedState;
  /** Files that `after` changes since its common ancestor with `before`, as in `WorktreeState`. */
  readonly changed: WorktreeState["changed"];
}

/** Reads the spec changes between `since` and the checked-out commit. */
export async function readSpecChanges({ git, prefix }: Repository, since: string): Promise<SpecChanges> {
  const [base, head] = [await resolveCommit(git, since), await resolveCommit(git, "HEAD")];
  const listed = await git.readEntries(["diff-tree", "-r", "--name-only", "--no-renames", "-z", base, head]);
  const files = listed
    .filter((path) => path.startsWith(prefix) && path.endsWith(".md"))
    .map((path) => path.slice(prefix.length))
    .filter((path) => path.startsWith(`${SPECS_FOLDER}/`) || path.startsWith(`${ARCHIVE_FOLDER}/`));
  // A shallow clone may lack the common ancestor; then every differing file counts as changed.
  const hasMergeBase = (await git.tryReadOutput(["merge-base", base, head])) !== null;
  return {
    before: await readCommittedState(git, { commit: base, prefix, files }),
    after: await readCommittedState(git, { commit: head, prefix, files }),
    changed: await readChangedFiles(git, prefix, `${base}${hasMergeBase ? "..." : ".."}${head}`),
  };
}

async function resolveCommit(git: Git, name: string): Promise<string> {
  const asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const hash = await (name === "HEAD" ? git.tryReadHead("%H") : git.tryReadOutput(asked));
  if (hash !== null) return hash;
  throw new OperationError("invalid_argument", `"${name}" is no commit of this repository`);
}

async function readCommittedState(
  git: Git,
  { commit, prefix, files }: { readonly commit: string; readonly prefix: string; readonly files: readonly string[] },
): Promise<CommittedState> {
  const read = (file: string): Promise<string | null> => readBlobText(git, `${commit}:${prefix}${file}`);
  const texts = await Promise.all(files.map(read));
  const specs = files.flatMap((file, index): readonly (readonly [SpecId, CommittedSpec])[] => {
    const text = texts[index] ?? null;
    const id = parseSpecId(file.slice(file.lastIndexOf("/") + 1, -".md".length));
    return text === null || id === undefined ? [] : [[id, { file, text }]];
  });
  return { commit, specs: new Map(specs), config: (await read(CONFIG_FILE)) ?? "" };
}
