import { join } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import type { WorkStore } from "../ports.ts";
import { readJson } from "./json_file.ts";
import { holderOf, readLock } from "./lock_file.ts";
import { WATCH_PID } from "./places.ts";
import { isAlive } from "./process_life.ts";
import { readProcessRecords } from "./process_records.ts";
import { readWorktrees } from "./worktree_list.ts";

/** Opens what running work leaves below `root`, an absolute path. */
export function openWorkStore(root: string, clock: Clock): WorkStore {
  return {
    processes: async () => (await readProcessRecords(root, clock.now())).records,
    brokenRecords: async () => (await readProcessRecords(root, clock.now())).broken,
    lockHolder: async (id) => readLock(root, id, clock.now()),
    worktrees: () => readWorktrees(root),
    async watchPid() {
      const read = readJson(join(root, WATCH_PID));
      const holder = read.kind === "missing" ? null : holderOf(read);
      return holder !== null && isAlive(holder.pid, holder.since) ? holder.pid : null;
    },
  };
}
