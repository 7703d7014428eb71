import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { constants, inflateSync } from "node:zlib";
import type { SpecId } from "../../spec/spec_id.ts";
import type { Git } from "../git/git.ts";
import { listAdminFolders, type ReflogEntry, readGitHead, readReflog, resolveStoredPath } from "./admin_folder.ts";
import { buildSpecRef } from "./ref_names.ts";
import {
  compareSnapshots,
  isProgramChange,
  type RepositorySnapshot,
  type SnapshotChange,
  WHOLE_SNAPSHOT_NAME,
} from "./snapshot.ts";
import { branchExists, hasOwnChange, isBranchMerged, type SpecBranches } from "./worktree_commits.ts";
import { locateWorktree } from "./worktree_files.ts";
import type { Repository, WorktreeLocation } from "./worktree_place.ts";

/** A commit that no branch contains, and the ref that keeps it with its ancestors. */
interface KeptCommits {
  /** Ref such as `refs/planner/kept/<id>/1`. */
  readonly ref: string;
  readonly hash: string;
  /** Whether an amend, a rebase or a reset replaced the commit, so that a person does not need it. */
  readonly superseded: boolean;
}

interface WorktreeRemoval {
  readonly id: SpecId;
  /** Git's own folder of the worktree; null if it no longer exists. */
  readonly gitFolder: string | null;
  readonly commonFolder: string;
  readonly branch: string;
  readonly mainBranch: string;
  /** Whether the main branch is known to contain the branch's change, so that its commits are not kept. */
  readonly isDropped?: boolean;
}

const REPLACING_ACTION_PATTERN = /^(?:commit \(amend\)|rebase|reset|pull --rebase)/;

/**
 * Keeps every commit that only the worktree and its branch reach and whose change the main branch lacks, as
 * `refs/planner/kept/<id>/<n>`. A repeated call keeps no commit twice.
 *
 * @param git git in a checkout other than the worktree
 */
export async function keepCommits(git: Git, removal: WorktreeRemoval): Promise<readonly KeptCommits[]> {
  const { id, branch, mainBranch, gitFolder, commonFolder, isDropped = false } = removal;
  const moves = [
    ...readReflog(commonFolder, `refs/heads/${branch}`),
    ...(gitFolder === null ? [] : readReflog(gitFolder, "HEAD")),
  ];
  const tips = listBranchTips(removal, moves);
  if (tips.length === 0) return [];
  // Run records do not count, because they also contain commits that a later run has dropped.
  const own = isDropped ? [] : [`--exclude=refs/heads/${branch}`];
  const hidden = [...own, "--exclude=refs/planner/runs/*", "--exclude=refs/planner/remote/*"];
  const others = ["--not", `refs/heads/${mainBranch}`, ...hidden, "--all"];
  // A commit that only the worktree's HEAD reaches is lost with the worktree, so that HEAD does not count.
  const listing = ["rev-list", "--single-worktree", "--parents", "--ignore-missing", "--stdin", ...others];
  const listed = await git.run(listing, { input: `${tips.join("\n")}\n` });
  const heads = findHeadCommits(listed);
  const missing: string[] = [];
  for (const hash of heads) if (await hasOwnChange(git, hash, mainBranch)) missing.push(hash);
  return (await keepObjects(git, id, missing)).map((one) => {
    const superseded = moves.some((move) => move.from === one.hash && REPLACING_ACTION_PATTERN.test(move.message));
    return { ...one, superseded };
  });
}

/**
 * Keeps the commits that would be lost with a spec's worktree and branch. Returns messages about the new refs, without
 * commits that an amend, a rebase or a reset replaced.
 */
