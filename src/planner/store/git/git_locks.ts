import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import type { SpecId } from "../../spec/spec_id.ts";
import { convertToDiskError, isMissingError } from "../files/disk_error.ts";
import { tryRemoveFile } from "../files/place_file.ts";
import { readProcessFacts } from "../processes/run_processes.ts";
import { isInsideFolder, WORKTREES_FOLDER } from "../project/places.ts";
import { listWorktreeIds, locateWorktree } from "../worktrees/worktree_files.ts";
import { Git } from "./git.ts";

/** Minimum age in milliseconds at which a lock of a person's checkout may count as a leftover. Chosen by planner. */
const LEFTOVER_AGE_MS = 60_000;

export interface GitLock {
  /** Absolute path of the lock file. */
  readonly path: string;
  /** The spec whose worktree is locked; null for the project's checkout. */
  readonly spec_id: SpecId | null;
  readonly ageMs: number;
  /** PID of the process that holds the lock; null without a holder, `unknown` if the system does not provide it. */
  readonly holder: number | "unknown" | null;
  /** Whether the lock certainly has no holder. In the checkout where people work, true only after a minute. */
  readonly removable: boolean;
}

/**
 * Opens the locks on git's index in the project in `root`, an absolute path, and in its worktrees. A killed git process
 * leaves its lock, which blocks all further changes until it is removed.
 */
export function openGitLocks(root: string) {
  return {
    /** Finds the locks of the project's checkout and of its worktrees. Cost: one git process per checkout. */
    findLocks: () => findIndexLocks(root),
    /** Checks the lock again and removes it. Returns false if it no longer exists or a process holds it. */
    async removeLock({ spec_id, path }: GitLock): Promise<boolean> {
      const now = (await findIndexLocks(root)).find((one) => one.path === path && one.spec_id === spec_id);
      if (now === undefined || !now.removable) return false;
      await tryRemoveFile(path);
      return true;
    },
  };
}

async function findIndexLocks(root: string): Promise<readonly GitLock[]> {
  const places: (readonly [folder: string, id: SpecId | null])[] = [[root, null]];
  for (const id of await listWorktreeIds(root)) places.push([locateWorktree(root, id), id]);
  const found: GitLock[] = [];
  for (const [folder, id] of places) {
    const place = await findLockLocation(folder, id);
    // For a folder that is not a worktree, git reports the checkout's lock.
    if (place === null || found.some(({ path }) => path === place.path)) continue;
    const lock = readLockFile(place);
    if (lock !== null) found.push(lock);
  }
  return found;
}

interface LockLocation {
  readonly path: string;
  readonly id: SpecId | null;
  /** Real path of the checkout whose index the lock belongs to. */
  readonly top: string;
}

/** Returns the lock's location; null outside of a repository, and for a folder that no longer exists. */
async function findLockLocation(folder: string, id: SpecId | null): Promise<LockLocation | null> {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return null;
  const git = new Git(folder);
  const path = await git.tryReadOutput(["rev-parse", "--path-format=absolute", "--git-path", "index.lock"]);
  const top = await git.tryReadOutput(["rev-parse", "--show-toplevel"]);
  return path === null || top === null ? null : { path, id, top };
}

function readLockFile({ path, id, top }: LockLocation): GitLock | null {
  try {
    const ageMs = Math.max(0, Date.now() - statSync(path).mtimeMs);
    // Worktrees of earlier versions are inside the checkout but have separate locks.
    const worksThere = (cwd: string): boolean =>
      isInsideFolder(top, cwd) && (id !== null || !cwd.slice(top.length).includes(`/${WORKTREES_FOLDER}/`));
    const holder = findLockHolder(path, worksThere);
    return {
      path,
      spec_id: id,
      ageMs,
      holder,
      removable: holder === null && (id !== null || ageMs >= LEFTOVER_AGE_MS),
    };
  } catch (error) {
    if (isMissingError(error)) return null;
    throw convertToDiskError(`read "${path}"`, error);
  }
}

/**
 * Returns a process that may hold the lock; null if none can, "unknown" on systems other than Linux. Such a process has
 * the file open or is a git in the checkout, because git closes the file while it waits for an editor. A git with a
 * hidden working directory, such as another user's, may be in the checkout.
 */
function findLockHolder(path: string, isInCheckout: (cwd: string) => boolean): GitLock["holder"] {
  if (process.platform !== "linux") return "unknown";
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    if (listOpenedFiles(pid).includes(path)) return pid;
    if (!isGitProcess(pid)) continue;
    const folder = readWorkingFolder(pid);
    if (folder === "hidden" || (folder !== null && isInCheckout(folder))) return pid;
  }
  return null;
}

function isGitProcess(pid: number): boolean {
  try {
    return /^git\b/.test(readFileSync(`/proc/${pid}/comm`, "latin1"));
  } catch {
    return false;
  }
}

/** Returns a process's working directory: null if it is ending or gone, "hidden" if this process may not read it. */
function readWorkingFolder(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch (error) {
    // Access to a process that has ended since its name was read fails as well.
    const isHidden = /^(EACCES|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? "");
    return isHidden && readProcessFacts(pid)?.ended === false ? "hidden" : null;
  }
}

function listOpenedFiles(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((name) => readLinkTarget(`/proc/${pid}/fd/${name}`) ?? "");
  } catch {
    return [];
  }
}

function readLinkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
