import { constants, existsSync } from "node:fs";
import { copyFile, cp, lstat, mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import { removeFolderThroughOpenParent, runInOpenFolder } from "#planner/store/files/open_folder.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { describeSystemError, getErrorCode } from "../files/disk_error.ts";
import { parseTemporaryPid, replaceFile } from "../files/place_file.ts";
import { formatGitError, Git } from "../git/git.ts";
import { buildActivePath, findStateFolder, isInsideFolder } from "../project/places.ts";
import { SpecStore } from "../specs/spec_store.ts";
import { findGitFolder, resolveStoredPath } from "./admin_folder.ts";
import { mergeOrJoinSpec } from "./join_spec.ts";
import { readChangedFiles, readCommits, settleWorktree, type WorktreeState } from "./settle.ts";
import {
  listChangedPaths,
  listCheckouts,
  type RepositorySnapshot,
  readSnapshot,
  storeSnapshot,
  takeSnapshot,
} from "./snapshot.ts";
import { addPlannerFile, readFileBytes } from "./worktree_brought.ts";
import { assertNoPlantedPrograms, commitPaths, commitSpecFile, listUncommittedFiles } from "./worktree_commits.ts";
import { worktreeFiles } from "./worktree_files.ts";
import { FRESH_WORKTREE_PREFIX, type Repository, type WorktreeLocation } from "./worktree_place.ts";
import { readBlobText } from "./worktree_rebase.ts";

/** A commit and the uncommitted files of a folder. Paths are from the top of the repository. */
export interface FolderState {
  /** Full hash of the commit; null before the first commit. */
  readonly commit: string | null;
  readonly tree: string | null;
  readonly uncommitted: readonly string[];
  /** Files and folders that git ignores, without planner's own. */
  readonly ignored: readonly string[];
  /** Files that the branch changes against main, as paths from the project's root; empty for the main branch. */
  readonly changed: WorktreeState["changed"];
  /** Whether the main branch has commits that this commit lacks. */
  readonly behind: boolean;
  /** Whether the folder is inside another checkout of the repository, where programs find that checkout's files. */
  readonly nested: boolean;
}

/** What the worktree of a run lacks when its agent starts. */
export interface WorktreeBaseline {
  /** Paths, from the repository's top, of uncommitted changes in the person's checkout, except planner's own. */
  readonly uncommitted: readonly string[];
  /** Number of commits of the main branch that the branch of an earlier run lacks; 0 for a new branch. */
  readonly newerCommits: number;
}

/** The working directory of one run. */
export type Worktree = ReturnType<typeof openWorktree>;

/** Opens the worktree at a location that the caller has read once. */
export function openWorktree(location: WorktreeLocation) {
  let place = location;
  let baseline: RepositorySnapshot | null = null;
  const { root, id, repository, worktree } = location;
  const { path, branch, mainBranch } = worktree;
  const specFile = buildActivePath(id);
  const requireNoPlantedPrograms = () => assertNoPlantedPrograms(place, baseline ?? readSnapshot(place));
  return {
    ...worktree,
    openSpecs: () => new SpecStore(worktree.root),
    /** Writes a file of planner, such as an MCP configuration, that git ignores. @param path from the project's root */
    writePlannerFile: (file: string, text: string) => addPlannerFile(place, file, text),
    /**
     * Adds files that a build requires but a checkout lacks: submodules, and ignored files of the project.
     *
     * @returns one sentence for each file that was added or could not be added
     */
    addRequiredFiles: (wanted: IgnoredFileRules) => addRequiredFiles(place, wanted),
    /** Records programs that git runs in the worktree and the repository's state, so that `settle` detects changes. */
    async takeBaseline(): Promise<WorktreeBaseline> {
      baseline = await takeSnapshot(place);
      await storeSnapshot(place, baseline);
      const newer = worktree.reused
        ? await place.git.run(["rev-list", "--count", `HEAD..refs/heads/${mainBranch}`])
        : "0";
      return { uncommitted: listChangedPaths(baseline), newerCommits: Number(newer) };
    },
    /**
     * Checks the worktree with git and fixes what needs no decision: moves the branch to the checked-out commit if that
     * continues the branch, and unhides changes that are hidden from git. Call it while no run works in the worktree.
     */
    settle(): Promise<WorktreeState> {
      // From here on the work is judged and merged as a person requested, so git may run the repository's programs.
      place = { ...place, git: place.git.withWriteAccess() };
      return settleWorktree(place, baseline);
    },
    /** Changed, uncommitted paths, from the worktree's top, without planner's own files. */
    async listUncommittedFiles(): Promise<readonly string[]> {
      await requireNoPlantedPrograms();
      return listUncommittedFiles(place);
    },
    /** Returns the checked-out commit, and the uncommitted files of the folder. */
    async holds(): Promise<FolderState> {
      await requireNoPlantedPrograms();
      return readWorktreeState(place);
    },
    /** Returns the branch's commits and the files that they change, as in `WorktreeState`; repairs nothing. */
    async readBranchWork(): Promise<Pick<WorktreeState, "commits" | "changed">> {
      const [main, own] = [`refs/heads/${mainBranch}`, `refs/heads/${branch}`];
      const commits = await readCommits(place.git, `${main}..${own}`);
      return { commits, changed: await readChangedFiles(place.git, repository.prefix, `${main}...${own}`) };
    },
    /** Returns the spec's text in the main branch; null if the main branch lacks the spec. */
    readMainSpec: () => readBlobText(place.git, `refs/heads/${mainBranch}:${repository.prefix}${specFile}`),
    /** Returns git's hashes of the checked-out commit's files by path from the project's root; omits files it lacks. */
    readBlobHashes: (paths: readonly string[]) => readBlobHashes(place, paths),
    /** Replaces files by those of commit `from`, which must contain them. Paths are from the project's root. */
    checkoutFiles: (from: string, paths: readonly string[]) =>
      checkoutFiles({ ...place, git: place.git.withWriteAccess() }, from, paths),
    /** Merges the project's and the run's changes of the spec, and returns the resulting text. */
    async buildJoinedSpec(): Promise<string> {
      const files = [join(root, specFile), join(root, worktreeFiles.base(id)), join(worktree.root, specFile)];
      const [ours, base, theirs] = (await Promise.all(files.map(readFileBytes))).map((bytes) => bytes?.toString());
      if (theirs === undefined) throw new OperationError("not_found", `"${specFile}" is gone from "${path}"`);
      return ours === undefined || base === undefined ? theirs : mergeOrJoinSpec({ ours, base, theirs });
    },
    /** Commits only the spec's file. Returns false if the file is unchanged or git ignores it. */
    commitSpec: (message: string) => commitSpecFile(place, message),
    /**
     * Writes a file of planner and commits only that file; removes it again if git rejects the commit.
     *
     * @param path from the project's root
     */
    async commitFile(file: string, text: string, message: string): Promise<void> {
      const whole = join(worktree.root, file);
      const named = repository.prefix + file;
      await mkdir(dirname(whole), { recursive: true });
      await replaceFile(whole, file, text);
      try {
        await place.git.run(["add", "--", named]);
        await commitPaths(place, message, [named]);
      } catch (error) {
        await place.git.try(["rm", "--quiet", "--cached", "--ignore-unmatch", "--", named]);
        await rm(whole, { force: true });
        throw error;
      }
    },
  };
}

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
  throw createPreconditionError(
    `Cannot judge a commit: expected a folder outside of the repository that can be written, one of ${parents.map((path) => `"${path}"`).join(", ")}: set TMPDIR to one`,
  );
}

