import { join, relative, sep } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import type { LeftoverFiles, RunPorts } from "#planner/run_ports/run_ports.ts";
import type { PlannerConfig } from "../../config/config.ts";
import { DEFAULT_CONFIG } from "../../config/default_config.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { removeFileInOpenFolder } from "../files/open_folder.ts";
import { readFolderEntries } from "../files/read_folder.ts";
import { parseTemporaryPid } from "../files/temporary_file.ts";
import { openGitLocks } from "../git/git_locks.ts";
import { readClaim } from "../locks/lock_file.ts";
import { runWithProjectLock } from "../locks/project_lock.ts";
import { openRunLogs } from "../logs/log_writer.ts";
import { ARCHIVE_FOLDER, LOCKS_FOLDER, PROCESSES_FOLDER, SPECS_FOLDER, WORKTREES_FOLDER } from "../project/places.ts";
import { openSharedClaims } from "../remote_claims/shared_claims.ts";
import { openRequests } from "../requests/requests.ts";
import { openDifferences } from "../worktrees/differences.ts";
import { openWorktrees } from "../worktrees/worktrees.ts";
import { openAgents } from "./agent_process.ts";
import { openClaims } from "./claims.ts";
import { isProcessAlive } from "./process_life.ts";
import { openProcessRecords } from "./record_writer.ts";
import { openWatchFile } from "./watch_file.ts";

/**
 * Opens all side effects of runs of the project in `root`, an absolute path.
 *
 * @param config settings that may name a remote for shared claims; without it, claims are visible only in this clone
 */
export function openRuns(root: string, clock: Clock, config?: () => Promise<PlannerConfig>): RunPorts {
  const local = openClaims(root, clock);
  const isLive = (id: SpecId): boolean => readClaim(root, id, clock.now())?.holder.alive === true;
  return {
    claims: config === undefined ? local : openSharedClaims({ root, local, config, isLive }),
    worktrees: openWorktrees(root, clock),
    differences: openDifferences(root),
    requests: openRequests(root, config ?? (async () => DEFAULT_CONFIG)),
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
function openLeftoverFiles(root: string): LeftoverFiles {
  return {
    listFiles: () => listLeftoverFiles(root),
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
