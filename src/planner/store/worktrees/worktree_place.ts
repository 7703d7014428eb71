import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { replaceFile } from "../files/place_file.ts";
import { getTextField, readJsonFile } from "../files/read_text.ts";
import { askRepository, Git } from "../git/git.ts";
import { addGitSetting } from "../git/start_git.ts";
import { isProcessAlive } from "../processes/run_processes.ts";
import { splitWorktreePath } from "../project/places.ts";
import {
  describeUnfinishedOperation,
  findGitFolder,
  findUnfinishedOperation,
  isLinkedBack,
  readGitFile,
  readGitHead,
  readReflog,
  readWorktreeFolder,
  resolveStoredPath,
} from "./admin_folder.ts";
import { buildSpecRef } from "./ref_names.ts";
import { readRunRecord } from "./run_commits.ts";
import { locateWorktree, makeWorktreesFolder, worktreeFiles } from "./worktree_files.ts";

/** Prefix of the folder name of a fresh worktree for checks, before the PID of its process. */
export const FRESH_WORKTREE_PREFIX = "planner-verify-";

const FRESH_PATH_PATTERN = new RegExp(String.raw`[\\/](${FRESH_WORKTREE_PREFIX}(\d+)-\w+)[\\/]\1$`);

/** Returns whether the path is a fresh worktree of a running process, in which checks run. */
export function isFreshWorktree(path: string): boolean {
  const pid = FRESH_PATH_PATTERN.exec(path)?.[2];
  return pid !== undefined && isProcessAlive(Number(pid), null);
}

/** The git repository around a project, with facts that do not change while a process runs. */
export interface Repository {
  /** Git in the project's folder. */
  readonly git: Git;
  /** Absolute path of git's own folder of this checkout. */
  readonly gitFolder: string;
  /** Absolute path of the git folder that all worktrees share. */
  readonly commonFolder: string;
  /** Absolute path of the working tree. */
  readonly top: string;
  /** Path from the working tree to the project with forward slashes, either `""` or with `/` at its end. */
  readonly prefix: string;
  /** Git's settings by their lower-case names, with the last value of each. Read once. */
  readonly settings: () => Promise<ReadonlyMap<string, string>>;
}

class MissingRepositoryError extends OperationError {}

/** Returns null for the error that there is no repository. Throws any other. */
export function ignoreMissingRepository(error: unknown): null {
  if (error instanceof MissingRepositoryError) return null;
  throw error;
}

/** Opens the repository. @throws MissingRepositoryError without one, OperationError if git cannot use it */
export async function requireRepository(root: string): Promise<Repository> {
  const git = new Git(root);
  const asked = ["--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--show-prefix"];
  const answer = await askRepository(git, ["rev-parse", "--path-format=absolute", ...asked]);
  if (answer === null) {
    throw new MissingRepositoryError(
      "failed_precondition",
      `No git repository around "${root}": run "git init" and commit, or work with --no-worktree`,
    );
  }
  const [top = "", gitFolder = "", commonFolder = "", prefix = "", ...more] = answer.split("\n");
  if (more.length > 0) throw createPreconditionError(`Cannot work in "${root}": its path has a line end`);
  let settings: Promise<ReadonlyMap<string, string>> | undefined;
  return { git, top, gitFolder, commonFolder, prefix, settings: () => (settings ??= readAllSettings(git)) };
}

async function readAllSettings(git: Git): Promise<ReadonlyMap<string, string>> {
  // Reads with hooks enabled, because otherwise the hooks folder would be the empty one that disables them.
  const listed = await git.run(["config", "--list", "-z"], { hooks: true });
  const entries = listed.split("\0").slice(0, -1);
  return new Map(
    entries.map((entry) => {
      const end = entry.indexOf("\n");
      // A name without a value means true.
      return end < 0 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)];
    }),
  );
}

/** One worktree with the project from which it was created. */
export interface WorktreeLocation {
  readonly root: string;
  readonly id: SpecId;
  readonly repository: Repository;
  readonly worktree: WorktreeFacts;
  /** Absolute path of git's own folder of the worktree. */
  readonly gitFolder: string;
  /** Git in the worktree, even if its file `.git` was changed. */
  readonly git: Git;
}

