import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readJsonFile } from "../files/json_file.ts";
import { removeFileInOpenFolder } from "../files/open_folder.ts";
import { replaceFile } from "../files/place_file.ts";
import type { Git } from "../git/git.ts";
import { readGitFile } from "./admin_folder.ts";
import { worktreeFiles } from "./worktree_files.ts";
import { type Repository, resolveHooksFolder, type WorktreeLocation } from "./worktree_place.ts";

/**
 * Matches settings by which git starts programs or reads other files. An agent that changes one could run any program
 * as the user whenever git is used there.
 */
const PROGRAM_SETTING_PATTERN =
  /^(?:core\.(?:fsmonitor|hookspath|sshcommand|gitproxy|editor|pager|askpass|alternaterefscommand|attributesfile|worktree)|include\.path|includeif\..+|filter\..+\.(?:clean|smudge|process)|merge\..+\.driver|diff\.external|diff\..+\.(?:command|textconv)|gpg\..+|commit\.gpgsign|sequence\.editor|credential\..*helper|extensions\.worktreeconfig|alias\..+|pager\..+|submodule\..+\.update|protocol\..*allow)$/;

/** Matches settings of a person's tools, which planner's git does not start. A run may change them globally. */
const PERSONAL_SETTING_PATTERN =
  /^(?:core\.(?:editor|pager|askpass)|sequence\.editor|credential\..*|alias\..+|pager\..+|include.*)$/;

/**
 * State of the repository and of the project at one moment: values or digests by name. Each name begins with its kind:
 * `ref refs/heads/main`, `setting user.name`, `hook pre-commit`, `file .planner/config.md`.
 */
export type RepositorySnapshot = Readonly<Record<string, string>>;

/** Matches settings whose values are or contain secrets. */
const SECRET_SETTING_PATTERN = /(?:url|header|token|password|proxy|cookie|secret)/i;

/** Prefixes of names in a snapshot, by the scope of a git setting. */
const SCOPE_PREFIXES: Readonly<Record<string, string>> = {
  local: "setting",
  global: "global setting",
  worktree: "worktree setting",
};

/**
 * Takes the part of a snapshot that decides which programs git runs in a worktree; in the project's checkout if the
 * worktree no longer exists. Cost: one git process, which runs none of these programs.
 */
export async function snapshotPrograms({
  gitFolder,
  repository,
  worktree,
  ...place
}: WorktreeLocation): Promise<RepositorySnapshot> {
  const git = existsSync(worktree.path) ? place.git : repository.git;
  const note: Record<string, string> = { ...(await snapshotSharedPrograms(repository, git)) };
  addSnapshotEntry(note, ".git", readGitFile(worktree.path, ".git"));
  addSnapshotEntry(note, "commondir", readGitFile(gitFolder, "commondir"));
  addSnapshotEntry(note, "gitdir", readGitFile(gitFolder, "gitdir"));
  return note;
}

/**
 * Takes the part of `snapshotPrograms` that applies to every checkout of the repository. Cost: one git process.
 *
 * @param git git in one of the checkouts, because settings can be included for one of them alone
 */
export async function snapshotSharedPrograms(repository: Repository, git: Git): Promise<RepositorySnapshot> {
  const { commonFolder } = repository;
  const note: Record<string, string> = {};
  addSnapshotEntry(note, "alternates", readGitFile(commonFolder, "objects/info/alternates"));
  for (const { scope, key, values } of await listSettings(git)) {
    note[`${SCOPE_PREFIXES[scope] ?? scope} ${key}`] =
      SECRET_SETTING_PATTERN.test(key) && !PROGRAM_SETTING_PATTERN.test(key) ? computeDigest(values) : values;
  }
  const folder = resolveHooksFolder(
    repository,
    note["setting core.hookspath"] ?? note["global setting core.hookspath"],
  );
  for (const [name, digest] of listHooks(folder)) note[`hook ${name}`] = digest;
  return note;
}

/** Returns the part of a snapshot that `snapshotSharedPrograms` takes. */
export function pickSharedPrograms(note: RepositorySnapshot): RepositorySnapshot {
  return Object.fromEntries(Object.entries(note).filter(([name]) => SHARED_NAME_PATTERN.test(name)));
}