export async function keepLostCommits(
  { git, commonFolder }: Repository,
  spec: { readonly root: string; readonly id: SpecId; readonly branches: SpecBranches; readonly isDropped: boolean },
): Promise<readonly string[]> {
  const { root, id, branches, isDropped } = spec;
  // Git keeps its data about a worktree whose folder was deleted.
  const path = resolveStoredPath(locateWorktree(root, id));
  const gitFolder = (await listAdminFolders(commonFolder)).get(path) ?? null;
  const kept = await keepCommits(git, { id, gitFolder, commonFolder, ...branches, isDropped });
  return kept
    .filter(({ superseded }) => !superseded)
    .map(({ ref, hash }) => `commit ${hash.slice(0, 10)} is in no branch: kept as ${ref}`);
}

/** Keeps objects, mostly commits, as refs with the next free numbers. @param git git in the project's folder */
export async function keepObjects(
  git: Git,
  id: SpecId,
  hashes: readonly string[],
): Promise<readonly Pick<KeptCommits, "ref" | "hash">[]> {
  if (hashes.length === 0) return [];
  const folder = buildSpecRef(git.cwd, "kept", id);
  const first = await findNextKeptNumber(git, folder);
  const kept = hashes.map((hash, index) => ({ ref: `${folder}/${first + index}`, hash }));
  await git.run(["update-ref", "--stdin"], { input: kept.map(({ ref, hash }) => `create ${ref} ${hash}\n`).join("") });
  return kept;
}

/** Returns whether a ref under `refs/planner/kept/<id>/` names the commit. */
export async function isKeptCommit(git: Git, id: SpecId, hash: string): Promise<boolean> {
  const folder = buildSpecRef(git.cwd, "kept", id);
  return (await git.run(["for-each-ref", "--count=1", `--points-at=${hash}`, `${folder}/`])) !== "";
}

/**
 * Keeps the last commit of a branch as `refs/planner/kept/<id>/<n>` if the main branch lacks it.
 *
 * @returns a message about the new ref; empty if the branch is merged, already kept or missing
 */
export async function keepBranch(git: Git, id: SpecId, branches: SpecBranches): Promise<readonly string[]> {
  const { branch } = branches;
  if (!(await branchExists(git, branch)) || (await isBranchMerged(git, branches))) return [];
  const end = await git.line(["rev-parse", "--verify", `refs/heads/${branch}`]);
  if (await isKeptCommit(git, id, end)) return [];
  const kept = await keepObjects(git, id, [end]);
  return kept.map(({ ref }) => `branch "${branch}" is kept as ${ref}: "git branch <name> ${ref}" brings it back`);
}

/**
 * Keeps the commits of deleted or moved refs, dropped stashes and deleted checkouts, if no other ref reaches them.
 *
 * @returns refs below `refs/planner/kept/` by the changes' names
 */
export async function keepLostObjects(
  git: Git,
  id: SpecId,
  changes: readonly SnapshotChange[],
): Promise<ReadonlyMap<string, string>> {
  const lost: { readonly name: string; readonly hash: string }[] = [];
  for (const { name, before, now } of changes) {
    const [kind, subject] = splitSnapshotName(name);
    const hash = kind === "stash" && now === undefined ? subject : before;
    if (!["stash", "ref", "HEAD"].includes(kind) || hash === undefined || !/^[0-9a-f]{40,64}$/.test(hash)) continue;
    if (await isUnreachable(git, hash)) lost.push({ name, hash });
  }
  const kept = await keepObjects(git, id, [...new Set(lost.map(({ hash }) => hash))]);
  const refs = new Map(kept.map(({ ref, hash }) => [hash, ref]));
  return new Map(lost.map(({ name, hash }) => [name, refs.get(hash) ?? ""]));
}

/**
 * Keeps annotated tags and stashes that a run has created and then replaced or dropped.
 *
 * @param before,now snapshots at the run's begin and end
 * @returns one sentence for each kept object
 */
