import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SpecId } from "../../spec/spec_id.ts";
import { getErrorCode, isMissingError } from "../files/disk_error.ts";
import { openParentFolder, removeFileInOpenFolder } from "../files/open_folder.ts";
import { removeLeftoverFiles, replaceFile, TEMPORARY_PATTERN } from "../files/place_file.ts";
import { readRegularFile } from "../files/read_text.ts";
import type { Git } from "../git/git.ts";
import { buildActivePath, SPECS_FOLDER } from "../project/places.ts";
import { mergeText } from "./join_spec.ts";
import { worktreeFiles } from "./worktree_files.ts";
import {
  type BroughtFile,
  type Repository,
  readWorktreeOrigin,
  type WorktreeLocation,
  type WorktreeOrigin,
  writeWorktreeOrigin,
} from "./worktree_place.ts";

/** Parts of `.planner/` that a run may read, committed or not. */
const SHARED_PATHS = ["config.md", "specs", "archive", "prompts", "templates", "schemas"].map(
  (name) => `.planner/${name}`,
);

/**
 * Copies the project's uncommitted planner files into the worktree. Makes git ignore them there, except the spec's own,
 * so that no commit of the agent contains another spec's state.
 */
export async function copyProjectFiles(place: WorktreeLocation): Promise<readonly BroughtFile[]> {
  const { root, id, repository, worktree, git } = place;
  const paths = (await listUncommittedSharedFiles(repository)).filter((path) => path !== buildActivePath(id));
  const copies = await findFileCopies(place, git, paths);
  const spec = await buildSpecToBring(place);
  const brought = copies.map(({ file }) => file);
  const { branch, mainBranch } = worktree;
  const hiding = readWorktreeOrigin(root, id)?.hiding ?? [];
  const asBrought = spec?.text === spec?.ours ? hashBytes(spec?.ours ?? null) : null;
  const origin = { branch, mainBranch, brought, spec: asBrought, hiding };
  // Recorded before the files exist, so that their origin is known after a crash.
  await writeWorktreeOrigin(root, id, { ...origin, moving: true });
  await writeIgnoreList(place, origin);
  await writeFileCopies(place, git, copies);
  if (spec !== null) await writeBroughtSpec(place, spec);
  await writeWorktreeOrigin(root, id, { ...origin, moving: false });
  return brought;
}

/** Lists uncommitted shared files as paths from the project's root: changed, new, ignored and deleted ones. */
async function listUncommittedSharedFiles({ git, prefix }: Repository): Promise<readonly string[]> {
  const listing = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=traditional"];
  const entries = await git.readEntries([...listing, "--", ...SHARED_PATHS]);
  return entries
    .map((entry) => entry.slice(3))
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length))
    .filter((path) => !path.endsWith("/") && !path.split("/").some((name) => name.startsWith(".planner-")));
}

/** A file with its new content in the worktree; null removes it. */
interface FileCopy {
  readonly file: BroughtFile;
  readonly bytes: Buffer | null;
}

/** Returns files that differ in the worktree and that the run has not changed. */
async function findFileCopies(
  { root, worktree, repository: { prefix } }: WorktreeLocation,
  git: Git,
  paths: readonly string[],
): Promise<readonly FileCopy[]> {
  const other: { readonly path: string; readonly bytes: Buffer | null; readonly isThere: boolean }[] = [];
  for (const path of paths) {
    const [bytes, there] = await Promise.all([
      readFileBytes(join(root, path)),
      readFileBytes(join(worktree.root, path)),
    ]);
    const isSame = bytes === null ? there === null : there !== null && bytes.equals(there);
    if (!isSame) other.push({ path, bytes, isThere: there !== null });
  }
  const names = other.map(({ path }) => prefix + path);
  const known = new Set((await readIndexEntries(git, names)).map(({ path }) => path));
  const changed = await findChangedPaths(git, [...known]);
  return other.flatMap(({ path, bytes, isThere }) => {
    const tracked = known.has(prefix + path);
    if (tracked ? changed.has(prefix + path) : isThere) return [];
    return [{ file: { path, hash: hashBytes(bytes), tracked, own: false }, bytes }];
  });
}

async function writeFileCopies(
  { worktree, repository }: WorktreeLocation,
  git: Git,
  copies: readonly FileCopy[],
): Promise<void> {
  for (const { file, bytes } of copies) {
    if (bytes === null) await removeFileInOpenFolder(join(worktree.root, file.path));
    else await replaceFile(join(worktree.root, file.path), file.path, bytes);
  }
  const tracked = copies.filter(({ file }) => file.tracked).map(({ file }) => repository.prefix + file.path);
  await setOverlookedFiles(git, tracked, true);
}

/** Maximum number of paths in one command line; Windows allows 32,767 characters. */
const MAX_PATHS_PER_CALL = 200;

