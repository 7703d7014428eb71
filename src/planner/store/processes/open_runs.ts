import { join, relative, sep } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import { openClaims, readClaim } from "#planner/store/locks/local_claims.ts";
import type { PlannerConfig } from "../../config/config.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { readFolderEntries, removeFileInOpenFolder } from "../files/open_folder.ts";
import { parseTemporaryPid } from "../files/place_file.ts";
import { openGitLocks } from "../git/git_locks.ts";
import { runWithProjectLock } from "../locks/project_lock.ts";
import { openRunLogs } from "../logs/log_writer.ts";
import { ARCHIVE_FOLDER, LOCKS_FOLDER, PROCESSES_FOLDER, SPECS_FOLDER, WORKTREES_FOLDER } from "../project/places.ts";
import { openSharedClaims } from "../remote_claims/shared_claims.ts";
import { PullRequests } from "../requests/requests.ts";
import { openDifferences } from "../worktrees/differences.ts";
import { Worktrees } from "../worktrees/worktrees.ts";
import { openAgents } from "./agent_process.ts";
import { openProcessRecords, openWatchFile } from "./process_records.ts";
import { isProcessAlive } from "./run_processes.ts";

export type RunPorts = ReturnType<typeof openRuns>;

/**
 * Opens all side effects of runs of the project in `root`, an absolute path. Every expected error is an
 * `OperationError`.
 *
 * @param config settings that may name a remote for shared claims, and the remote and server of pull requests
 */
export function openRuns(root: string, clock: Clock, config: () => Promise<PlannerConfig>) {
  const isLive = (id: SpecId): boolean => readClaim(root, id, clock.now())?.holder.alive === true;
  return {
    claims: openSharedClaims({ root, local: openClaims(root, clock), config, isLive }),
    worktrees: new Worktrees(root, clock),
    differences: openDifferences(root),
    requests: new PullRequests(root, config),
    logs: openRunLogs(root, clock),
    records: openProcessRecords(root, clock),
    agents: openAgents(root),
    watch: openWatchFile(root),
    leftovers: openLeftoverFiles(root),
    gitLocks: openGitLocks(root),
  };
}

/** Folders in which planner writes, and whether it also writes in their subfolders. */
const WRITTEN_FOLDERS: readonly (readonly [path: string, recursive: boolean])[] = [
  [".planner", false],
  [SPECS_FOLDER, false],
  [ARCHIVE_FOLDER, true],
  [LOCKS_FOLDER, false],
  [PROCESSES_FOLDER, false],
  // Each worktree is a project itself.
  [WORKTREES_FOLDER, false],
];

/** Opens the temporary files of killed writers in the project in `root`, an absolute path. */
function openLeftoverFiles(root: string) {
  return {
    /** Paths from the project's root, sorted; excludes files of running processes. */
    listFiles: () => listLeftoverFiles(root),
    /** Removes all leftover files and returns their paths. */
    removeFiles: () =>
      runWithProjectLock(root, async () => {
        const files = await listLeftoverFiles(root);
        for (const file of files) await removeFileInOpenFolder(join(root, file)).catch(() => {});
        return files;
      }),
  };
}

async function listLeftoverFiles(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [folder, recursive] of WRITTEN_FOLDERS) {
    for (const entry of await readFolderEntries(root, folder, recursive)) {
      const pid = entry.isFile() ? parseTemporaryPid(entry.name) : null;
      if (pid === null || isProcessAlive(pid, null)) continue;
      found.push(relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"));
    }
  }
  return found.sort();
}
