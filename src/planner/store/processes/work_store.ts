import { join } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import type { WorkStore } from "../../ports.ts";
import { markAt } from "../files/file_mark.ts";
import { readLock } from "../locks/lock_file.ts";
import { PROCESSES, WORKTREES } from "../project/places.ts";
import { readWorktrees } from "../worktrees/worktree_list.ts";
import { readProcessRecords } from "./process_records.ts";
import { readWatch } from "./watch_file.ts";

/** Opens what running work leaves below `root`, an absolute path. */
export function openWorkStore(root: string, clock: Clock): WorkStore {
  return {
    processes: async () => (await readProcessRecords(root, clock.now())).records,
    brokenRecords: async () => (await readProcessRecords(root, clock.now())).broken,
    lockHolder: async (id) => readLock(root, id, clock.now()),
    worktrees: () => readWorktrees(root),
    // Records and states of worktrees are put in place by renaming, which changes their folder.
    mark: async () => JSON.stringify([PROCESSES, WORKTREES].map((folder) => markAt(join(root, folder)))),
    async watchPid() {
      const holder = readWatch(root);
      return holder?.here && holder.alive ? holder.pid : null;
    },
  };
}
