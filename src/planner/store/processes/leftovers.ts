import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Leftovers } from "#planner/run_ports/leftovers.ts";
import { diskRefusal, isMissing } from "../files/disk_error.ts";
import { removeQuietly, temporaryPid } from "../files/temporary_file.ts";
import { withProjectLock } from "../locks/project_lock.ts";
import { ARCHIVE, LOCKS, PROCESSES, SPECS, WORKTREES } from "../project/places.ts";
import { isAlive } from "./process_life.ts";

/** Where this program writes, and whether it writes in folders below as well. */
const FOLDERS: readonly (readonly [path: string, recursive: boolean])[] = [
  [".planner", false],
  [SPECS, false],
  [ARCHIVE, true],
  [LOCKS, false],
  [PROCESSES, false],
  // Each worktree is a project itself.
  [WORKTREES, false],
];

/** Opens what killed writers left in the project in `root`, an absolute path. */
export function openLeftovers(root: string): Leftovers {
  return {
    files: () => leftovers(root),
    remove: () =>
      withProjectLock(root, async () => {
        const files = await leftovers(root);
        for (const file of files) await removeQuietly(join(root, file));
        return files;
      }),
  };
}

async function leftovers(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [folder, recursive] of FOLDERS) {
    for (const entry of await entriesOf(root, folder, recursive)) {
      const pid = entry.isFile() ? temporaryPid(entry.name) : null;
      if (pid === null || isAlive(pid, null)) continue;
      found.push(relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"));
    }
  }
  return found.sort();
}

async function entriesOf(root: string, folder: string, recursive: boolean) {
  try {
    return await readdir(join(root, folder), { withFileTypes: true, recursive });
  } catch (error) {
    if (isMissing(error)) return [];
    throw diskRefusal(`read "${folder}"`, error);
  }
}