/** Reads the commit of a run's worktree and its uncommitted files. */
async function readWorktreeState(place: WorktreeLocation): Promise<FolderState> {
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
async function checkoutFiles(
  { git, repository }: WorktreeLocation,
  from: string,
  paths: readonly string[],
): Promise<void> {
  const named = paths.map((path) => repository.prefix + path);
  const there = await git.readEntries(["ls-tree", "-z", "--name-only", "--full-tree", from, "--", ...named]);
  if (there.length > 0) await git.run(["checkout", "--quiet", from, "--", ...there]);
}

/** Returns whether a folder is inside another checkout of the repository. The folder of a bare repository does not count. */
async function isInsideCheckout(repository: Repository, path: string): Promise<boolean> {
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

/** Ignored files of the project that a worktree receives. */
interface IgnoredFileRules {
  /** Git glob patterns of files to copy, from the project's root; a pattern without a slash applies in every folder. */
  readonly copy: readonly string[];
  /** Paths of files and folders to copy, from the project's root. */
  readonly link: readonly string[];
  /** Paths that become symbolic links. */
  readonly symlink: readonly string[];
}

/** Matches folders that are not copied: packages and build output contain paths of their original location. */
const REBUILT_FOLDER_PATTERN = /(?:^|\/)(?:node_modules|\.venv|venv|target|\.planner|\.git)(?:\/|$)/;

interface CopyFolders {
  /** The project's root. */
  readonly from: string;
  /** The project's root in the worktree. */
  readonly to: string;
  readonly git: Git;
}

/**
 * Copies or links ignored files and folders of the project into a worktree. Copies share blocks with the original if
 * the file system supports it. Omits paths that git would report as changes.
 *
 * @param paths from the project's root
 * @returns one message for each path that was added or could not be
 */
async function addIgnoredPaths(
  linking: CopyFolders,
  paths: readonly string[],
  how: "copy" | "symlink",
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const path of paths) {
    const problem = await addIgnoredPath(linking, path, how);
    if (problem === null) continue;
    notes.push(
      problem === "" ? `${how === "copy" ? "copied" : "linked"}: ${path}` : `"${path}" was not brought: ${problem}`,
    );
  }
  return notes;
}

/** Adds one path. Returns the reason of a failure, an empty text after success, or null if there is nothing to do. */
async function addIgnoredPath(
  { from, to, git }: CopyFolders,
  path: string,
  how: "copy" | "symlink",
): Promise<string | null> {
  const [source, target] = [join(from, path), join(to, path)];
  if ((await lstat(target).catch(() => null)) !== null) return null;
  const facts = await lstat(source).catch(() => null);
  if (facts === null) return "the project has no such path";
  if (existsSync(join(source, "pyvenv.cfg"))) return "a virtual environment points back to where it was made";
  const isFolder = facts.isDirectory();
  // A rule such as `data/` matches a folder but not a link to one.
  const asked = isFolder && how === "copy" ? `${path.replace(/\/+$/, "")}/` : path.replace(/\/+$/, "");
  const ignored = ["check-ignore", "--quiet", "--no-index", "--", asked];
  // git check-ignore rejects pathspec magic, even the variable for literal paths.
  if (!(await git.confirms(ignored, { env: { GIT_LITERAL_PATHSPECS: "0" } }))) {
    return `git does not ignore "${asked}" there, and would take it for a change`;
  }
  try {
    await runInOpenFolder(target, async (inside) => {
      if (how === "symlink") await symlink(source, inside, isFolder ? "junction" : "file");
      else await copyPath(source, inside);
    });
    return "";
  } catch (error) {
    // Removes an incomplete copy, which could be mistaken for a complete one.
    await removeFolderThroughOpenParent(target).catch(() => {});
    return describeSystemError(error);
  }
}

function copyPath(source: string, target: string): Promise<void> {
  return cp(source, target, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    verbatimSymlinks: true,
    filter: (path) => !REBUILT_FOLDER_PATTERN.test(relative(source, path).replaceAll("\\", "/")),
  });
}

