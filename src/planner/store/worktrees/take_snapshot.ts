import { existsSync, lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { dirname, join, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SpecId } from "../../spec/spec_id.ts";
import { temporaryPid } from "../files/temporary_file.ts";
import { Git } from "../git/git.ts";
import { claimedIds, readClaim } from "../locks/lock_file.ts";
import { WORKTREES } from "../project/places.ts";
import { adminFolders, readGitFile, readHead, readMoves, realPath, unfinishedIn } from "./admin_folder.ts";
import { digestOf, type Snapshot, takePrograms } from "./snapshot.ts";
import { moduleFolders } from "./submodules.ts";
import { worktreeFiles } from "./worktree_files.ts";
import { isFreshWorktree, type Place, type Repository, readOrigin, worktreeIds } from "./worktree_place.ts";

/** Parts of `.planner/` that planner itself changes while runs are under way. */
const OWN_PARTS: ReadonlySet<string> = new Set(["locks", "logs", "processes", "runs", "watch.pid", "worktrees"]);

/** Files of git's `info/` by which it ignores or treats files in every checkout. */
const INFO_FILES = ["attributes", "exclude", "grafts", "sparse-checkout"];

/**
 * The name under which a whole snapshot has the moment it was taken, in milliseconds since 1970. One of an earlier version
 * has less, and says nothing about the rest.
 */
export const WHOLE = "snapshot";

/**
 * Takes the state of the repository, and of the project around it, that a run in the worktree should not change.
 * Cost: three gits, one more for each submodule, and a `stat` of each file of `.planner/`.
 *
 * @param programs as `takePrograms` has just returned them
 */
export async function takeSnapshot(place: Place, programs?: Snapshot): Promise<Snapshot> {
  const { root, repository } = place;
  const { commonFolder, git } = repository;
  const taken = String(Date.now());
  const info = INFO_FILES.map((name) => [`info ${name}`, readGitFile(commonFolder, `info/${name}`)] as const);
  const parts = await Promise.all([
    programs ?? takePrograms(place),
    refsIn(git),
    headsOf(place),
    changesIn(repository),
    modulesIn(commonFolder),
    runsOf(place),
  ]);
  return Object.assign(
    { [WHOLE]: taken },
    Object.fromEntries(readMoves(commonFolder, "refs/stash").map(({ to, message }) => [`stash ${to}`, message])),
    Object.fromEntries(info.filter(([, text]) => text !== null)),
    Object.fromEntries(filesBelow(root, ".planner")),
    ...parts,
  );
}

/** A name that points to another one, `refs/remotes/origin/HEAD` for example, has that one's name. */
export async function refsIn(git: Git): Promise<Snapshot> {
  const listed = await git.run(["for-each-ref", "--format=%(objectname) %(symref) %(refname)"]);
  const refs = listed.split("\n").flatMap((line) => {
    const [hash = "", target = "", ref = ""] = line.split(" ");
    return ref === "" || ref === "refs/stash" ? [] : [[`ref ${ref}`, target === "" ? hash : `ref: ${target}`]];
  });
  return Object.fromEntries(refs);
}

/** What is checked out, and under way, in every checkout that belongs neither to a run nor to its checks. */
async function headsOf({ root, repository }: Place): Promise<Snapshot> {
  const runs = realPath(join(root, WORKTREES)) + sep;
  const heads: Record<string, string> = {};
  for (const [path, folder] of await checkouts(repository)) {
    if (path.startsWith(runs) || isFreshWorktree(path)) continue;
    const head = readHead(folder);
    if (head !== null) heads[`HEAD ${path}`] = "ref" in head ? head.ref : head.hash;
    const unfinished = unfinishedIn(folder);
    if (unfinished !== null) heads[`operation ${path}`] = unfinished.name;
  }
  return heads;
}

/** Git's own folders of all checkouts, by their paths. */
export async function checkouts({ commonFolder, gitFolder, top }: Repository): Promise<ReadonlyMap<string, string>> {
  const main = gitFolder === commonFolder ? top : dirname(commonFolder);
  return new Map([[main, commonFolder], ...(await adminFolders(commonFolder))]);
}

/** How often, and after how many milliseconds, a checkout is read again while git changes it. Ours. */
const STEADY = { tries: 20, pauseMs: 50 } as const;

/**
 * Uncommitted changes in the person's checkout, without those in `.planner/`. A merge of another run writes the files, the
 * index and HEAD one after the other; the checkout is read again until none of them changed meanwhile.
 */
async function changesIn({ git, gitFolder, top, prefix }: Repository): Promise<Snapshot> {
  const listing = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal"];
  for (let tries = 1; ; tries++) {
    const before = checkoutMark(gitFolder);
    const all = await git.list(listing);
    // HEAD follows the index.
    if (all.some((entry) => /^[^ ?]/.test(entry))) await sleep(STEADY.pauseMs);
    if (tries < STEADY.tries && (before === null || before !== checkoutMark(gitFolder))) {
      await sleep(STEADY.pauseMs);
      continue;
    }
    const entries = all.filter((entry) => !entry.slice(3).startsWith(`${prefix}.planner/`));
    return Object.fromEntries(
      entries.map((entry) => [`change ${entry.slice(3)}`, `${entry.slice(0, 2)} ${markOf(join(top, entry.slice(3)))}`]),
    );
  }
}

/** What changes when another commit is checked out; null while git writes the index. */
function checkoutMark(gitFolder: string): string | null {
  if (existsSync(join(gitFolder, "index.lock"))) return null;
  return ["logs/HEAD", "HEAD", "index"].map((name) => markOf(join(gitFolder, name))).join(" ");
}

function filesBelow(root: string, folder: string): readonly (readonly [name: string, mark: string])[] {
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if ((folder === ".planner" && OWN_PARTS.has(entry.name)) || temporaryPid(entry.name) !== null) return [];
    return entry.isDirectory() ? filesBelow(root, path) : [[`file ${path}`, markOf(join(root, path))] as const];
  });
}