async function runGitInParts(
  paths: readonly string[],
  ask: (part: readonly string[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let start = 0; start < paths.length; start += MAX_PATHS_PER_CALL) {
    found.push(...(await ask(paths.slice(start, start + MAX_PATHS_PER_CALL))));
  }
  return found;
}

/** Returns git's index entries of paths; a path in conflict has several, with stages above 0. */
async function readIndexEntries(git: Git, paths: readonly string[]) {
  const listed = await runGitInParts(paths, (part) => git.readEntries(["ls-files", "--stage", "-z", "--", ...part]));
  return listed.map((entry) => {
    const [facts = "", path = ""] = entry.split("\t");
    return { path, stage: facts.split(" ")[2] };
  });
}

/** Returns the given paths that differ from the checked-out commit. */
async function findChangedPaths(git: Git, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const options = ["--name-only", "--no-renames", "-z", "HEAD", "--"];
  return new Set(await runGitInParts(paths, (part) => git.readEntries(["diff", ...options, ...part])));
}

interface SpecToBring {
  readonly ours: Buffer;
  readonly theirs: Buffer | null;
  /** New text of the spec in the worktree. */
  readonly text: Buffer;
}

/** Returns the project's current spec, joined with the worktree's if that contains an earlier run's changes. */
async function buildSpecToBring({ root, id, worktree }: WorktreeLocation): Promise<SpecToBring | null> {
  const [ours, theirs, base] = await Promise.all([
    readFileBytes(join(root, buildActivePath(id))),
    readFileBytes(join(worktree.root, buildActivePath(id))),
    readFileBytes(join(root, worktreeFiles.base(id))),
  ]);
  if (ours === null) return null;
  if (theirs === null || base === null) return { ours, theirs, text: ours };
  const texts = { ours: ours.toString(), base: base.toString(), theirs: theirs.toString() };
  const { text } = await mergeText(texts, "ours");
  return { ours, theirs, text: text === texts.ours ? ours : Buffer.from(text) };
}

/** Writes the spec before its base text. With a new base and an old spec, a merge would undo the project's changes. */
async function writeBroughtSpec(
  { root, id, worktree }: WorktreeLocation,
  { ours, theirs, text }: SpecToBring,
): Promise<void> {
  const file = buildActivePath(id);
  if (theirs === null || !theirs.equals(text)) await replaceFile(join(worktree.root, file), file, text);
  await storeCommonText(root, id, ours);
}

/** Stores the spec's text that the project and the worktree now have in common. */
export function storeCommonText(root: string, id: SpecId, text: string | Uint8Array): Promise<void> {
  return replaceFile(join(root, worktreeFiles.base(id)), worktreeFiles.base(id), text);
}

/** Writes one of planner's own files into the worktree and hides it from git. */
export async function addPlannerFile(place: WorktreeLocation, path: string, text: string): Promise<void> {
  const { root, id, repository, worktree, git } = place;
  const known = readWorktreeOrigin(root, id) ?? {
    branch: worktree.branch,
    mainBranch: worktree.mainBranch,
    brought: [],
  };
  const tracked = await isTrackedPath(git, repository.prefix + path);
  const file = { path, hash: hashBytes(Buffer.from(text)), tracked, own: true };
  const origin = { ...known, brought: [...known.brought.filter((one) => one.path !== path), file] };
  // Recorded before the file exists, so that its origin is known after a crash.
  await writeWorktreeOrigin(root, id, origin);
  await writeIgnoreList(place, origin);
  await replaceFile(join(worktree.root, path), path, text);
  if (tracked) await setOverlookedFiles(git, [repository.prefix + path], true);
}

/** Removes files that planner wrote into a worktree. Keeps and returns files of the branch that the run has changed. */
export async function removePlannerFiles(place: WorktreeLocation): Promise<readonly string[]> {
  const { root, id, worktree, git } = place;
  const origin = readWorktreeOrigin(root, id);
  const own = (origin?.brought ?? []).filter((file) => file.own);
  if (origin === null || own.length === 0) return [];
  const changed: string[] = [];
  const displaced: FileToRestore[] = [];
  for (const { path, hash, tracked } of own) {
    const file = join(worktree.root, path);
    if (tracked && hashBytes(await readFileBytes(file)) !== hash) {
      changed.push(path);
      continue;
    }
    displaced.push({ path, tracked });
  }
  await restoreBranchFiles(place, git, displaced);
  const left = { ...origin, brought: origin.brought.filter((file) => !file.own || changed.includes(file.path)) };
  await writeWorktreeOrigin(root, id, left);
  await writeIgnoreList(place, left);
  return changed;
}

/** Returns brought files that the run has changed since, as paths from the project's root. */
export async function listChangedBroughtFiles({ root, id, worktree }: WorktreeLocation): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const { path, hash, own, tracked } of readWorktreeOrigin(root, id)?.brought ?? []) {
    if (own && !tracked) continue;
    if (hashBytes(await readFileBytes(join(worktree.root, path))) !== hash) changed.push(path);
  }
  return changed;
}

