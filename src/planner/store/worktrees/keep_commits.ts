import type { SpecId } from "../../spec/spec_id.ts";
import type { Git } from "../git/git.ts";
import { listAdminFolders, type ReflogEntry, readGitHead, readReflog, resolveStoredPath } from "./admin_folder.ts";
import { type CreatedObject, listCreatedObjects } from "./made_objects.ts";
import { splitSnapshotName } from "./outside_changes.ts";
import { buildSpecRef } from "./ref_names.ts";
import type { RepositorySnapshot, SnapshotChange } from "./snapshot.ts";
import { WHOLE_SNAPSHOT_NAME } from "./take_snapshot.ts";
import { branchExists, hasOwnChange, isBranchMerged, type SpecBranches } from "./worktree_commits.ts";
import { locateWorktree } from "./worktree_files.ts";
import type { Repository, WorktreeLocation } from "./worktree_place.ts";

/** A commit that no branch contains, and the ref that keeps it with its ancestors. */
export interface KeptCommits {
  /** Ref such as `refs/planner/kept/<id>/1`. */
  readonly ref: string;
  readonly hash: string;
  /** Whether an amend, a rebase or a reset replaced the commit, so that a person does not need it. */
  readonly superseded: boolean;
}

export interface WorktreeRemoval {
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
