import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { readJson } from "../files/json_file.ts";
import { replaceFile } from "../files/place_file.ts";
import type { Git } from "../git/git.ts";
import { readGitFile } from "./admin_folder.ts";
import { worktreeFiles } from "./worktree_files.ts";
import type { Place, Repository } from "./worktree_place.ts";

/**
 * Settings by which git starts programs or reads other files, in the repository's own configuration. An agent that
 * changes one could run what it likes as the person, whenever git is used there.
 */
const WATCHED =
  /^(?:core\.(?:fsmonitor|hookspath|sshcommand|gitproxy|editor|pager|askpass|alternaterefscommand|attributesfile|worktree)|include\.path|includeif\..+|filter\..+\.(?:clean|smudge|process)|merge\..+\.driver|diff\.external|diff\..+\.(?:command|textconv)|gpg\..+|commit\.gpgsign|sequence\.editor|credential\..*helper|extensions\.worktreeconfig|alias\..+|pager\..+|submodule\..+\.update|protocol\..*allow)$/;

/** What decides what git runs in a worktree: names, each with its value or a digest of it. */
export type GitNote = Readonly<Record<string, string>>;

/** Takes the note of what git runs there now. Cost: one git. */
export async function takeNote({ git, gitFolder, repository, worktree }: Place): Promise<GitNote> {
  const keys = await watchedKeys(git);
  const note: Record<string, string> = {};
  const add = (name: string, value: string | null): void => {
    if (value !== null) note[name] = value;
  };
  add(".git", readGitFile(worktree.path, ".git"));
  add("commondir", readGitFile(gitFolder, "commondir"));
  add("gitdir", readGitFile(gitFolder, "gitdir"));
  add("alternates", readGitFile(repository.commonFolder, "objects/info/alternates"));
  for (const [key, value] of keys) note[`setting ${key}`] = value;
  for (const [name, digest] of hooksIn(hooksFolder(repository, keys.get("core.hookspath"))))
    note[`hook ${name}`] = digest;
  return note;
}

/** The folder that git takes hooks from in the person's own checkout: a relative setting counts from there. */
function hooksFolder({ commonFolder, top }: Repository, setting: string | undefined): string {
  if (setting === undefined) return join(commonFolder, "hooks");
  return isAbsolute(setting) ? setting : resolve(top, setting);
}

async function watchedKeys(git: Git): Promise<ReadonlyMap<string, string>> {
  const fields = await git.list(["config", "--list", "--show-scope", "-z"]);
  const found = new Map<string, string>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [scope = "", entry = ""] = fields.slice(index, index + 2);
    const [key = "", ...value] = entry.split("\n");
    if (!["local", "worktree"].includes(scope) || !WATCHED.test(key)) continue;
    const before = found.get(key);
    found.set(key, before === undefined ? value.join("\n") : `${before}\n${value.join("\n")}`);
  }
  return found;
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

/** What has changed since the note was taken, one entry each: `hook pre-commit was added` for example. */
function changesSince(before: GitNote, now: GitNote): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names]
    .filter((name) => before[name] !== now[name])
    .sort()
    .map((name) => `${name} was ${changeOf(before[name], now[name])}`);
}

function changeOf(before: string | undefined, now: string | undefined): string {
  if (before === undefined) return "added";
  return now === undefined ? "removed" : "changed";
}

/** What a person has to see to before git runs there again; null if nothing was planted since the note was taken. */
export async function plantedProblem(place: Place, before: GitNote | null): Promise<string | null> {
  const changes = before === null ? [] : changesSince(before, await takeNote(place));
  return changes.length === 0 ? null : problemText(place, changes);
}

/**
 * Refuses to run git where it would run what somebody has planted.
 *
 * @throws OperationError `failed_precondition`
 */
export async function refusePlanted(place: Place, before: GitNote | null): Promise<void> {
  const problem = await plantedProblem(place, before);
  if (problem !== null) throw new OperationError("failed_precondition", problem);
}

function problemText({ id }: Pick<Place, "id">, changes: readonly string[]): string {
  const named = changes.slice(0, 5).join(", ");
  const more = changes.length > 5 ? ` and ${changes.length - 5} more` : "";
  return `what git runs here has changed during the run: ${named}${more}: undo it, or remove ${worktreeFiles.note(id)} if it is yours, then run "planner merge ${id}"`;
}
