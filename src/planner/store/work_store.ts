import type { WorkStore } from "../ports.ts";

/** Opens what running work leaves below `root`. */
export function openWorkStore(_root: string): WorkStore {
  return {
    processes: async () => [],
    lockHolder: async () => null,
    worktrees: async () => [],
    watchPid: async () => null,
  };
}
