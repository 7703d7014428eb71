import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SpecId } from "../../spec/spec_id.ts";
import { parseTemporaryPid, replaceFile } from "../files/place_file.ts";
import { readJsonFile } from "../files/read_text.ts";
import { Git } from "../git/git.ts";
import { listClaimedIds, readClaim } from "../locks/local_claims.ts";
import { splitWorktreePath } from "../project/places.ts";
import { findUnfinishedOperation, listAdminFolders, readGitFile, readGitHead, readReflog } from "./admin_folder.ts";
import { listWorktreeIds, worktreeFiles } from "./worktree_files.ts";
import {
  isFreshWorktree,
  listModuleFolders,
  type Repository,
  readWorktreeOrigin,
  resolveHooksFolder,
  type WorktreeLocation,
} from "./worktree_place.ts";

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

function computeDigest(bytes: string | Uint8Array): string {
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

/** Parts of `.planner/` that planner itself changes during runs. */
const RUNTIME_ENTRIES: ReadonlySet<string> = new Set(["locks", "logs", "processes", "runs", "watch.pid", "worktrees"]);

/** Files of git's `info/` that change how git ignores or treats files in every checkout. */
const INFO_FILES = ["attributes", "exclude", "grafts", "sparse-checkout"];

/** Name of the entry with a complete snapshot's time, in ms since 1970. Snapshots of early planner versions lack it. */
export const WHOLE_SNAPSHOT_NAME = "snapshot";

/**
 * Takes a snapshot of all parts of the repository and the project that a run in the worktree should not change. Cost:
 * three git processes, one more for each submodule, and a `stat` of each file of `.planner/`.
 *
 * @param programs as `snapshotPrograms` has just returned them
 */
export async function takeSnapshot(
  place: WorktreeLocation,
  programs?: RepositorySnapshot,
): Promise<RepositorySnapshot> {
  const { root, repository } = place;
  const { commonFolder, git } = repository;
  const taken = String(Date.now());
  const info = INFO_FILES.map((name) => [`info ${name}`, readGitFile(commonFolder, `info/${name}`)] as const);
  const parts = await Promise.all([
    programs ?? snapshotPrograms(place),
    readRefs(git),
    readCheckoutHeads(place),
    readUncommittedChanges(repository),
    readSubmoduleStates(commonFolder),
    readOtherRuns(place),
  ]);
  return Object.assign(
    { [WHOLE_SNAPSHOT_NAME]: taken },
    Object.fromEntries(readReflog(commonFolder, "refs/stash").map(({ to, message }) => [`stash ${to}`, message])),
    Object.fromEntries(info.filter(([, text]) => text !== null)),
    Object.fromEntries(listFileMarks(root, ".planner")),
    ...parts,
  );
}

/** Reads all refs. The value of a symbolic ref, such as `refs/remotes/origin/HEAD`, is its target's name. */
export async function readRefs(git: Git): Promise<RepositorySnapshot> {
  const listed = await git.run(["for-each-ref", "--format=%(objectname) %(symref) %(refname)"]);
  const refs = listed.split("\n").flatMap((line) => {
    const [hash = "", target = "", ref = ""] = line.split(" ");
    return ref === "" || ref === "refs/stash" ? [] : [[`ref ${ref}`, target === "" ? hash : `ref: ${target}`]];
  });
  return Object.fromEntries(refs);
}

/** Reads HEAD and unfinished operations of every checkout that belongs neither to a run nor to its checks. */
async function readCheckoutHeads({ repository }: WorktreeLocation): Promise<RepositorySnapshot> {
  const heads: Record<string, string> = {};
  for (const [path, folder] of await listCheckouts(repository)) {
    if (splitWorktreePath(path) !== null || isFreshWorktree(path)) continue;
    const head = readGitHead(folder);
    if (head !== null) heads[`HEAD ${path}`] = "ref" in head ? head.ref : head.hash;
    const unfinished = findUnfinishedOperation(folder);
    if (unfinished !== null) heads[`operation ${path}`] = unfinished.name;
  }
  return heads;
}

/** Returns git's own folders of all checkouts, by their paths. */
export async function listCheckouts({
  commonFolder,
  gitFolder,
  top,
}: Repository): Promise<ReadonlyMap<string, string>> {
  const main = gitFolder === commonFolder ? top : dirname(commonFolder);
  return new Map([[main, commonFolder], ...(await listAdminFolders(commonFolder))]);
}

/** Number of tries and pause in milliseconds when git changes a checkout while it is read. Chosen by planner. */
const STEADY_READ_LIMITS = { tries: 20, pauseMs: 50 } as const;

/**
 * Reads uncommitted changes in the person's checkout, without those in `.planner/`. A merge of another run writes the
 * files, the index and HEAD one after the other, so the checkout is read again until none of them changed meanwhile.
 */
async function readUncommittedChanges({ git, gitFolder, top, prefix }: Repository): Promise<RepositorySnapshot> {
  const listing = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal"];
  for (let tries = 1; ; tries++) {
    const before = buildCheckoutMark(gitFolder);
    const all = await git.readEntries(listing);
    // Git writes HEAD after the index, so staged entries may belong to a merge in progress.
    if (all.some((entry) => /^[^ ?]/.test(entry))) await sleep(STEADY_READ_LIMITS.pauseMs);
    if (tries < STEADY_READ_LIMITS.tries && (before === null || before !== buildCheckoutMark(gitFolder))) {
      await sleep(STEADY_READ_LIMITS.pauseMs);
      continue;
    }
    const changes = all.map((entry) => ({ state: entry.slice(0, 2), path: entry.slice(3) }));
    return Object.fromEntries(
      changes
        .filter(({ path }) => !path.startsWith(`${prefix}.planner/`))
        .map(({ state, path }) => [`change ${path}`, `${state} ${buildContentMark(join(top, path))}`]),
    );
  }
}

/** Returns the paths of the uncommitted changes that a snapshot names, sorted. */
export function listChangedPaths(snapshot: RepositorySnapshot): readonly string[] {
  const mark = "change ";
  const names = Object.keys(snapshot).filter((name) => name.startsWith(mark));
  return names.map((name) => name.slice(mark.length)).sort();
}

/** Returns a value that changes when another commit is checked out; null while git writes the index. */
function buildCheckoutMark(gitFolder: string): string | null {
  if (existsSync(join(gitFolder, "index.lock"))) return null;
  return ["logs/HEAD", "HEAD", "index"].map((name) => buildContentMark(join(gitFolder, name))).join(" ");
}

function listFileMarks(root: string, folder: string): readonly (readonly [name: string, mark: string])[] {
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if ((folder === ".planner" && RUNTIME_ENTRIES.has(entry.name)) || parseTemporaryPid(entry.name) !== null) return [];
    return entry.isDirectory()
      ? listFileMarks(root, path)
      : [[`file ${path}`, buildContentMark(join(root, path))] as const];
  });
}