const SHARED_NAME_PATTERN = /^(?:alternates$|hook |setting |global setting )/;

function addSnapshotEntry(note: Record<string, string>, name: string, value: string | null): void {
  if (value !== null) note[name] = value;
}

interface GitSetting {
  readonly scope: string;
  readonly key: string;
  /** All values of the setting, joined by line breaks. */
  readonly values: string;
}

async function listSettings(git: Git): Promise<readonly GitSetting[]> {
  const fields = await git.readEntries(["config", "--list", "--show-scope", "-z"]);
  const found = new Map<string, GitSetting>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [scope = "", entry = ""] = fields.slice(index, index + 2);
    const [key = "", ...value] = entry.split("\n");
    if (SCOPE_PREFIXES[scope] === undefined) continue;
    const before = found.get(`${scope} ${key}`)?.values;
    const text = value.join("\n");
    found.set(`${scope} ${key}`, { scope, key, values: before === undefined ? text : `${before}\n${text}` });
  }
  return [...found.values()];
}

function listHooks(folder: string): readonly (readonly [name: string, digest: string])[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !name.endsWith(".sample"))
    .flatMap((name) => {
      const path = join(folder, name);
      if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
      return [[name, computeDigest(readFileSync(path))]];
    });
}

export function computeDigest(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

/** Stores a snapshot for later processes. */
export function storeSnapshot(
  { root, id }: Pick<WorktreeLocation, "root" | "id">,
  snapshot: RepositorySnapshot,
): Promise<void> {
  const file = worktreeFiles.snapshot(id);
  return replaceFile(join(root, file), file, `${JSON.stringify(snapshot, null, 2)}\n`);
}

/** Reads the stored snapshot; null if none was stored, or a person removed it. */
export function readSnapshot({ root, id }: Pick<WorktreeLocation, "root" | "id">): RepositorySnapshot | null {
  const read = readJsonFile(join(root, worktreeFiles.snapshot(id)));
  return read.kind === "object" ? (read.object as RepositorySnapshot) : null;
}

export async function deleteSnapshot({ root, id }: Pick<WorktreeLocation, "root" | "id">): Promise<void> {
  await removeFileInOpenFolder(join(root, worktreeFiles.snapshot(id)));
}

/** One entry that differs between two snapshots. */
export interface SnapshotChange {
  /** Name of the entry in the snapshot, such as `hook pre-commit`. */
  readonly name: string;
  readonly before: string | undefined;
  readonly now: string | undefined;
}

/** Returns the differing entries, sorted by name. */
export function compareSnapshots(before: RepositorySnapshot, now: RepositorySnapshot): readonly SnapshotChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((name) => before[name] !== now[name])
    .sort()
    .map((name) => ({ name, before: before[name], now: now[name] }));
}

/** Returns changes that affect which programs git runs; omits single hooks' changes if the hooks folder changed. */
export function filterProgramChanges(changes: readonly SnapshotChange[]): readonly SnapshotChange[] {
  const planted = changes.filter(isProgramChange);
  const moved = planted.some(({ name }) => name.endsWith("setting core.hookspath"));
  return planted.filter(({ name }) => !(moved && name.startsWith("hook ")));
}

/** Returns whether a change could make git start a program. */
export function isProgramChange({ name }: SnapshotChange): boolean {
  const [, scope, key] = /^(?:(global|worktree) )?setting (.+)$/.exec(name) ?? [];
  if (key !== undefined)
    return PROGRAM_SETTING_PATTERN.test(key) && !(scope === "global" && PERSONAL_SETTING_PATTERN.test(key));
  return name.startsWith("hook ") || ["alternates", ".git", "commondir", "gitdir"].includes(name);
}

/** Returns whether a program change could make planner's git start a program in a checkout of another run. */
export function affectsOtherCheckouts({ name }: SnapshotChange): boolean {
  const key = /^(?:global )?setting (.+)$/.exec(name)?.[1];
  return key === undefined ? name.startsWith("hook ") || name === "alternates" : !PERSONAL_SETTING_PATTERN.test(key);
}