/** Maximum number of files copied by patterns. Chosen by planner: more means a folder named by mistake. */
const MAX_COPIED_FILES = 1000;

/**
 * Adds files that a build needs and a checkout lacks: submodules, then ignored files by patterns, then whole paths.
 *
 * @returns messages about files that were added or could not be
 */
async function addRequiredFiles(
  place: WorktreeLocation,
  { copy, link, symlink }: IgnoredFileRules,
): Promise<readonly string[]> {
  const linking = { from: place.root, to: place.worktree.root, git: new Git(place.worktree.root) };
  return [
    ...(await addSubmodules(place)),
    ...(await copyIgnoredFiles(place, copy)),
    ...(await addIgnoredPaths(linking, link, "copy")),
    ...(await addIgnoredPaths(linking, symlink, "symlink")),
  ];
}

/** Adds submodules from the repository's own copies, so that existing ones need no network. */
async function addSubmodules({ repository, worktree }: WorktreeLocation): Promise<readonly string[]> {
  if (!existsSync(join(worktree.path, ".gitmodules"))) return [];
  const git = new Git(worktree.path);
  const names = await listSubmodules(git);
  const sources = names.flatMap((name) => {
    const own = join(repository.commonFolder, "modules", name);
    return existsSync(own) ? ["-c", `submodule.${name}.url=${own}`] : [];
  });
  const update = ["submodule", "--quiet", "update", "--init", "--recursive"];
  const { status, stderr } = await git.try(["-c", "protocol.file.allow=always", ...sources, ...update]);
  if (status === 0) return names.length === 0 ? [] : [`submodules are there: ${names.join(", ")}`];
  return [`submodules could not be brought: ${formatGitError(stderr)}`];
}