/** Paths and branches of a worktree. */
export interface WorktreeFacts {
  /** Absolute path of the git worktree. */
  readonly path: string;
  /** Absolute path of the project in the worktree; differs from `path` if it is a subfolder of the repository. */
  readonly root: string;
  readonly branch: string;
  readonly mainBranch: string;
  /** True if the worktree existed and kept work of an earlier run. */
  readonly reused: boolean;
  /** Uncommitted files copied into the worktree, as paths from the project's root, without the spec's own file. */
  readonly copied: readonly string[];
  /** Variables for the agent's environment that make git ignore copied and placed files in the worktree. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables for the agent's environment that set the author and committer of its commits. */
  readonly identity: Readonly<Record<string, string>>;
  /**
   * Set after a merge met a conflict: the branch then begins at the end of the main branch, and the work is an
   * uncommitted change with conflict markers in `files`, given as paths from the repository's top. `commit` is the last
   * commit of the branch before that.
   */
  readonly begunAnew: { readonly commit: string; readonly files: readonly string[] } | null;
}

/** A file in a worktree that is not its branch's. Paths are from the project's root. */
export interface BroughtFile {
  readonly path: string;
  /** SHA-256 of the brought content; null when the file was removed. */
  readonly hash: string | null;
  /** Whether the branch has a file of this path, which the index marks as overlooked. */
  readonly tracked: boolean;
  /** Whether planner created the file, instead of copying it from the project. */
  readonly own: boolean;
}

/** Stored facts about a worktree, in `.planner/worktrees/<id>.origin.json`. */
export interface WorktreeOrigin {
  /** Absolute path of the worktree; without one, it is where earlier versions created it. */
  readonly path?: string | null;
  readonly branch: string;
  readonly mainBranch: string;
  readonly brought: readonly BroughtFile[];
  /** Whether a merge is in progress; a rebase without this is the agent's. */
  readonly merging?: boolean;
  /** Whether brought files are being copied or removed; until that ends, none of them contains work. */
  readonly moving?: boolean;
  /** SHA-256 of the spec's text if the project's version was brought unchanged, without an earlier run's changes. */
  readonly spec?: string | null;
  /** Patterns that runs have added to the repository's ignore list; files that match them are work. */
  readonly hiding?: readonly string[];
  /** The branch's last commit, which a merge could not rebase onto the main branch. */
  readonly conflict?: string | null;
}

export function readWorktreeOrigin(root: string, id: SpecId): WorktreeOrigin | null {
  const read = readJsonFile(join(root, worktreeFiles.origin(id)));
  if (read.kind !== "object") return null;
  const branch = getTextField(read.object, "branch");
  const mainBranch = getTextField(read.object, "mainBranch");
  const { brought } = read.object;
  if (branch === null || mainBranch === null) return null;
  const files = Array.isArray(brought) ? (brought as readonly BroughtFile[]) : [];
  const [merging, moving] = [read.object["merging"] === true, read.object["moving"] === true];
  const hiding = Array.isArray(read.object["hiding"]) ? (read.object["hiding"] as readonly string[]) : [];
  return {
    path: getTextField(read.object, "path"),
    branch,
    mainBranch,
    brought: files,
    merging,
    moving,
    spec: getTextField(read.object, "spec"),
    hiding,
    conflict: getTextField(read.object, "conflict"),
  };
}

/** Writes the facts about a worktree and the project's place; keeps its recorded path unless `origin` has one. */
export function writeWorktreeOrigin(root: string, id: SpecId, origin: WorktreeOrigin): Promise<void> {
  const file = worktreeFiles.origin(id);
  const path = origin.path ?? readWorktreeOrigin(root, id)?.path ?? undefined;
  const text = JSON.stringify({ ...origin, path, root: realpathSync(root) }, null, 2);
  return replaceFile(join(root, file), file, `${text}\n`);
}

/**
 * Opens the worktree in its folder; null without a folder. Starts no git process.
 *
 * @throws OperationError `failed_precondition` for a folder that is not a worktree: git would use the project's own
 *   checkout there
 */
export async function openWorktreeLocation(
  repository: Repository,
  root: string,
  id: SpecId,
): Promise<WorktreeLocation | null> {
  const path = locateWorktree(root, id);
  if (!existsSync(path)) return null;
  const gitFolder = (await healWorktree(repository, root, id)) ?? findGitFolder(path);
  if (gitFolder === null || !isWorktree(path, gitFolder, repository)) {
    throw createPreconditionError(`"${path}" is not a git worktree: move it away`);
  }
  const origin = readWorktreeOrigin(root, id);
  const worktree: WorktreeFacts = {
    path,
    root: join(path, repository.prefix),
    branch: origin?.branch ?? readHeadBranch(gitFolder) ?? "",
    mainBranch: origin?.mainBranch ?? (await readMainBranch(repository, id)),
    reused: true,
    copied: (origin?.brought ?? []).filter(({ own }) => !own).map((file) => file.path),
    identity: {},
    begunAnew: null,
    env: addGitSetting("core.excludesFile", join(root, worktreeFiles.exclude(id)), process.env),
  };
  const git = new Git(path, { GIT_DIR: gitFolder, GIT_WORK_TREE: path }, repository.git.use);
  return { root, id, repository, worktree, gitFolder, git };
}