export async function keepDroppedObjects(
  { repository, id }: WorktreeLocation,
  before: RepositorySnapshot,
  now: RepositorySnapshot,
): Promise<readonly string[]> {
  const { commonFolder, git } = repository;
  if (!(WHOLE_SNAPSHOT_NAME in before)) return [];
  const there = new Set([...Object.keys(now), ...Object.values(now)]);
  const lost: CreatedObject[] = [];
  for (const made of listCreatedObjects(commonFolder, Number(before[WHOLE_SNAPSHOT_NAME]))) {
    const isThere = there.has(made.hash) || there.has(`stash ${made.hash}`);
    if (!isThere && (await isUnreachable(git, made.hash))) lost.push(made);
  }
  const hashes = lost.map(({ hash }) => hash);
  const kept = await keepObjects(git, id, hashes);
  return kept.map(({ ref }, index) => `${lost[index]?.what}, made and dropped during the run, is kept as ${ref}`);
}

/** Returns whether an object exists and no ref reaches it. Only a ref to the tag itself reaches an annotated tag. */
async function isUnreachable(git: Git, hash: string): Promise<boolean> {
  const type = await git.tryReadOutput(["cat-file", "-t", hash]);
  if (type === null) return false;
  if (type !== "tag")
    return (await git.tryReadOutput(["rev-list", "--max-count=1", hash, "--not", "--all", "--"])) !== "";
  return (await git.line(["for-each-ref", "--count=1", "--format=%(refname)", `--points-at=${hash}`])) === "";
}

function listBranchTips({ gitFolder, branch }: WorktreeRemoval, moves: readonly ReflogEntry[]): readonly string[] {
  const head = gitFolder === null ? null : readGitHead(gitFolder);
  const hashes = new Set(moves.flatMap(({ from, to }) => [from, to]).filter((hash) => !/^0+$/.test(hash)));
  if (head !== null && "hash" in head) hashes.add(head.hash);
  return hashes.size === 0 ? [] : [...hashes, `refs/heads/${branch}`];
}

/** Returns the listed commits that are no parent of another one. @param listed output of `rev-list --parents` */
function findHeadCommits(listed: string): readonly string[] {
  const lines = listed.split("\n").filter((line) => line !== "");
  const parents = new Set(lines.flatMap((line) => line.split(" ").slice(1)));
  return lines.map((line) => line.split(" ")[0] ?? "").filter((hash) => !parents.has(hash));
}

async function findNextKeptNumber(git: Git, folder: string): Promise<number> {
  const refs = (await git.run(["for-each-ref", "--format=%(refname)", `${folder}/`])).split("\n");
  const numbers = refs.map((ref) => Number(/\/(\d+)$/.exec(ref)?.[1] ?? 0));
  return Math.max(0, ...numbers) + 1;
}

/** An annotated tag or a stash that was created during a run. */
interface CreatedObject {
  readonly hash: string;
  /** Description such as `tag "v1"`. */
  readonly what: string;
}

/** Number of bytes read of an object's file: enough for the header, names, dates and one line of the message. */
const MAX_READ_BYTES = 4096;

/** Maximum time by which a file system may date a file earlier than the clock, in milliseconds. */
const CLOCK_STEP_MS = 1000;

/**
 * Returns annotated tags and stashes that were created since a time and are not packed. Git keeps no other record of a
 * replaced tag or a dropped stash. Cost: no git process; reads the beginning of each object file written since then.
 *
 * @param since in milliseconds since 1970
 *
 * Source: https://git-scm.com/docs/gitformat-loose
 */
function listCreatedObjects(commonFolder: string, since: number): readonly CreatedObject[] {
  const objects = join(commonFolder, "objects");
  const isNew = (path: string): boolean =>
    (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since - CLOCK_STEP_MS;
  // A folder's time changes whenever a file is added to it.
  const folders = readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name) && isNew(join(objects, name)));
  return folders.flatMap((folder) =>
    readdirSync(join(objects, folder)).flatMap((name) => {
      const path = join(objects, folder, name);
      const what = /^[0-9a-f]{38,62}$/.test(name) && isNew(path) ? describeObject(readObjectBeginning(path)) : null;
      return what === null ? [] : [{ hash: folder + name, what }];
    }),
  );
}

