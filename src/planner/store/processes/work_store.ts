import type { Clock } from "#kernel/clock.ts";
import type { WorkStore } from "../../ports.ts";
import { readLock } from "../locks/lock_file.ts";
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
    async watchPid() {
      const holder = readWatch(root);
      return holder?.here && holder.alive ? holder.pid : null;
    },
  };
}