/**
 * Joins a worktree with the repository again after one of them was moved, or after both were copied together. A
 * worktree that belongs to another repository stays as it is, and so does one whose link a run has changed.
 *
 * @returns git's own folder of the joined worktree; null if nothing was done
 */
async function healWorktree(repository: Repository, root: string, id: SpecId): Promise<string | null> {
  const path = locateWorktree(root, id);
  const [link, before] = [readGitFile(path, ".git"), findGitFolder(path)];
  if (link === null || before === null) return null;
  const gitFolder = join(repository.commonFolder, "worktrees", basename(before));
  const named = readWorktreeFolder(gitFolder);
  // Both ends agree, here or in the repository from which this one was copied.
  if (named === null || isLinkedBack(before, path)) return null;
  if (named !== path && splitWorktreePath(named)?.id !== id) return null;
  const read = readJsonFile(join(root, worktreeFiles.snapshot(id)));
  const snapshot = read.kind === "object" ? read.object : null;
  if (snapshot !== null && snapshot[".git"] !== link) return null;
  const [joined, back] = [`gitdir: ${gitFolder}`, join(path, ".git")];
  await replaceFile(join(path, ".git"), join(path, ".git"), `${joined}\n`);
  await replaceFile(join(gitFolder, "gitdir"), join(gitFolder, "gitdir"), `${back}\n`);
  if (snapshot !== null) {
    const text = JSON.stringify({ ...snapshot, ".git": joined, gitdir: back }, null, 2);
    await replaceFile(join(root, worktreeFiles.snapshot(id)), worktreeFiles.snapshot(id), `${text}\n`);
  }
  const origin = readWorktreeOrigin(root, id);
  if (origin !== null)
    await writeWorktreeOrigin(root, id, { ...origin, path: splitWorktreePath(path)?.project === null ? path : null });
  await makeWorktreesFolder(root, repository.top, path);
  return gitFolder;
}

/** Returns whether a folder is a worktree: both ends of the link between a worktree and its repository must agree. */
function isWorktree(path: string, gitFolder: string, { commonFolder }: Repository): boolean {
  const common = readGitFile(gitFolder, "commondir");
  if (common === null || !isLinkedBack(gitFolder, path)) return false;
  return resolveStoredPath(resolve(gitFolder, common)) === resolveStoredPath(commonFolder);
}

/** Returns the branch that is checked out, or null if HEAD is detached. */
export function readHeadBranch(gitFolder: string): string | null {
  const head = readGitHead(gitFolder);
  return head !== null && "ref" in head ? head.ref.replace(/^refs\/heads\//, "") : null;
}

/** Returns the checked-out branch. @throws OperationError `failed_precondition` when none is checked out */
export async function readCurrentBranch({
  git,
  gitFolder,
  top,
}: Pick<Repository, "git" | "gitFolder" | "top">): Promise<string> {
  const branch = readHeadBranch(gitFolder) ?? (await git.tryReadOutput(["symbolic-ref", "--quiet", "--short", "HEAD"]));
  if (branch !== null) return branch;
  const unfinished = findUnfinishedOperation(gitFolder);
  throw createPreconditionError(
    unfinished === null
      ? 'No branch is checked out: check one out, or set "defaults.main_branch" in .planner/config.md'
      : `No branch is checked out: ${describeUnfinishedOperation(top, unfinished)}`,
  );
}

/**
 * Returns the branch into which the work of a spec is merged: the one in its latest record, else the checked-out one.
 *
 * @throws OperationError `failed_precondition` if there is neither
 */
export async function readMainBranch(repository: Repository, id: SpecId): Promise<string> {
  const recorded = (await readRunRecord(repository.git, id, null))?.record["main_branch"];
  return typeof recorded === "string" ? recorded : readCurrentBranch(repository);
}

/** Returns the folder of hooks in the person's checkout, to which a relative setting refers. */
export function resolveHooksFolder(
  { commonFolder, top }: Pick<Repository, "commonFolder" | "top">,
  setting?: string,
): string {
  if (setting === undefined) return join(commonFolder, "hooks");
  return isAbsolute(setting) ? setting : resolve(top, setting);
}

/**
 * Returns the folder of hooks for git in a worktree, if git would not find it there itself: a hook manager (husky for
 * example) keeps hooks in an ignored folder, which a new worktree lacks. Null otherwise.
 */
export async function findMissingHooksFolder({
  repository,
  worktree,
}: Pick<WorktreeLocation, "repository" | "worktree">): Promise<string | null> {
  const setting = (await repository.settings()).get("core.hookspath");
  // Git finds a folder in the person's home directory from any worktree.
  if (setting === undefined || isAbsolute(setting) || setting.startsWith("~")) return null;
  const folder = resolveHooksFolder(repository, setting);
  return existsSync(resolve(worktree.path, setting)) || !existsSync(folder) ? null : folder;
}

/** Returns git's own folders of a checkout's submodules, including nested ones, by their path below `modules/`. */
export function listModuleFolders(gitFolder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visitFolder = (folder: string, name: string): void => {
    if (name !== "" && existsSync(join(folder, "HEAD")) && existsSync(join(folder, "objects"))) {
      found.set(name, folder);
      if (existsSync(join(folder, "modules"))) visitFolder(join(folder, "modules"), `${name}/modules`);
      return;
    }
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory())
        visitFolder(join(folder, entry.name), name === "" ? entry.name : `${name}/${entry.name}`);
    }
  };
  if (existsSync(join(gitFolder, "modules"))) visitFolder(join(gitFolder, "modules"), "");
  return found;
}

