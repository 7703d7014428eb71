import { existsSync, realpathSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { getErrorCode, isMissingError } from "../files/disk_error.ts";
import { readRegularFile } from "../files/read_text.ts";

/** Content of `HEAD`: the full name of a branch, or the hash of a commit. */
export type GitHead = { readonly ref: string } | { readonly hash: string };

/** Returns the text of a file in git's folder without its last line break; null if there is no such file. */
export function readGitFile(folder: string, name: string): string | null {
  try {
    return readRegularFile(join(folder, name))
      .toString()
      .replace(/\r?\n$/, "");
  } catch (error) {
    if (isMissingError(error) || getErrorCode(error) === "EISDIR") return null;
    throw error;
  }
}

/** Returns the folder that a worktree's file `.git` names; null without that file. */
export function findGitFolder(path: string): string | null {
  try {
    const target = /^gitdir: (.*)$/m.exec(readRegularFile(join(path, ".git")).toString())?.[1];
    return target === undefined ? null : resolve(path, target);
  } catch {
    return null;
  }
}

/**
 * Returns the real path of the git folder that all worktrees share, and the project's path in its checkout. Without a
 * repository, returns the project's own real path and null.
 */
export function findSharedFolder(root: string): { readonly of: string; readonly project: string | null } {
  const real = existsSync(root) ? realpathSync(root) : resolve(root);
  for (let folder = real; ; folder = dirname(folder)) {
    const git = join(folder, ".git");
    if (existsSync(git)) {
      const own = statSync(git).isDirectory() ? git : findGitFolder(folder);
      const project = relative(folder, real).replaceAll("\\", "/");
      if (own !== null) return { of: realpathSync(resolve(own, readGitFile(own, "commondir") ?? ".")), project };
    }
    if (dirname(folder) === folder) return { of: real, project: null };
  }
}

/** Returns whether a folder is a worktree of another repository, such as the one that the project was copied from. */
export function isOthersWorktree(root: string, path: string): boolean {
  const gitFolder = findGitFolder(path);
  const common = gitFolder === null ? null : readGitFile(gitFolder, "commondir");
  if (gitFolder === null || common === null || !isLinkedBack(gitFolder, path)) return false;
  return resolveStoredPath(resolve(gitFolder, common)) !== findSharedFolder(root).of;
}

/** Returns whether git's own folder about a worktree names this path. */
export function isLinkedBack(gitFolder: string, path: string): boolean {
  const named = readWorktreeFolder(gitFolder);
  return named !== null && resolveStoredPath(named) === resolveStoredPath(path);
}

/** Returns the worktree's path in git's own folder about it; null without such a folder. */
export function readWorktreeFolder(gitFolder: string): string | null {
  const target = readGitFile(gitFolder, "gitdir");
  return target === null ? null : resolve(gitFolder, target).replace(/[\\/]\.git$/, "");
}

/** Reads `HEAD`; null for a folder that git does not manage, and for a `HEAD` that only git can read. */
export function readGitHead(gitFolder: string): GitHead | null {
  const text = readGitFile(gitFolder, "HEAD");
  if (text === null) return null;
  const ref = /^ref: (.+)$/.exec(text)?.[1];
  // Repositories with another reference storage write this name into the file.
  if (ref !== undefined) return ref === "refs/heads/.invalid" ? null : { ref };
  return /^[0-9a-f]{40,64}$/.test(text) ? { hash: text } : null;
}

export interface ReflogEntry {
  readonly from: string;
  readonly to: string;
  readonly message: string;
}

/** Prefix of the reflog messages of planner's merges into the main branch. */
export const MERGE_REFLOG_PREFIX = "planner: merge ";

/** Reads the lines of a reflog, oldest first. @param name path below `logs/`, such as `HEAD` */
export function readReflog(gitFolder: string, name: string): readonly ReflogEntry[] {
  const text = readGitFile(join(gitFolder, "logs"), name) ?? "";
  return text.split("\n").flatMap((line) => {
    const [hashes = "", message = ""] = line.split("\t");
    const [from = "", to = ""] = hashes.split(" ");
    return /^[0-9a-f]{40,64}$/.test(to) ? [{ from, to, message }] : [];
  });
}

/** Files that exist during an operation of git, with the operation's name in git's own commands. */
const GIT_OPERATIONS: readonly (readonly [file: string, name: string])[] = [
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_START", "bisect"],
];

export interface UnfinishedOperation {
  /** Name of the operation, such as `rebase`. */
  readonly name: string;
  /** Command that finishes the operation. */
  readonly end: string;
  /** Command that cancels the operation; null if `end` cancels it. */
  readonly abort: string | null;
}

/** Returns the rebase, merge or bisect in progress; null without one. */
export function findUnfinishedOperation(gitFolder: string): UnfinishedOperation | null {
  const name = GIT_OPERATIONS.find(([file]) => existsSync(join(gitFolder, file)))?.[1];
  if (name === undefined) return null;
  if (name === "bisect") return { name, end: "git bisect reset", abort: null };
  return { name, end: `git ${name} --continue`, abort: `git ${name} --abort` };
}

/** Returns a sentence with the operation in progress in a checkout and the commands that end it. */
export function describeUnfinishedOperation(path: string, { name, end, abort }: UnfinishedOperation): string {
  const other = abort === null ? "" : `, or with "${abort}"`;
  return `a ${name} is under way in "${path}": end it with "${end}"${other}`;
}

/** Returns the full name of the branch that an unfinished rebase in a worktree will move; null without one. */
export function readRebasedBranch(gitFolder: string): string | null {
  return readGitFile(gitFolder, "rebase-merge/head-name") ?? readGitFile(gitFolder, "rebase-apply/head-name");
}

/** Returns the names of remotes that mirror all refs. @param settings git settings by lower-case names */
export function listMirrorRemotes(settings: ReadonlyMap<string, string>): readonly string[] {
  const names = [...settings].flatMap(([key, value]) => {
    const [, name, field] = /^remote\.(.+)\.(mirror|fetch)$/.exec(key) ?? [];
    if (name === undefined) return [];
    const isMirror = field === "mirror" ? /^(?:true|yes|on|1|)$/i.test(value) : /^\+?refs\/\*:refs\/\*$/.test(value);
    return isMirror ? [name] : [];
  });
  return [...new Set(names)];
}

/** Returns git's own folder of every linked worktree, by the worktree's path. */
export async function listAdminFolders(commonFolder: string): Promise<ReadonlyMap<string, string>> {
  const base = join(commonFolder, "worktrees");
  const names = await readdir(base).catch((error: unknown) => {
    if (isMissingError(error)) return [];
    throw error;
  });
  const found = new Map<string, string>();
  for (const name of names) {
    const path = readWorktreeFolder(join(base, name));
    if (path !== null) found.set(path, join(base, name));
  }
  return found;
}

/** Returns the path as git stores it, also for a path that no longer exists. */
export function resolveStoredPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = join(path, "..");
  return existsSync(parent) ? join(realpathSync(parent), path.slice(parent.length + 1)) : path;
}
