import { existsSync, lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SpecId } from "../../spec/spec_id.ts";
import { parseTemporaryPid } from "../files/temporary_file.ts";
import { Git } from "../git/git.ts";
import { listClaimedIds, readClaim } from "../locks/lock_file.ts";
import { splitWorktreePath } from "../project/places.ts";
import { findUnfinishedOperation, listAdminFolders, readGitFile, readGitHead, readReflog } from "./admin_folder.ts";
import { computeDigest, type RepositorySnapshot, snapshotPrograms } from "./snapshot.ts";
import { listModuleFolders } from "./submodules.ts";
import { listWorktreeIds, worktreeFiles } from "./worktree_files.ts";
import { isFreshWorktree, type Repository, readWorktreeOrigin, type WorktreeLocation } from "./worktree_place.ts";

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