/** Returns a value that changes with a file's content; empty without a file. */
function buildContentMark(path: string): string {
  const facts: Stats | undefined = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return "";
  return facts.isSymbolicLink() ? `link ${readlinkSync(path)}` : `${facts.size} ${facts.mtimeMs} ${facts.ino}`;
}

/** Returns a digest of HEAD and refs of each submodule in the person's checkout. */
async function readSubmoduleStates(commonFolder: string): Promise<RepositorySnapshot> {
  const found: Record<string, string> = {};
  for (const [name, folder] of listModuleFolders(commonFolder)) {
    const listing = ["for-each-ref", "--format=%(objectname) %(refname)"];
    const { stdout } = await new Git(folder, { GIT_DIR: folder }).try(listing);
    const refs = stdout
      .toString()
      .split("\n")
      .filter((line) => !line.includes(" refs/planner/"));
    found[`module ${name}`] = computeDigest([readGitFile(folder, "HEAD"), ...refs].join("\n"));
  }
  return found;
}

/**
 * Returns state and branch of each run of another spec, because planner itself changes its spec and branch. A run has a
 * claim before it has a worktree.
 */
async function readOtherRuns({ root, id }: WorktreeLocation): Promise<RepositorySnapshot> {
  const now = new Date();
  const isClaimed = (other: SpecId): boolean => readClaim(root, other, now)?.holder.alive === true;
  const claimed = (await listClaimedIds(root)).filter(isClaimed);
  const others = new Set([...(await listWorktreeIds(root)), ...claimed]);
  others.delete(id);
  return Object.fromEntries(
    [...others].map((other) => {
      const status = readGitFile(root, worktreeFiles.status(other)) ?? "";
      const isWorking = claimed.includes(other) || /"status": "working"/.test(status);
      const state = isWorking ? "working" : computeDigest(status);
      return [`run ${other}`, `${state} ${readWorktreeOrigin(root, other)?.branch ?? ""}`];
    }),
  );
}