async function listSubmodules(git: Git): Promise<readonly string[]> {
  const asked = ["config", "--file", ".gitmodules", "--null", "--name-only", "--get-regexp"];
  const keys = await git.tryReadOutput([...asked, "^submodule\\..*\\.path$"]);
  return (keys ?? "")
    .split("\0")
    .filter(Boolean)
    .map((key) => key.slice("submodule.".length, -".path".length));
}

async function copyIgnoredFiles(place: WorktreeLocation, configured: readonly string[]): Promise<readonly string[]> {
  const { root, worktree } = place;
  const patterns = [...configured, ...(await readIncludePatterns(root))];
  if (patterns.length === 0) return [];
  const asked = ["ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--"];
  const paths = await new Git(root).readEntries([...asked, ...patterns.map(buildPathspec)], {
    env: { GIT_LITERAL_PATHSPECS: "0" },
  });
  const wanted = paths.filter((path) => !REBUILT_FOLDER_PATTERN.test(path));
  const copied: string[] = [];
  for (const path of wanted.slice(0, MAX_COPIED_FILES))
    if (await copyMissingFile(root, worktree.root, path)) copied.push(path);
  const said =
    copied.length === 0 ? [] : [`copied: ${copied.slice(0, 10).join(", ")}${copied.length > 10 ? ", …" : ""}`];
  if (wanted.length > MAX_COPIED_FILES)
    said.push(`${wanted.length - MAX_COPIED_FILES} more files fit the patterns and were not copied`);
  return said;
}

/** Copies a file unless it exists, because an existing one may be the agent's own. */
async function copyMissingFile(from: string, to: string, path: string): Promise<boolean> {
  const source = join(from, path);
  const target = join(to, path);
  const facts = await lstat(source).catch(() => null);
  if (facts?.isFile() !== true || existsSync(target)) return false;
  await mkdir(dirname(target), { recursive: true });
  await copyFile(source, target);
  return true;
}

/** Returns the patterns in the project's `.worktreeinclude`, which other worktree tools read too. Skips negations. */
async function readIncludePatterns(root: string): Promise<readonly string[]> {
  const text = (await readFileBytes(join(root, ".worktreeinclude")))?.toString() ?? "";
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("!"));
}

function buildPathspec(pattern: string): string {
  const plain = pattern.replace(/^\/+/, "").replace(/\/+$/, "/**");
  return pattern.replace(/\/+$/, "").includes("/") ? `:(glob)${plain}` : `:(glob)**/${plain}`;
}