/** Returns a worktree's uncommitted files in submodules, even nested, as paths from its top. Runs no program there. */
export async function listSubmoduleChanges({ gitFolder, worktree }: WorktreeLocation): Promise<readonly string[]> {
  return existsSync(join(gitFolder, "modules")) ? listNestedChanges(worktree.path, "") : [];
}

async function listNestedChanges(top: string, prefix: string): Promise<readonly string[]> {
  const entries = await new Git(join(top, prefix)).readEntries(["ls-files", "--stage", "-z"]);
  const links = entries
    .filter((entry) => entry.startsWith("160000 "))
    .map((entry) => entry.slice(entry.indexOf("\t") + 1));
  const found: string[] = [];
  for (const path of links) {
    const folder = `${prefix}${path}/`;
    if (!existsSync(join(top, folder, ".git"))) continue;
    const listing = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"];
    const changed = await new Git(join(top, folder)).readEntries(listing);
    found.push(...changed.map((entry) => folder + entry.slice(3)), ...(await listNestedChanges(top, folder)));
  }
  return found;
}

/**
 * Copies the commits of a worktree's submodules into the repository's own copies before the worktree is removed: all
 * refs, and commits that only reflogs name. Creates a copy for a submodule that the run added.
 *
 * @returns whether the worktree has submodules, because git then removes it only by force
 */
export async function keepSubmodules({ gitFolder, repository, id }: WorktreeLocation): Promise<boolean> {
  const modules = listModuleFolders(gitFolder);
  for (const [name, own] of modules) {
    const shared = join(repository.commonFolder, "modules", name);
    if (!existsSync(shared)) await makeSubmoduleCopy(repository.git, own, shared);
    const kept = buildSpecRef(repository.git.cwd, "kept", id);
    const git = new Git(own, { GIT_DIR: own });
    const lost = readReflog(own, "HEAD").map(({ to }) => to);
    for (const [index, hash] of [...new Set(lost)].entries()) {
      const ref = `refs/planner/moves/${index}`;
      // The object no longer exists if git has cleaned it up.
      await git.try(["update-ref", ref, hash]);
    }
    await repository.git.run([
      ...["-c", "protocol.file.allow=always", "--git-dir", shared, "fetch", "--quiet", "--no-tags", own],
      ...[`+HEAD:${kept}/HEAD`, `+refs/*:${kept}/*`],
    ]);
  }
  return modules.size > 0;
}

/** Creates the copy that git would have created if a person had added the submodule in their checkout. */
async function makeSubmoduleCopy(git: Git, own: string, shared: string): Promise<void> {
  await git.run(["init", "--quiet", "--bare", shared]);
  const url = await git.tryReadOutput(["--git-dir", own, "config", "remote.origin.url"]);
  const settings = [
    ["core.bare", "false"],
    ...(url === null
      ? []
      : [
          ["remote.origin.url", url],
          ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
        ]),
  ];
  for (const [key = "", value = ""] of settings) await git.run(["--git-dir", shared, "config", key, value]);
}
