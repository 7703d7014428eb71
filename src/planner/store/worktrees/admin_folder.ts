import { existsSync, readFileSync, realpathSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { errorCode, isMissing } from "../files/disk_error.ts";

/** What `HEAD` names: a branch by its full name, or a commit by its hash. */
export type Head = { readonly ref: string } | { readonly hash: string };

/** The text of a file in git's folder without its last line end; null if there is no such file. */
export function readGitFile(folder: string, name: string): string | null {
  try {
    return readFileSync(join(folder, name), "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    if (isMissing(error) || errorCode(error) === "EISDIR") return null;
    throw error;
  }
}

/** The folder that a worktree's file `.git` names; null if the worktree has no such file. */
export function gitFolderOf(path: string): string | null {
  try {
    const target = /^gitdir: (.*)$/m.exec(readFileSync(join(path, ".git"), "utf8"))?.[1];
    return target === undefined ? null : resolve(path, target);
  } catch {
    return null;
  }
}

/** Null for a folder that git does not administer, and for a `HEAD` that only git can read. */
export function readHead(gitFolder: string): Head | null {
  const text = readGitFile(gitFolder, "HEAD");
  if (text === null) return null;
  const ref = /^ref: (.+)$/.exec(text)?.[1];
  // Repositories with another store of references keep this name in the file.
  if (ref !== undefined) return ref === "refs/heads/.invalid" ? null : { ref };
  return /^[0-9a-f]{40,64}$/.test(text) ? { hash: text } : null;
}

export interface Move {
  readonly from: string;
  readonly to: string;
  readonly message: string;
}

/** Begins the message of each of planner's merges in the reflog of the main branch. */
export const MERGE_ACTION = "planner: merge ";

/** Lines of a reflog, oldest first. @param name the path below `logs/`, `HEAD` for example */
export function readMoves(gitFolder: string, name: string): readonly Move[] {
  const text = readGitFile(join(gitFolder, "logs"), name) ?? "";
  return text.split("\n").flatMap((line) => {
    const [hashes = "", message = ""] = line.split("\t");
    const [from = "", to = ""] = hashes.split(" ");
    return /^[0-9a-f]{40,64}$/.test(to) ? [{ from, to, message }] : [];
  });
}

/** What is under way in a worktree, in the words of git's own commands. */
const OPERATIONS: readonly (readonly [file: string, name: string])[] = [
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_START", "bisect"],
];

export interface Unfinished {
  /** As in `rebase`. */
  readonly name: string;
  /** The command that ends it. */
  readonly end: string;
  /** The command that takes it back; null where `end` does. */
  readonly abort: string | null;
}

/** A rebase, merge or bisect in progress; null without one. */
export function unfinishedIn(gitFolder: string): Unfinished | null {
  const name = OPERATIONS.find(([file]) => existsSync(join(gitFolder, file)))?.[1];
  if (name === undefined) return null;
  if (name === "bisect") return { name, end: "git bisect reset", abort: null };
  return { name, end: `git ${name} --continue`, abort: `git ${name} --abort` };
}

/** Says what is under way in a checkout, and the commands that end it. */
export function unfinishedWords(path: string, { name, end, abort }: Unfinished): string {
  const other = abort === null ? "" : `, or with "${abort}"`;
  return `a ${name} is under way in "${path}": end it with "${end}"${other}`;
}

/** The branch that a rebase in a worktree will move when it ends, by its full name; null without one. */
export function rebasedBranch(gitFolder: string): string | null {
  return readGitFile(gitFolder, "rebase-merge/head-name") ?? readGitFile(gitFolder, "rebase-apply/head-name");
}

/** Names of the remotes that mirror all refs. @param settings of git by lower-case names */
export function mirrorRemotes(settings: ReadonlyMap<string, string>): readonly string[] {
  const names = [...settings].flatMap(([key, value]) => {
    const [, name, field] = /^remote\.(.+)\.(mirror|fetch)$/.exec(key) ?? [];
    if (name === undefined) return [];
    const isMirror = field === "mirror" ? /^(?:true|yes|on|1|)$/i.test(value) : /^\+?refs\/\*:refs\/\*$/.test(value);
    return isMirror ? [name] : [];
  });
  return [...new Set(names)];
}

/** Git's own folder of every linked worktree, by the worktree's path. */
export async function adminFolders(commonFolder: string): Promise<ReadonlyMap<string, string>> {
  const base = join(commonFolder, "worktrees");
  const names = await readdir(base).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const found = new Map<string, string>();
  for (const name of names) {
    const target = readGitFile(join(base, name), "gitdir");
    if (target !== null) found.set(resolve(join(base, name), target).replace(/[\\/]\.git$/, ""), join(base, name));
  }
  return found;
}

/** The path as git stores it, for one that may be gone. */
export function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = join(path, "..");
  return existsSync(parent) ? join(realpathSync(parent), path.slice(parent.length + 1)) : path;
}