/** Describes an annotated tag or a stash; null for any other object. */
function describeObject(text: string): string | null {
  const tag = /^tag \d+\0object .+\ntype .+\ntag (.+)\n/.exec(text)?.[1];
  if (tag !== undefined) return `tag "${tag}"`;
  const stash = /^commit \d+\0tree .+\n(?:parent .+\n){2,3}author [\s\S]*?\n\n((?:WIP on|On) .*)/.exec(text)?.[1];
  return stash === undefined ? null : `stash "${stash}"`;
}

/** Returns the beginning of an object; empty if the file is missing or contains other data. */
function readObjectBeginning(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(MAX_READ_BYTES);
      const length = readSync(file, bytes, 0, bytes.length, 0);
      return inflateSync(bytes.subarray(0, length), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

/**
 * Returns changes outside of a run's own branch, worktree and spec, without planner's own changes for runs of other
 * specs. Omits changes of programs that git runs, which `filterProgramChanges` returns.
 */
export function findOutsideChanges(
  before: RepositorySnapshot,
  now: RepositorySnapshot,
  { id, branch }: { readonly id: string; readonly branch: string },
): readonly SnapshotChange[] {
  // A snapshot of an earlier planner version lacks most entries.
  if (!(WHOLE_SNAPSHOT_NAME in before)) return [];
  const all = compareSnapshots(before, now);
  const busy = findBusyRuns(before, now);
  const ids = [id, ...busy.keys()];
  const branches = new Set([branch, ...busy.values()]);
  const refs = new Set(all.map(({ name }) => name));
  // After another commit was checked out, files differ because of that commit.
  const isMoved = [...refs].some(
    (name) => name.startsWith("HEAD ") || (name.startsWith("ref ") && isBranchCheckedOut(name, now)),
  );
  // planner adds records and kept commits, and moves a record when its work is merged.
  const isExpectedRef = (ref: string, value: string | undefined): boolean =>
    ref.startsWith("refs/planner/")
      ? value !== undefined || ids.some((one) => ref.includes(`/${one}/`))
      : branches.has(ref.replace(/^refs\/heads\//, ""));
  const isExpected = ({ name, now: value }: SnapshotChange): boolean => {
    const [kind = "", subject = ""] = splitSnapshotName(name);
    if (kind === "run" || kind === WHOLE_SNAPSHOT_NAME) return true;
    if (kind === "change") return isMoved;
    // A file of the spec or of one of its members.
    if (kind === "file") return ids.some((one) => basename(subject).startsWith(`${one}.`));
    if (kind === "ref") return isExpectedRef(subject, value);
    const settled = kind === "setting" ? /^branch\.(.+)\.[^.]+$/.exec(subject)?.[1] : undefined;
    // Settings of a branch are created and deleted with it.
    return settled !== undefined && (branches.has(settled) || refs.has(`ref refs/heads/${settled}`));
  };
  return all.filter((change) => !isProgramChange(change) && !isExpected(change));
}

/** Splits a name of a snapshot into its kind and its subject. */
export function splitSnapshotName(name: string): readonly [kind: string, subject: string] {
  const [, kind = name, subject = ""] = /^((?:global |worktree )?\w+) (.*)$/s.exec(name) ?? [];
  return [kind, subject];
}

/** Returns the branches of other specs that had a run between the snapshots, by spec. */
function findBusyRuns(before: RepositorySnapshot, now: RepositorySnapshot): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (!name.startsWith("run ")) continue;
    const [old, current] = [before[name] ?? "", now[name] ?? ""];
    const isBusy = old !== current || current.startsWith("working ");
    if (isBusy) found.set(name.slice("run ".length), (current || old).replace(/^\S* /, ""));
  }
  return found;
}

function isBranchCheckedOut(name: string, now: RepositorySnapshot): boolean {
  const ref = name.slice("ref ".length);
  return Object.entries(now).some(([other, value]) => other.startsWith("HEAD ") && value === ref);
}
