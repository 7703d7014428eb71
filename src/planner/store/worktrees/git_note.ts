import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readJson } from "../files/json_file.ts";
import { replaceFile } from "../files/place_file.ts";
import type { Git } from "../git/git.ts";
import { readGitFile } from "./admin_folder.ts";
import { hooksFolder } from "./hooks_folder.ts";
import { worktreeFiles } from "./worktree_files.ts";
import type { Place, Repository } from "./worktree_place.ts";

/**
 * Settings by which git starts programs or reads other files. An agent that changes one could run what it likes as the
 * person, whenever git is used there.
 */
const WATCHED =
  /^(?:core\.(?:fsmonitor|hookspath|sshcommand|gitproxy|editor|pager|askpass|alternaterefscommand|attributesfile|worktree)|include\.path|includeif\..+|filter\..+\.(?:clean|smudge|process)|merge\..+\.driver|diff\.external|diff\..+\.(?:command|textconv)|gpg\..+|commit\.gpgsign|sequence\.editor|credential\..*helper|extensions\.worktreeconfig|alias\..+|pager\..+|submodule\..+\.update|protocol\..*allow)$/;

/** A person's own choices, which their global settings change at any time and by which planner's git starts nothing. */
const PERSONAL = /^(?:core\.(?:editor|pager|askpass)|sequence\.editor|credential\..*|alias\..+|pager\..+|include.*)$/;

/** What decides what git runs in a worktree: names, each with its value or a digest of it. */
export type GitNote = Readonly<Record<string, string>>;

/** Prefixes of a note's names, by the scope in which git has the setting. */
const SCOPES: Readonly<Record<string, string>> = {
  local: "setting",
  global: "global setting",
  worktree: "worktree setting",
};

/** Takes the note of what git runs in a worktree now. Cost: one git. */
export async function takeNote({ git, gitFolder, repository, worktree }: Place): Promise<GitNote> {
  const note: Record<string, string> = { ...(await takeSharedNote(repository, git)) };
  add(note, ".git", readGitFile(worktree.path, ".git"));
  add(note, "commondir", readGitFile(gitFolder, "commondir"));
  add(note, "gitdir", readGitFile(gitFolder, "gitdir"));
  return note;
}

/**
 * Takes the part of the note that holds in every checkout of the repository. Cost: one git.
 *
 * @param git in one of the checkouts: settings can be included for one of them alone
 */
export async function takeSharedNote(repository: Repository, git: Git): Promise<GitNote> {
  const { commonFolder } = repository;
  const note: Record<string, string> = {};
  add(note, "alternates", readGitFile(commonFolder, "objects/info/alternates"));
  for (const { scope, key, values } of await watchedSettings(git)) {
    note[`${SCOPES[scope] ?? scope} ${key}`] = values;
  }
  const folder = hooksFolder(repository, note["setting core.hookspath"] ?? note["global setting core.hookspath"]);
  for (const [name, digest] of hooksIn(folder)) note[`hook ${name}`] = digest;
  return note;
}

/** Returns the part of a note that `takeSharedNote` takes. */
export function sharedPart(note: GitNote): GitNote {
  return Object.fromEntries(Object.entries(note).filter(([name]) => SHARED.test(name)));
}

const SHARED = /^(?:alternates$|hook |setting |global setting )/;

function add(note: Record<string, string>, name: string, value: string | null): void {
  if (value !== null) note[name] = value;
}

interface WatchedSetting {
  readonly scope: string;
  readonly key: string;
  /** All of its values, joined by line ends. */
  readonly values: string;
}

async function watchedSettings(git: Git): Promise<readonly WatchedSetting[]> {
  const fields = await git.list(["config", "--list", "--show-scope", "-z"]);
  const found = new Map<string, WatchedSetting>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [scope = "", entry = ""] = fields.slice(index, index + 2);
    const [key = "", ...value] = entry.split("\n");
    if (!["local", "worktree", "global"].includes(scope) || !WATCHED.test(key)) continue;
    if (scope === "global" && PERSONAL.test(key)) continue;
    const before = found.get(`${scope} ${key}`)?.values;
    const text = value.join("\n");
    found.set(`${scope} ${key}`, { scope, key, values: before === undefined ? text : `${before}\n${text}` });
  }
  return [...found.values()];
}

function hooksIn(folder: string): readonly (readonly [name: string, digest: string])[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !name.endsWith(".sample"))
    .flatMap((name) => {
      const path = join(folder, name);
      if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
      return [[name, createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 16)]];
    });
}

/** Stores a note for later processes. */
export function keepNote({ root, id }: Pick<Place, "root" | "id">, note: GitNote): Promise<void> {
  const file = worktreeFiles.note(id);
  return replaceFile(join(root, file), file, `${JSON.stringify(note, null, 2)}\n`);
}

/** Null if none was stored, or a person removed it. */
export function readNote({ root, id }: Pick<Place, "root" | "id">): GitNote | null {
  const read = readJson(join(root, worktreeFiles.note(id)));
  return read.kind === "object" ? (read.object as GitNote) : null;
}

export async function dropNote({ root, id }: Pick<Place, "root" | "id">): Promise<void> {
  await rm(join(root, worktreeFiles.note(id)), { force: true });
}

/** One thing that differs from a note. */
export interface NoteChange {
  /** As in the note, `hook pre-commit` for example. */
  readonly name: string;
  readonly before: string | undefined;
  readonly now: string | undefined;
}

/** Returns what has changed since the note was taken, by name. With another folder of hooks, those are no changes. */
export function changesSince(before: GitNote, now: GitNote): readonly NoteChange[] {
  const changes = [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((name) => before[name] !== now[name])
    .sort()
    .map((name) => ({ name, before: before[name], now: now[name] }));
  const moved = changes.some(({ name }) => name.endsWith("setting core.hookspath"));
  return changes.filter(({ name }) => !(moved && name.startsWith("hook ")));
}

/** Whether a change could make planner's git start a program in another checkout than the run's own. */
export function reachesOthers({ name }: NoteChange): boolean {
  const key = /^(?:global )?setting (.+)$/.exec(name)?.[1];
  return key === undefined ? name.startsWith("hook ") || name === "alternates" : !PERSONAL.test(key);
}