/** What changes with a file's content; empty for no file. */
function markOf(path: string): string {
  const facts: Stats | undefined = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return "";
  return facts.isSymbolicLink() ? `link ${readlinkSync(path)}` : `${facts.size} ${facts.mtimeMs} ${facts.ino}`;
}

/** What each submodule of the person's checkout has checked out, and its names. */
async function modulesIn(commonFolder: string): Promise<Snapshot> {
  const found: Record<string, string> = {};
  for (const [name, folder] of moduleFolders(commonFolder)) {
    const listed = await new Git(folder, { GIT_DIR: folder }).ask([
      "for-each-ref",
      "--format=%(objectname) %(refname)",
    ]);
    const refs = (listed ?? "").split("\n").filter((line) => !line.includes(" refs/planner/"));
    found[`module ${name}`] = digestOf([readGitFile(folder, "HEAD"), ...refs].join("\n"));
  }
  return found;
}

/**
 * Branches of other specs' runs and what these are at: planner itself changes their specs and branches. A run that begins
 * has a claim before it has a worktree.
 */
async function runsOf({ root, id }: Place): Promise<Snapshot> {
  const now = new Date();
  const isClaimed = (other: SpecId): boolean => readClaim(root, other, now)?.holder.alive === true;
  const claimed = (await claimedIds(root)).filter(isClaimed);
  const others = new Set([...(await worktreeIds(root)), ...claimed]);
  others.delete(id);
  return Object.fromEntries(
    [...others].map((other) => {
      const status = readGitFile(root, worktreeFiles.status(other)) ?? "";
      const isWorking = claimed.includes(other) || /"status": "working"/.test(status);
      return [`run ${other}`, `${isWorking ? "working" : digestOf(status)} ${readOrigin(root, other)?.branch ?? ""}`];
    }),
  );
}