/** Removes every brought file, and the spec's own if it is unchanged, and restores the branch's files. */
export async function removeBroughtFiles(place: WorktreeLocation): Promise<void> {
  const { root, id, worktree, git } = place;
  const origin = readWorktreeOrigin(root, id);
  if (origin !== null) await writeWorktreeOrigin(root, id, { ...origin, moving: true });
  const folders = [SPECS_FOLDER, ...(origin?.brought ?? []).map(({ path }) => dirname(path))];
  for (const folder of new Set(folders)) await removeLeftoverFiles(join(worktree.root, folder));
  await restoreBranchFiles(place, git, origin?.brought ?? []);
  if (await isSpecUnchanged(place)) await removeBroughtSpec(place, git);
  if (origin !== null) await writeWorktreeOrigin(root, id, { ...origin, brought: [], moving: false });
}

async function removeBroughtSpec(place: WorktreeLocation, git: Git): Promise<void> {
  const { root, id, repository } = place;
  // Otherwise the branch's text, compared with the brought one, would seem to undo the project's changes.
  await removeFileInOpenFolder(join(root, worktreeFiles.base(id)));
  const path = repository.prefix + buildActivePath(id);
  await restoreBranchFiles(place, git, [{ path: buildActivePath(id), tracked: await isTrackedPath(git, path) }]);
}

type FileToRestore = Pick<BroughtFile, "path" | "tracked">;

/** Restores the branch's version of files; removes files that the branch never had. */
async function restoreBranchFiles(
  { worktree, repository }: WorktreeLocation,
  git: Git,
  files: readonly FileToRestore[],
): Promise<void> {
  for (const { path } of files.filter(({ tracked }) => !tracked))
    await removeFileInOpenFolder(join(worktree.root, path));
  const tracked = files.filter((file) => file.tracked).map(({ path }) => repository.prefix + path);
  const there = (await readIndexEntries(git, tracked)).filter(({ stage }) => stage === "0").map(({ path }) => path);
  if (there.length === 0) return;
  await setOverlookedFiles(git, there, false);
  await git.try(["checkout-index", "--force", "--index", "--quiet", "-z", "--stdin"], {
    input: there.map((path) => `${path}\0`).join(""),
  });
}

export async function isSpecUnchanged({ root, id, worktree }: WorktreeLocation): Promise<boolean> {
  const [now, base] = await Promise.all([
    readFileBytes(join(worktree.root, buildActivePath(id))),
    readFileBytes(join(root, worktreeFiles.base(id))),
  ]);
  if (now === null) return false;
  return (base !== null && now.equals(base)) || hashBytes(now) === readWorktreeOrigin(root, id)?.spec;
}

/** Writes the worktree's ignore list. It replaces the user's list in git, so it begins with the lines of that list. */
async function writeIgnoreList({ root, id, repository }: WorktreeLocation, { brought }: WorktreeOrigin): Promise<void> {
  const users = await readUserIgnoreList(repository);
  const lines = brought
    .filter(({ tracked }) => !tracked)
    .map(({ path }) => `/${(repository.prefix + path).replace(/[\\*?[\]! #]/g, String.raw`\$&`)}`);
  const file = worktreeFiles.exclude(id);
  await replaceFile(join(root, file), file, `${[users, TEMPORARY_PATTERN, ...lines].join("\n")}\n`);
}

async function readUserIgnoreList({ git, settings }: Repository): Promise<string> {
  const home = process.env["XDG_CONFIG_HOME"] ?? join(process.env["HOME"] ?? "", ".config");
  const set = (await settings()).get("core.excludesfile") ?? join(home, "git", "ignore");
  // Git expands a path that begins with `~` or `%`, so it is asked for the full path.
  const path = /^[~%]/.test(set)
    ? ((await git.tryReadOutput(["config", "--type=path", "core.excludesFile"])) ?? set)
    : set;
  return (await readFileBytes(path).catch(() => null))?.toString() ?? "";
}

/** Sets whether git overlooks changes of files. @param paths indexed paths without a conflict */
async function setOverlookedFiles(git: Git, paths: readonly string[], on: boolean): Promise<void> {
  if (paths.length === 0) return;
  const flag = on ? "--skip-worktree" : "--no-skip-worktree";
  await git.try(["update-index", flag, "-z", "--stdin"], { input: paths.map((path) => `${path}\0`).join("") });
}

export async function isTrackedPath(git: Git, path: string): Promise<boolean> {
  return git.confirms(["ls-files", "--error-unmatch", "--", path]);
}

export async function readFileBytes(path: string): Promise<Buffer | null> {
  try {
    return readRegularFile(path);
  } catch (error) {
    // A link to a folder is listed like a file.
    if (isMissingError(error) || getErrorCode(error) === "EISDIR") return null;
    throw error;
  }
}

function hashBytes(bytes: Buffer | null): string | null {
  return bytes === null ? null : createHash("sha256").update(bytes).digest("hex");
}

/** Hides the worktrees from the project's own git, whatever its .gitignore contains. */
export async function hideProjectWorktrees(root: string): Promise<void> {
  const file = ".planner/worktrees/.gitignore";
  openParentFolder(join(root, file)).close();
  if (!existsSync(join(root, file))) await replaceFile(join(root, file), file, "*\n");
}
